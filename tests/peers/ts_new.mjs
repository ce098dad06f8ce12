// npm @modelcontextprotocol/client 2.4.0 against a stdio server: 2026-07-28 (found by probing, and pinned) and each
// handshake revision it knows; without any capability too.
import { CAPABILITIES, Host } from './asks.mjs';
import { Plan } from './plan.mjs';
import { CHECK_MS, Report, Witness, commandLine, installed, need, same, within } from './report.mjs';
import { EXTENSION } from './tasks.mjs';

const from = path => import(new URL(`@modelcontextprotocol/client/dist/${path}`, installed('ts-new')));
const { Client, specTypeSchemas } = await from('index.mjs');
const { StdioClientTransport } = await from('stdio.mjs');

const MODERN = '2026-07-28';
const HANDSHAKE = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';
const FRESH = { cacheMode: 'bypass' };
const EXTENSIONS = { extensions: { [EXTENSION]: {} } };
const NOT_A_RESULT = 'UNSUPPORTED_RESULT_TYPE';
/** For the results of 2026-07-28's tasks, which the library has no types for: takes any. */
const UNTYPED = { '~standard': { version: 1, vendor: 'peers', validate: value => ({ value }) } };
const { CallToolResult, CancelTaskResult, CreateTaskResult, GetTaskResult, ListTasksResult } = specTypeSchemas;
const RESULTS = { get: GetTaskResult, cancel: CancelTaskResult, result: CallToolResult };

/** Adapts the client to the interface of plan.mjs. */
class Peer {
    constructor(client, host, strays, logs, statuses, made) {
        this.client = client;
        this.host = host;
        this.version = client.getNegotiatedProtocolVersion();
        this.modern = client.getProtocolEra() === 'modern';
        // With `data.uri` both codes become the library's ResourceNotFoundError, which has the newer code.
        this.hidesNotFound = true;
        this.follows = false;
        this.statuses = statuses;
        this.made = made;
        this.reference = reference;
        this.strays = strays;
        this.logs = logs;
    }

    list(kind, cursor) {
        const params = cursor === undefined ? undefined : { cursor };
        switch (kind) {
            case 'tools':
                return this.client.listTools(params, FRESH);
            case 'prompts':
                return this.client.listPrompts(params, FRESH);
            case 'resources':
                return this.client.listResources(params, FRESH);
            case 'tasks':
                return this.client.request({ method: 'tasks/list', params }, ListTasksResult);
            default:
                return this.client.listResourceTemplates(params, FRESH);
        }
    }

    call(name, args, { level, ...options } = {}) {
        const params = { name, arguments: args };
        if (level !== undefined) params._meta = { [LOG_LEVEL]: level };
        return this.client.callTool(params, options);
    }

    read(uri) {
        return this.client.readResource({ uri }, FRESH);
    }

    get(name, args) {
        return this.client.getPrompt({ name, arguments: args });
    }

    complete(prompt, name, value) {
        return this.client.complete({ ref: { type: 'ref/prompt', name: prompt }, argument: { name, value } });
    }

    ping() {
        return this.client.ping();
    }

    setLevel(level) {
        return this.client.setLoggingLevel(level);
    }

    subscribe(uri) {
        return this.client.subscribeResource({ uri });
    }

    unsubscribe(uri) {
        return this.client.unsubscribeResource({ uri });
    }

    async listen(uri) {
        const subscription = await this.client.listen({ resourceSubscriptions: [uri], toolsListChanged: true });
        same(subscription.honoredFilter, { resourceSubscriptions: [uri], toolsListChanged: true });
        await subscription.close();
        same(await within(subscription.closed), 'local');
    }

    plainCall(name, args) {
        return this.call(name, args);
    }

    async create(name, args, ttl) {
        const params = { name, arguments: args };
        if (!this.modern) {
            const request = { method: 'tools/call', params: { ...params, task: { ttl } } };
            return (await this.client.request(request, CreateTaskResult)).task;
        }
        const got = await this.client.callTool(params).catch(error => {
            // The library takes no task for an answer; the transport has read along.
            if (error.code !== NOT_A_RESULT || error.data.resultType !== 'task') throw error;
            return undefined;
        });
        need(got === undefined, `no task but ${JSON.stringify(got)}`);
        return this.made.shift();
    }

