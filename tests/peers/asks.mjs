// The checks of calls that ask their client, and the client's side of them: a user, a model and a workspace.
//
// A driver hands over a `peer` as for plan.mjs, with `host` more: the `Host` whose answers its request handlers give.
import { need, same, within } from './report.mjs';

const FORMS_FROM = '2025-06-18';
const CHOICES_FROM = '2025-11-25';
const REJECTED = -1;
export const WORDS = 'Zoë "Z" \\ 𝄞\n\u2028 end';
const ROOTS = [
    { uri: 'file:///a', name: 'A' },
    { uri: 'file:///b%20c' }
];
const DEFAULTS = { name: 'John Doe', age: 30, score: 95.5, status: 'active', verified: true };
const CHOICES = {
    untitledSingle: 'option2',
    titledSingle: 'value1',
    legacyEnum: 'opt3',
    untitledMulti: ['option1', 'option3'],
    titledMulti: ['value2']
};
const NAME = 'What is your name?';
const COLOR = 'What is your favorite color?';
const TOGETHER_MS = 20_000;
const BROKEN = 'the handler is broken';

/** What the drivers declare; the host has an answer for each. */
export const CAPABILITIES = { elicitation: { form: {}, url: {} }, roots: { listChanged: true }, sampling: {} };

const accept = content => ({ action: 'accept', content });
const filledIn = content => () => accept(content);
const chosen = action => () => ({ action });
const promptOf = params => params.messages[0].content.text;
const said = text => ({ role: 'assistant', model: 'm-1', stopReason: 'endTurn', content: { type: 'text', text } });
const echoed = params => said(`re: ${promptOf(params)}`);

function broken() {
    throw new Error(BROKEN);
}

/** A user who does not let the model run. */
function rejects() {
    throw Object.assign(new Error('User rejected sampling request'), { code: REJECTED });
}

/** Answers what the server asks, as the running check wants it, and keeps what was asked. */
export class Host {
    constructor() {
        this.expect({});
    }

    /**
     * Sets the answers (`elicit`, `sample`, `roots`); none is given before `together` questions are there, and one that is
     * held not before it is let go.
     */
    expect(answers, together = 1, held = false) {
        this.answers = { roots: () => ({ roots: ROOTS }), ...answers };
        this.seen = [];
        this.together = together;
        this.allThere = new Promise(resolve => {
            this.release = resolve;
        });
        this.letGoOf = new Promise(resolve => {
            this.letGo = resolve;
        });
        this.gone = new Promise(resolve => {
            this.withdraw = resolve;
        });
        if (!held) this.letGo();
    }

    /** What the client's side says to one question; `signal` says that it is not asked any more. */
    async answer(kind, params, signal) {
        const stopped = new Promise((_, reject) => {
            signal.addEventListener('abort', () => {
                this.withdraw();
                reject(new Error('not asked any more'));
            });
        });
        this.seen.push([kind, params]);
        if (this.seen.length >= this.together) this.release();
        await within(Promise.race([Promise.all([this.allThere, this.letGoOf]), stopped]), TOGETHER_MS);
        need(this.answers[kind], `${kind} was not to be asked`);
        return this.answers[kind](params);
    }

    kinds() {
        return this.seen.map(([kind]) => kind);
    }

    /** What was asked, when it was one thing. */
    one() {
        same(this.seen.length, 1);
        return this.seen[0][1];
    }
}

/** The text of a result that is one text block. */
export function textOf(result, isError = false) {
    same(result.isError ?? false, isError);
    same(result.content.map(block => block.type), ['text']);
    return result.content[0].text;
}

/** What was filled in, as the tool repeats it. */
function contentOf(text, what) {
    const start = `${what}: action=accept, content=`;
    need(text.startsWith(start), `got ${text.slice(0, 300)}`);
    return JSON.parse(text.slice(start.length));
}

/** The error that a call ends with. */
async function errorOf(answer) {
    const got = await answer.then(
        result => ({ result }),
        error => ({ error })
    );
    need(got.error !== undefined, `no error but ${JSON.stringify(got.result)?.slice(0, 200)}`);
    return got.error;
}

/** The checks for one leg. */
export class Asks {
    constructor(report, peer) {
        this.report = report;
        this.peer = peer;
        this.host = peer.host;
    }

    async run() {
        for (const [name, body] of [...this.always(), ...this.withForms()]) await this.report.check(name, body);
    }

