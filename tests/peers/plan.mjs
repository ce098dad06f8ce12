// The checks every Node driver makes, written against a small interface so that both libraries share them.
//
// A driver hands over a `peer` with `host` (see asks.mjs), what tasks.mjs names, `reference` (the server is reference.py),
// `modern`, `version`, `logs`, `strays` and `hidesNotFound` (the library shows -32002 as -32602), and the methods list, call,
// read, get, complete, ping, setLevel, subscribe, unsubscribe, listen and start. Answers are the plain objects of the wire.
import { Asks } from './asks.mjs';
import { Bare } from './bare.mjs';
import { Large } from './large.mjs';
import { decode, expectError, need, same } from './report.mjs';
import { CORE, Tasks } from './tasks.mjs';
import { CoreTasks } from './tasks_core.mjs';
import { ExtensionTasks } from './tasks_extension.mjs';

const TOOLS = [
    'echo',
    'test_simple_text',
    'test_image_content',
    'test_audio_content',
    'test_embedded_resource',
    'test_multiple_content_types',
    'test_error_handling',
    'test_tool_with_logging',
    'test_tool_with_progress',
    'test_cancelled_count',
    'test_slow'
];
const PROMPTS = [
    'test_simple_prompt',
    'test_prompt_with_arguments',
    'test_prompt_with_embedded_resource',
    'test_prompt_with_image'
];
const LISTS = [
    ['tools', 'tools', 'name', TOOLS],
    ['prompts', 'prompts', 'name', PROMPTS],
    ['resources', 'resources', 'uri', ['test://static-text', 'test://static-binary', 'test://watched-resource']],
    ['templates', 'resourceTemplates', 'uriTemplate', ['test://template/{id}/data']]
];
const PAGE_CAP = 1000;
const LARGE_BYTES = 256 * 1024;
const NO_AUDIO = '2024-11-05';
const NOT_FOUND = -32002;
const INVALID_PARAMS = -32602;
const WATCHED = 'test://watched-resource';

/** Follows nextCursor to the end; a cursor that comes twice would be an endless list. */
async function everyPage(peer, kind, field) {
    const found = [];
    const seen = new Set();
    let cursor;
    for (let page = 0; page < PAGE_CAP; page += 1) {
        const answer = await peer.list(kind, cursor);
        found.push(...answer[field]);
        cursor = answer.nextCursor ?? undefined;
        if (cursor === undefined) return found;
        need(!seen.has(cursor), `cursor ${cursor} was handed out twice`);
        seen.add(cursor);
    }
    throw new Error(`more than ${PAGE_CAP} pages`);
}

function textOf(result) {
    same(result.content.map(block => block.type), ['text']);
    return result.content[0].text;
}

function isImage(block) {
    same([block.type, block.mimeType], ['image', 'image/png']);
    same(decode(block.data).subarray(1, 4).toString(), 'PNG');
}

function isText(uri, mimeType, text) {
    return block => same([block.uri, block.mimeType, block.text], [uri, mimeType, text]);
}

const CALLS = {
    test_simple_text: r => same(textOf(r), 'This is a simple text response for testing.'),
    test_image_content: r => isImage(r.content[0]),
    test_audio_content: r => {
        same([r.content[0].type, r.content[0].mimeType], ['audio', 'audio/wav']);
        same(decode(r.content[0].data).subarray(0, 4).toString(), 'RIFF');
    },
    test_embedded_resource: r =>
        isText('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')(r.content[0].resource),
    test_multiple_content_types: r => {
        const [text, image, resource] = r.content;
        same([text.type, text.text], ['text', 'Multiple content types test:']);
        isImage(image);
        same([resource.type, resource.resource.uri], ['resource', 'test://mixed-content-resource']);
        same(resource.resource.mimeType, 'application/json');
        same(JSON.parse(resource.resource.text), { test: 'data', value: 123 });
    },
    test_error_handling: r => same(textOf(r), 'This tool intentionally returns an error for testing')
};

const READS = {
    'static-text': [
        'test://static-text',
        'text/plain',
        item => same(item.text, 'This is the content of the static text resource.')
    ],
    'static-binary': [
        'test://static-binary',
        'image/png',
        item => same(decode(item.blob).subarray(1, 4).toString(), 'PNG')
    ],
    template: [
        'test://template/123/data',
        'application/json',
        item => same(JSON.parse(item.text), { id: '123', templateTest: true, data: 'Data for ID: 123' })
    ]
};