    task(method, taskId, more = {}) {
        const request = { method: `tasks/${method}`, params: { taskId, ...more } };
        return this.client.request(request, this.modern ? UNTYPED : RESULTS[method]);
    }

    start(name, args, timeout = CHECK_MS) {
        const controller = new AbortController();
        const options = { signal: controller.signal, timeout };
        const ended = this.client.callTool({ name, arguments: args }, options).then(
            () => this.strays.push('the cancelled call was answered'),
            () => undefined
        );
        return {
            cancel: async () => {
                controller.abort('no longer needed');
                await ended;
            }
        };
    }
}

/** Keeps the tasks that calls become. */
function readAlong(transport, made) {
    const handle = transport.onmessage;
    transport.onmessage = (message, ...more) => {
        if (message.result?.resultType === 'task') made.push(message.result);
        handle(message, ...more);
    };
}

/** One server process from connect to exit. */
async function leg(report, server, options, version, anyServer, bare = false) {
    const witness = new Witness();
    const strays = [];
    const logs = [];
    const statuses = [];
    const made = [];
    const host = new Host();
    const capabilities = bare ? {} : { ...CAPABILITIES, ...EXTENSIONS };
    const client = new Client({ name: 'ts_new', version: '1' }, { capabilities, ...options });
    if (!bare) {
        const answer = (kind, params, { mcpReq }) => host.answer(kind, params, mcpReq.signal);
        client.setRequestHandler('elicitation/create', ({ params }, context) => answer('elicit', params, context));
        client.setRequestHandler('sampling/createMessage', ({ params }, context) => answer('sample', params, context));
        client.setRequestHandler('roots/list', (_, context) => answer('roots', {}, context));
    }
    const transport = new StdioClientTransport(witness.command(server));
    client.onerror = error => strays.push(String(error.message));
    client.setNotificationHandler('notifications/message', ({ params }) => void logs.push(params));
    client.setNotificationHandler('notifications/tasks/status', ({ params }) => void statuses.push(params));
    let pid;
    try {
        await within(client.connect(transport));
        pid = transport.pid;
        readAlong(transport, made);
        same(client.getNegotiatedProtocolVersion(), version ?? client.getNegotiatedProtocolVersion());
        need(client.getServerVersion()?.name || anyServer, 'the server did not name itself');
        report.line('connect');
        const plan = new Plan(report, new Peer(client, host, strays, logs, statuses, made));
        await (anyServer ? plan.runAny() : bare ? plan.runBare() : plan.run());
    } catch (error) {
        report.line('connect', error);
    }
    await within(client.close(), CHECK_MS).catch(error => report.line('close', error));
    if (pid !== undefined) await report.check('server leaves when its input ends', async () => witness.leftByItself(pid));
    witness.forget();
}

const { anyServer, reference, server } = commandLine('ts_new.mjs');
const report = new Report('ts_new');
report.leg = 'auto';
await leg(report, server, { versionNegotiation: { mode: 'auto' } }, anyServer ? undefined : MODERN, anyServer);
if (!anyServer) {
    report.leg = `pinned/${MODERN}`;
    await leg(report, server, { versionNegotiation: { mode: { pin: MODERN } } }, MODERN, anyServer);
}
if (!anyServer && !reference) {
    report.leg = `bare/${MODERN}`;
    await leg(report, server, { versionNegotiation: { mode: { pin: MODERN } } }, MODERN, anyServer, true);
}
for (const version of HANDSHAKE) {
    report.leg = `handshake/${version}`;
    await leg(report, server, { supportedProtocolVersions: [version] }, version, anyServer);
    if (anyServer || reference) continue;
    report.leg = `bare/${version}`;
    await leg(report, server, { supportedProtocolVersions: [version] }, version, anyServer, true);
}
report.finish();