    always() {
        return [
            ['ask the model', () => this.sampling()],
            ['ask the model a fixed question', () => this.capital()],
            ['ask the model, and the user says no', () => this.rejected()],
            ['ask the model, and its handler breaks', () => this.brokenModel()],
            ['ask for the roots, and count them', () => this.countRoots()],
            ['ask for the roots, and name them', () => this.nameRoots()],
            ['ask what the client can be asked', () => this.capable()]
        ];
    }

    withForms() {
        const { version } = this.peer;
        if (version < FORMS_FROM) {
            return [['a form is out of reach', () => this.outOfReach('test_elicitation', { message: 'm' })]];
        }
        const checks = [
            ['ask the user, who fills in the form', () => this.form()],
            ['ask the user, who declines', () => this.decided('decline')],
            ['ask the user, who cancels', () => this.decided('cancel')],
            ['ask the user, who fills in what does not fit', () => this.misfit()],
            ['ask the user, and the handler breaks', () => this.brokenForm()],
            ['ask the user from a prompt', () => this.prompt()],
            ['ask, and carry state', () => this.state()],
            ['ask three things at once', () => this.several()],
            ['ask in two rounds', () => this.rounds()],
            ['ask in two rounds, and the second is declined', () => this.half()],
            ['10 calls that ask at the same time', () => this.parallel()]
        ];
        if (version < CHOICES_FROM) {
            return [...checks, ['a URL is out of reach', () => this.outOfReach('test_elicitation_url')]];
        }
        return [
            ...checks,
            ['ask the user, who takes the defaults', () => this.defaults()],
            ['ask the user to choose', () => this.choices()],
            ['ask the user to open a URL, and it is done', () => this.url('accept')],
            ['ask the user to open a URL, which is declined', () => this.url('decline')],
            ['ask the user to open a URL, which is cancelled', () => this.url('cancel')]
        ];
    }

    async text(name, args = {}, isError = false) {
        return textOf(await this.peer.call(name, args), isError);
    }

    async sampling() {
        this.host.expect({ sample: echoed });
        same(await this.text('test_sampling', { prompt: WORDS }), `LLM response: re: ${WORDS}`);
        const params = this.host.one();
        same([promptOf(params), params.messages[0].role, params.maxTokens], [WORDS, 'user', 100]);
    }

    async capital() {
        this.host.expect({ sample: () => said('Paris') });
        same(await this.text('test_input_required_result_sampling'), 'Paris');
        same(promptOf(this.host.one()), 'What is the capital of France?');
    }

    async rejected() {
        this.host.expect({ sample: rejects });
        if (this.peer.modern) {
            // There is nothing to send a refusal in, so the library ends the call.
            same((await errorOf(this.peer.call('test_sampling', { prompt: 'p' }))).code, REJECTED);
        } else {
            same(await this.text('test_sampling', { prompt: 'p' }, true), 'No answer: The user declined.');
        }
    }

    /** A handler that breaks reaches the tool as an error of the client's; in 2026-07-28 it ends the call. */
    async breaks(name, args, start, isError) {
        if (this.peer.modern) {
            const error = await errorOf(this.peer.call(name, args));
            need(String(error.message).includes(BROKEN), `another error: ${error}`);
        } else {
            const want = `${start}The client answered with error -32603: ${BROKEN}`;
            same(await this.text(name, args, isError), want);
        }
        this.host.one();
        same(await this.text('echo', { text: 'still here' }), 'still here');
    }

    brokenModel() {
        this.host.expect({ sample: broken });
        return this.breaks('test_sampling', { prompt: 'p' }, 'No answer: ', true);
    }

    brokenForm() {
        this.host.expect({ elicit: broken });
        return this.breaks('test_elicitation', { message: 'm' }, 'User response: action=failed, ', false);
    }

    async countRoots() {
        this.host.expect({});
        same(await this.text('test_list_roots'), 'roots: 2');
        same(this.host.kinds(), ['roots']);
    }

    async nameRoots() {
        this.host.expect({});
        const got = await this.text('test_input_required_result_list_roots');
        same(got, "The client's roots: file:///a file:///b%20c");
    }

    async capable() {
        this.host.expect({ elicit: filledIn({ name: 'Ada' }), sample: echoed });
        const kinds = this.peer.version >= FORMS_FROM ? ['elicit', 'roots', 'sample'] : ['roots', 'sample'];
        same(await this.text('test_input_required_result_capabilities'), `answers: ${kinds.length}`);
        same(this.host.kinds().sort(), kinds);
    }