const GETS = {
    test_simple_prompt: [{}, c => same(c.map(b => b.text), ['This is a simple prompt for testing.'])],
    test_prompt_with_arguments: [
        { arg1: 'testValue1', arg2: 'testValue2' },
        c => same(c.map(b => b.text), ["Prompt with arguments: arg1='testValue1', arg2='testValue2'"])
    ],
    test_prompt_with_embedded_resource: [
        { resourceUri: 'test://example-resource' },
        ([resource, text]) => {
            const body = 'Embedded resource content for testing.';
            isText('test://example-resource', 'text/plain', body)(resource.resource);
            same(text.text, 'Please process the embedded resource above.');
        }
    ],
    test_prompt_with_image: [
        {},
        ([image, text]) => {
            isImage(image);
            same(text.text, 'Please analyze the image above.');
        }
    ]
};

/** One leg: the checks for one server process and one revision. */
export class Plan {
    constructor(report, peer) {
        this.report = report;
        this.peer = peer;
    }

    /** The checks that hold for any server. */
    async runAny() {
        const { peer, report } = this;
        await report.check('tools/list ends', async () => {
            need((await everyPage(peer, 'tools', 'tools')).length > 0, 'the list is empty');
        });
        if (!peer.modern) await report.check('ping', () => this.ping());
    }

    /** The checks of a client that declares nothing. */
    async runBare() {
        await new Bare(this.report, this.peer).run();
    }

    /** All checks against the fixture server. */
    async run() {
        const check = (name, body) => this.report.check(name, body);
        for (const list of LISTS) await check(`list ${list[0]}`, () => this.listHolds(...list));
        for (const name of Object.keys(CALLS)) await check(`call ${name}`, () => this.call(name));
        await check('call echo keeps every kind of text', () => this.echoTexts());
        await check('call echo of 256 KiB', () => this.echoLarge());
        await check('call of an unknown tool', () => expectError(INVALID_PARAMS, this.peer.call('no_such_tool', {})));
        await check('progress 0, 50, 100 of 100', () => this.progress());
        await this.runLogging(check);
        for (const name of Object.keys(READS)) await check(`read ${name}`, () => this.read(name));
        await check('read of an unknown uri', () => this.readUnknown());
        for (const name of PROMPTS) await check(`get ${name}`, () => this.get(name));
        await check('get without a required argument', () =>
            expectError(INVALID_PARAMS, this.peer.get('test_prompt_with_arguments', { arg1: 'only' }))
        );
        await check('get of an unknown prompt', () => expectError(INVALID_PARAMS, this.peer.get('no_such_prompt', {})));
        await check('complete arg1', () => this.complete());
        await this.runSubscriptions(check);
        await check('cancel ends a running call', () => this.cancel());
        await check('20 parallel calls, slow and quick', () => this.parallel(10, 10));
        await check('20 parallel slow calls', () => this.parallel(20, 0));
        await new Asks(this.report, this.peer).run();
        if (!this.peer.reference) await this.tasks().run();
        await new Large(this.report, this.peer).run();
        await check('nothing arrived unasked', async () => same(this.peer.strays, []));
    }

    /** The checks of tasks in the peer's revision. */
    tasks() {
        const { modern, version } = this.peer;
        const Checks = modern ? ExtensionTasks : version === CORE ? CoreTasks : Tasks;
        return new Checks(this.report, this.peer);
    }

    async runLogging(check) {
        if (this.peer.modern) {
            await check('log level of one request', () => this.logging('info', true));
            await check('no logs without a level', () => this.logging(undefined, false));
            await check('no logs below the level', () => this.logging('error', false));
        } else {
            await check('ping', () => this.ping());
            await check('setLevel debug lets logs pass', () => this.logging('debug', true));
            await check('setLevel error stops logs', () => this.logging('error', false));
            await check('setLevel info lets logs pass again', () => this.logging('info', true));
        }
    }

    async runSubscriptions(check) {
        if (this.peer.modern) {
            await check('listen is acknowledged and ends', () => this.peer.listen(WATCHED));
        } else {
            await check('subscribe', () => this.empty(this.peer.subscribe(WATCHED)));
            await check('unsubscribe', () => this.empty(this.peer.unsubscribe(WATCHED)));
        }
    }

    async empty(answer) {
        const { _meta, ...rest } = await answer;
        same(rest, {});
    }

    ping() {
        return this.empty(this.peer.ping());
    }

