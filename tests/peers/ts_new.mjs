// npm @modelcontextprotocol/client 2.4.0 against a stdio server: 2026-07-28 (found by probing, and pinned) and each
// handshake revision it knows.
import { CAPABILITIES, Host } from './asks.mjs';
import { Plan } from './plan.mjs';
import { CHECK_MS, Report, Witness, commandLine, installed, need, same, within } from './report.mjs';

const from = path => import(new URL(`@modelcontextprotocol/client/dist/${path}`, installed('ts-new')));
const { Client } = await from('index.mjs');
const { StdioClientTransport } = await from('stdio.mjs');

const MODERN = '2026-07-28';
const HANDSHAKE = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';
const FRESH = { cacheMode: 'bypass' };

/** Adapts the client to the interface of plan.mjs. */
class Peer {
    constructor(client, host, strays, logs) {
        this.client = client;
        this.host = host;
        this.version = client.getNegotiatedProtocolVersion();
        this.modern = client.getProtocolEra() === 'modern';
        // With `data.uri` both codes become the library's ResourceNotFoundError, which has the newer code.
        this.hidesNotFound = true;
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

    startSlow(ms) {
        const controller = new AbortController();
        const options = { signal: controller.signal, timeout: ms };
        const ended = this.client.callTool({ name: 'test_slow', arguments: { ms } }, options).then(
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
async function leg(report, server, options, version, anyServer) {
    const witness = new Witness();
    const strays = [];
    const logs = [];
    const host = new Host();
    const client = new Client({ name: 'ts_new', version: '1' }, { capabilities: CAPABILITIES, ...options });
    client.setRequestHandler('elicitation/create', ({ params }) => host.answer('elicit', params));
    client.setRequestHandler('sampling/createMessage', ({ params }) => host.answer('sample', params));
    client.setRequestHandler('roots/list', () => host.answer('roots', {}));
    const transport = new StdioClientTransport(witness.command(server));
    client.onerror = error => strays.push(String(error.message));
    client.setNotificationHandler('notifications/message', ({ params }) => void logs.push(params));
    let pid;
    try {
        await within(client.connect(transport));
        pid = transport.pid;
        same(client.getNegotiatedProtocolVersion(), version ?? client.getNegotiatedProtocolVersion());
        need(client.getServerVersion()?.name || anyServer, 'the server did not name itself');
        report.line('connect');
        const plan = new Plan(report, new Peer(client, host, strays, logs));
        await (anyServer ? plan.runAny() : plan.run());
    } catch (error) {
        report.line('connect', error);
    }
    await within(client.close(), CHECK_MS).catch(error => report.line('close', error));
    if (pid !== undefined) await report.check('server leaves when its input ends', async () => witness.leftByItself(pid));
    witness.forget();
}

const { anyServer, server } = commandLine('ts_new.mjs');
const report = new Report('ts_new');
report.leg = 'auto';
await leg(report, server, { versionNegotiation: { mode: 'auto' } }, anyServer ? undefined : MODERN, anyServer);
if (!anyServer) {
    report.leg = `pinned/${MODERN}`;
    await leg(report, server, { versionNegotiation: { mode: { pin: MODERN } } }, MODERN, anyServer);
}
for (const version of HANDSHAKE) {
    report.leg = `handshake/${version}`;
    await leg(report, server, { supportedProtocolVersions: [version] }, version, anyServer);
}
report.finish();
