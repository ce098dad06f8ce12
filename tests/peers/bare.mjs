// A client that declares nothing: the checks that the Node drivers make.
import { textOf } from './asks.mjs';
import { expectError, need, same } from './report.mjs';
import { EXTENSION, NOBODY } from './tasks.mjs';

const MISSING_CAPABILITY = -32021;
const OUT_OF_REACH = ['this revision of the protocol does not have', 'the client did not declare'];

/** The checks for one leg. */
export class Bare {
    constructor(report, peer) {
        this.report = report;
        this.peer = peer;
    }

    async run() {
        const asks = [
            ['the user', 'test_elicitation', { message: 'm' }, { elicitation: {} }],
            ['the model', 'test_sampling', { prompt: 'p' }, { sampling: {} }],
            ['for the roots', 'test_list_roots', {}, { roots: {} }]
        ];
        const check = (name, body) => this.report.check(name, body);
        for (const [name, tool, args, needed] of asks) {
            await check(`asks ${name}, who is not there`, () => this.refused(tool, args, needed));
        }
        await check('asks what can be asked', async () => {
            same(textOf(await this.peer.call('test_input_required_result_capabilities', {})), 'answers: 0');
        });
        if (this.peer.modern) {
            await check('task: none without the extension', () => this.noExtension());
        }
        await check('nothing arrived unasked', async () => same(this.peer.strays, []));
    }

    async missing(answer, needed) {
        const { data } = await expectError(MISSING_CAPABILITY, answer);
        same(Object.keys(data.requiredCapabilities), Object.keys(needed));
        for (const [name, inner] of Object.entries(needed)) {
            same(Object.keys(inner).filter(key => !(key in data.requiredCapabilities[name])), []);
        }
    }

    async refused(tool, args, needed) {
        if (this.peer.modern) {
            await this.missing(this.peer.call(tool, args), needed);
            return;
        }
        const text = textOf(await this.peer.call(tool, args), true);
        need(OUT_OF_REACH.some(why => text.includes(why)), `got ${text}`);
    }

    async noExtension() {
        const needed = { extensions: { [EXTENSION]: {} } };
        await this.missing(this.peer.call('failing_job', {}), needed);
        for (const method of ['get', 'cancel', 'update']) {
            const more = method === 'update' ? { inputResponses: {} } : {};
            await this.missing(this.peer.task(method, NOBODY, more), needed);
        }
        const got = textOf(await this.peer.call('slow_compute', { seconds: 0 }));
        same(got, 'slow_compute: computed for 0 s');
    }
}