    async listHolds(kind, field, key, names) {
        const items = await everyPage(this.peer, kind, field);
        const found = items.map(item => item[key]);
        same(new Set(found).size, found.length);
        same(names.filter(name => !found.includes(name)), []);
        for (const item of items) {
            need(item.description, `${item[key]} has no description`);
            if (kind === 'tools') same(item.inputSchema.type, 'object');
        }
    }

    async call(name) {
        const result = await this.peer.call(name, {});
        same(result.isError ?? false, name === 'test_error_handling');
        if (name === 'test_audio_content' && this.peer.version === NO_AUDIO) {
            // That revision has no audio blocks; a server may send one all the same, or one it does have.
            const { type } = result.content[0];
            need(['audio', 'text', 'image', 'resource'].includes(type), `block type ${type}`);
            return;
        }
        CALLS[name](result);
    }

    async echoTexts() {
        const texts = ['', 'plain', 'quote " backslash \\ slash /', 'tab\tline\nreturn\r\u0000\u001f', 'ä € 𝄞 \u2028 \ufeff'];
        for (const text of texts) same(textOf(await this.peer.call('echo', { text })), text);
    }

    async echoLarge() {
        const text = '0123456789abcde\n'.repeat(LARGE_BYTES / 16);
        need(textOf(await this.peer.call('echo', { text })) === text, 'the text came back changed');
    }

    async progress() {
        const got = [];
        const onprogress = ({ progress, total }) => got.push([progress, total]);
        need(textOf(await this.peer.call('test_tool_with_progress', {}, { onprogress })), 'no text');
        same(got, [[0, 100], [50, 100], [100, 100]]);
    }

    async logging(level, expected) {
        const { peer } = this;
        if (!peer.modern) await this.empty(peer.setLevel(level));
        peer.logs.length = 0;
        await peer.call('test_tool_with_logging', {}, peer.modern ? { level } : {});
        // Logs are written before the answer, so a later answer proves that all of them have arrived.
        await peer.call('test_simple_text', {});
        const texts = ['Tool execution started', 'Tool processing data', 'Tool execution completed'];
        same(peer.logs.map(log => [log.level, log.data]), expected ? texts.map(text => ['info', text]) : []);
    }

    async read(name) {
        const [uri, mimeType, body] = READS[name];
        const { contents } = await this.peer.read(uri);
        same(contents.map(item => [item.uri, item.mimeType]), [[uri, mimeType]]);
        body(contents[0]);
    }

    async readUnknown() {
        const uri = 'test://no-such-resource';
        const code = this.peer.modern || this.peer.hidesNotFound ? INVALID_PARAMS : NOT_FOUND;
        const error = await expectError(code, this.peer.read(uri));
        same(error.data?.uri, uri);
    }

    async get(name) {
        const [args, body] = GETS[name];
        const { messages } = await this.peer.get(name, args);
        for (const { role } of messages) need(['user', 'assistant'].includes(role), `role ${role}`);
        body(messages.map(message => message.content));
    }

    async complete() {
        const { completion } = await this.peer.complete('test_prompt_with_arguments', 'arg1', 'par');
        need(completion.values.length <= 100, 'more than 100 values');
        need(completion.values.every(value => typeof value === 'string'), 'a value is no string');
    }

    async cancelledCount() {
        const text = textOf(await this.peer.call('test_cancelled_count', {}));
        const digits = /^cancelled: (\d+)$/.exec(text);
        need(digits, `unexpected text ${text}`);
        return Number(digits[1]);
    }

    async cancel() {
        const before = await this.cancelledCount();
        const running = this.peer.start('test_slow', { ms: 120_000 }, 120_000);
        // Requests are read in order: this answer proves that the slow call has begun.
        same(textOf(await this.peer.call('echo', { text: 'begun' })), 'begun');
        await running.cancel();
        let count = before;
        while (count === before) count = await this.cancelledCount();
        same(count, before + 1);
    }

    async parallel(slow, quick) {
        // Later calls are shorter, so the answers come back in another order than the requests.
        const jobs = Array.from({ length: slow }, (_, i) => ['test_slow', { ms: 300 - 10 * i }, `slow: ${300 - 10 * i}`]);
        for (let i = 0; i < quick; i += 1) jobs.push(['echo', { text: `text ${i}` }, `text ${i}`]);
        const got = await Promise.all(jobs.map(async ([name, args]) => textOf(await this.peer.call(name, args))));
        same(got, jobs.map(job => job[2]));
    }
}