    async outOfReach(name, args) {
        this.host.expect({});
        const text = await this.text(name, args, true);
        need(text.includes('this revision of the protocol does not have'), `got ${text.slice(0, 300)}`);
        same(this.host.seen, []);
    }

    async form() {
        const content = { username: WORDS, email: 'zoe@example.com' };
        this.host.expect({ elicit: filledIn(content) });
        const got = await this.text('test_elicitation', { message: WORDS });
        same(contentOf(got, 'User response'), content);
        const { message, requestedSchema: schema } = this.host.one();
        same([message, schema.type, [...schema.required].sort()], [WORDS, 'object', ['email', 'username']]);
        for (const name of Object.keys(content)) same(schema.properties[name].type, 'string');
    }

    async decided(action) {
        this.host.expect({ elicit: chosen(action) });
        same(await this.text('test_elicitation', { message: 'm' }), `User response: action=${action}`);
    }

    async misfit() {
        this.host.expect({ elicit: filledIn({ username: 7, email: 'a@example.com' }) });
        const got = await this.text('test_elicitation', { message: 'm' });
        const why = 'The client\'s answer is not valid: "username" must be a text.';
        same(got, `User response: action=invalid, ${why}`);
    }

    async prompt() {
        this.host.expect({ elicit: filledIn({ context: WORDS }) });
        const { messages } = await this.peer.get('test_input_required_result_prompt', {});
        same(messages.map(({ role, content }) => [role, content.text]), [['user', `Use this context: ${WORDS}`]]);
    }

    async state() {
        this.host.expect({ elicit: filledIn({ ok: true }) });
        same(await this.text('test_input_required_result_request_state'), 'state-ok');
    }

    async several() {
        this.host.expect({ elicit: filledIn({ name: WORDS }), sample: () => said('Paris') }, 3);
        const got = await this.text('test_input_required_result_multiple_inputs');
        same([got, this.host.kinds().sort()], [`${WORDS}; Paris; roots: 2`, ['elicit', 'roots', 'sample']]);
    }

    async rounds() {
        const contents = { [NAME]: { name: WORDS }, [COLOR]: { color: 'blue' } };
        this.host.expect({ elicit: ({ message }) => accept(contents[message]) });
        same(await this.text('test_input_required_result_multi_round'), `${WORDS} likes blue.`);
        same(this.host.seen.map(([, { message }]) => message), [NAME, COLOR]);
    }

    async half() {
        this.host.expect({
            elicit: ({ message }) => (message === NAME ? accept({ name: 'Ada' }) : { action: 'decline' })
        });
        same(await this.text('test_input_required_result_multi_round', {}, true), 'A question was declined');
        same(this.host.seen.length, 2);
    }

    async parallel() {
        const user = ({ message }) => accept({ username: message, email: 'e' });
        this.host.expect({ elicit: user, sample: echoed }, 10);
        const calls = Array.from({ length: 10 }, async (_, n) => {
            if (n % 2 === 0) {
                same(await this.text('test_sampling', { prompt: `call ${n}` }), `LLM response: re: call ${n}`);
            } else {
                const got = await this.text('test_elicitation', { message: `call ${n}` });
                same(contentOf(got, 'User response').username, `call ${n}`);
            }
        });
        await Promise.all(calls);
    }

    async defaults() {
        const answer = ({ requestedSchema: { properties } }) =>
            accept(Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, field.default])));
        this.host.expect({ elicit: answer });
        const got = await this.text('test_elicitation_sep1034_defaults');
        same(contentOf(got, 'Elicitation completed'), DEFAULTS);
    }

    async choices() {
        this.host.expect({ elicit: filledIn(CHOICES) });
        const got = await this.text('test_elicitation_sep1330_enums');
        same(contentOf(got, 'Elicitation completed'), CHOICES);
        same(Object.keys(this.host.one().requestedSchema.properties).sort(), Object.keys(CHOICES).sort());
    }

    async url(action) {
        this.host.expect({ elicit: chosen(action) });
        const content = action === 'accept' ? ', content={}' : '';
        const got = await this.text('test_elicitation_url');
        same(got, `Elicitation completed: action=${action}${content}`);
        const { mode, url, elicitationId } = this.host.one();
        same([mode, url], ['url', 'https://example.com/sign-in']);
        if (!this.peer.modern) same(elicitationId, 'sign-in-1');
    }
}
