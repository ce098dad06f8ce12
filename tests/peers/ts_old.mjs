// npm @modelcontextprotocol/sdk 1.32.2 against a stdio server: the handshake with each revision it knows,
// and without any capability.
import { CAPABILITIES, Host } from './asks.mjs';
import { Plan } from './plan.mjs';
import { CHECK_MS, Report, Witness, commandLine, installed, need, same, within } from './report.mjs';

const from = path => import(new URL(`@modelcontextprotocol/sdk/dist/esm/${path}`, installed('ts-old')));
const { Client } = await from('client/index.js');
const { StdioClientTransport } = await from('client/stdio.js');
const {
    CallToolResultSchema,
    CreateMessageRequestSchema,
    CreateTaskResultSchema,
    ElicitRequestSchema,
    ListRootsRequestSchema,
    LoggingMessageNotificationSchema,
    TaskStatusNotificationSchema
} = await from('types.js');

// 2024-10-07, which the library also accepts, is a draft that was never published.
const HANDSHAKE = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];

/** Offers an older revision than the library would, and keeps the one the server chose. */
class PinnedTransport extends StdioClientTransport {
    constructor(server, version) {
        super(server);
        this.offered = version;
    }

    send(message) {
        if (message.method !== 'initialize') return super.send(message);
        return super.send({ ...message, params: { ...message.params, protocolVersion: this.offered } });
    }

    setProtocolVersion(version) {
        this.chosen = version;
    }
}

/** Adapts the client to the interface of plan.mjs. */
class Peer {
    constructor(client, host, version, strays, logs, statuses) {
        this.client = client;
        this.host = host;
        this.version = version;
        this.modern = false;
        this.hidesNotFound = false;
        this.follows = true;
        this.statuses = statuses;
        this.reference = reference;
        this.strays = strays;
        this.logs = logs;
    }

    list(kind, cursor) {
        const params = cursor === undefined ? undefined : { cursor };
        switch (kind) {
            case 'tools':
                return this.client.listTools(params);
            case 'prompts':
                return this.client.listPrompts(params);
            case 'resources':
                return this.client.listResources(params);
            case 'tasks':
                return this.client.experimental.tasks.listTasks(cursor);
            default:
                return this.client.listResourceTemplates(params);
        }
    }

    call(name, args, options = {}) {
        return this.client.callTool({ name, arguments: args }, undefined, options);
    }

    read(uri) {
        return this.client.readResource({ uri });
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

    plainCall(name, args) {
        return this.client.request({ method: 'tools/call', params: { name, arguments: args } }, CallToolResultSchema);
    }

    async create(name, args, ttl) {
        const request = { method: 'tools/call', params: { name, arguments: args } };
        return (await this.client.request(request, CreateTaskResultSchema, { task: { ttl } })).task;
    }

    task(method, task) {
        const { tasks } = this.client.experimental;
        switch (method) {
            case 'get':
                return tasks.getTask(task);
            case 'cancel':
                return tasks.cancelTask(task);
            default:
                return tasks.getTaskResult(task, CallToolResultSchema);
        }
    }

    async follow(name, args) {
        let last;
        for await (const message of this.client.experimental.tasks.callToolStream({ name, arguments: args })) last = message;
        if (last.type === 'error') throw last.error;
        return last.result;
    }

    start(name, args, timeout = CHECK_MS) {
        const controller = new AbortController();
        const options = { signal: controller.signal, timeout };
        const ended = this.client.callTool({ name, arguments: args }, undefined, options).then(
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

/** One server process from connect to exit. */
async function leg(report, server, version, anyServer, bare = false) {
    const witness = new Witness();
    const strays = [];
    const logs = [];
    const statuses = [];
    const host = new Host();
    const client = new Client({ name: 'ts_old', version: '1' }, { capabilities: bare ? {} : CAPABILITIES });
    if (!bare) {
        client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) => host.answer('elicit', params, signal));
        client.setRequestHandler(CreateMessageRequestSchema, ({ params }, { signal }) =>
            host.answer('sample', params, signal)
        );
        client.setRequestHandler(ListRootsRequestSchema, (_, { signal }) => host.answer('roots', {}, signal));
    }
    const transport = new PinnedTransport(witness.command(server), version);
    client.onerror = error => strays.push(String(error.message));
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logs.push(params));
    client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => void statuses.push(params));
    let pid;
    try {
        await within(client.connect(transport));
        pid = transport.pid;
        same(transport.chosen, version);
        need(client.getServerVersion()?.name, 'the server did not name itself');
        report.line('connect');
        const plan = new Plan(report, new Peer(client, host, version, strays, logs, statuses));
        await (anyServer ? plan.runAny() : bare ? plan.runBare() : plan.run());
    } catch (error) {
        report.line('connect', error);
    }
    await within(client.close(), CHECK_MS).catch(error => report.line('close', error));
    if (pid !== undefined) await report.check('server leaves when its input ends', async () => witness.leftByItself(pid));
    witness.forget();
}

const { anyServer, reference, server } = commandLine('ts_old.mjs');
const report = new Report('ts_old');
for (const version of HANDSHAKE) {
    report.leg = `handshake/${version}`;
    await leg(report, server, version, anyServer);
    if (anyServer || reference) continue;
    report.leg = `bare/${version}`;
    await leg(report, server, version, anyServer, true);
}
report.finish();
