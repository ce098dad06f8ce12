// npm @modelcontextprotocol/sdk 1.32.2 against a stdio server: the handshake with each revision it knows.
import { CAPABILITIES, Host } from './asks.mjs';
import { Plan } from './plan.mjs';
import { CHECK_MS, Report, Witness, commandLine, installed, need, same, within } from './report.mjs';

const from = path => import(new URL(`@modelcontextprotocol/sdk/dist/esm/${path}`, installed('ts-old')));
const { Client } = await from('client/index.js');
const { StdioClientTransport } = await from('client/stdio.js');
const { CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema, LoggingMessageNotificationSchema } =
    await from('types.js');

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
    constructor(client, host, version, strays, logs) {
        this.client = client;
        this.host = host;
        this.version = version;
        this.modern = false;
        this.hidesNotFound = false;
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

    startSlow(ms) {
        const controller = new AbortController();
        const options = { signal: controller.signal, timeout: ms };
        const ended = this.client.callTool({ name: 'test_slow', arguments: { ms } }, undefined, options).then(
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
async function leg(report, server, version, anyServer) {
    const witness = new Witness();
    const strays = [];
    const logs = [];
    const host = new Host();
    const client = new Client({ name: 'ts_old', version: '1' }, { capabilities: CAPABILITIES });
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => host.answer('elicit', params));
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => host.answer('sample', params));
    client.setRequestHandler(ListRootsRequestSchema, () => host.answer('roots', {}));
    const transport = new PinnedTransport(witness.command(server), version);
    client.onerror = error => strays.push(String(error.message));
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logs.push(params));
    let pid;
    try {
        await within(client.connect(transport));
        pid = transport.pid;
        same(transport.chosen, version);
        need(client.getServerVersion()?.name, 'the server did not name itself');
        report.line('connect');
        const plan = new Plan(report, new Peer(client, host, version, strays, logs));
        await (anyServer ? plan.runAny() : plan.run());
    } catch (error) {
        report.line('connect', error);
    }
    await within(client.close(), CHECK_MS).catch(error => report.line('close', error));
    if (pid !== undefined) await report.check('server leaves when its input ends', async () => witness.leftByItself(pid));
    witness.forget();
}

const { anyServer, server } = commandLine('ts_old.mjs');
const report = new Report('ts_old');
for (const version of HANDSHAKE) {
    report.leg = `handshake/${version}`;
    await leg(report, server, version, anyServer);
}
report.finish();
