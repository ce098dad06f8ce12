// Tasks of 2026-07-28, the extension io.modelcontextprotocol/tasks: the checks that the Node drivers make.
import { WORDS, textOf } from './asks.mjs';
import { need, same } from './report.mjs';
import {
    CONFIRM,
    FAILED,
    HOUR_S,
    INTERNAL_ERROR,
    NAME,
    PROTOCOL_FAILED,
    SURE,
    Tasks
} from './tasks.mjs';

/** An answer that says nothing but that the request has arrived. */
function isEmpty({ _meta, resultType, ...rest }) {
    same(rest, {});
}

/** The checks for one leg. */
export class ExtensionTasks extends Tasks {
    checks() {
        return [
            ['task: runs, and its result is found in it', () => this.found()],
            ['task: asks, and the answer reaches it', () => this.updated(CONFIRM, 'Deleted a.txt')],
            ['task: asks, and the user declines', () => this.updated({ action: 'decline' }, 'Kept a.txt')],
            ['task: asks two things, answered one by one', () => this.oneByOne()],
            ['task: asks first, and becomes one then', () => this.asksFirst()],
            ['task: fails', () => this.failsInside()],
            ['task: ends in a protocol error', () => this.breaksInside()],
            ['task: is cancelled', () => this.cancelledModern()],
            ['task: is cancelled while its question is open', () => this.cancelledOpen()],
            ['task: 10 at once', () => this.parallel()],
            ["task: nobody's id", () => this.unknownId(['get', 'update', 'cancel'])]
        ];
    }

    async found() {
        const task = await this.create('slow_compute', { seconds: 1, label: WORDS });
        need(!('result' in (await this.get(task))), 'a result before the end');
        const got = await this.until(task, 'completed');
        same(textOf(got.result), `${WORDS}: computed for 1 s`);
        need(got.lastUpdatedAt > got.createdAt, `it was never changed: ${JSON.stringify(got)}`);
    }

    /** What the task came to. */
    async outcome(task) {
        return (await this.until(task, 'completed')).result;
    }

    /** What the task asks, as pairs of a key and a message. */
    async questions(task) {
        const { inputRequests } = await this.until(task, 'input_required');
        return Object.entries(inputRequests).map(([key, { method, params }]) => {
            same(method, 'elicitation/create');
            return [key, params.message];
        });
    }

    async update(task, inputResponses) {
        isEmpty(await this.peer.task('update', task, { inputResponses }));
    }

    async updated(answer, text) {
        const task = await this.create('confirm_delete', { filename: 'a.txt' });
        const asked = await this.questions(task);
        same(asked.map(([, message]) => message), [SURE]);
        await this.update(task, { 'no such key': CONFIRM, [asked[0][0]]: answer });
        same(textOf((await this.until(task, 'completed')).result), text);
    }

    async oneByOne() {
        const task = await this.create('multi_input');
        const keys = Object.fromEntries((await this.questions(task)).map(([key, message]) => [message, key]));
        same(Object.keys(keys).sort(), [SURE, NAME]);
        await this.update(task, { [keys[NAME]]: { action: 'accept', content: { name: WORDS } } });
        same(await this.questions(task), [[keys[SURE], SURE]]);
        await this.update(task, { [keys[SURE]]: CONFIRM });
        same(textOf((await this.until(task, 'completed')).result), `name: ${WORDS}, confirmed: true`);
    }

    async asksFirst() {
        this.host.expect({ elicit: () => ({ action: 'accept', content: { name: WORDS } }) });
        const task = await this.create('test_tool_with_task');
        same(this.host.one().message, NAME);
        same(textOf((await this.until(task, 'completed')).result), `Hello, ${WORDS}!`);
    }

    async failsInside() {
        const got = await this.until(await this.create('failing_job'), 'completed');
        same(textOf(got.result, true), FAILED);
    }

    async breaksInside() {
        const { error } = await this.until(await this.create('protocol_error_job'), 'failed');
        same([error.code, error.message], [INTERNAL_ERROR, PROTOCOL_FAILED]);
    }

    async cancelledModern() {
        const before = await this.count();
        const task = await this.create('slow_compute', { seconds: HOUR_S });
        isEmpty(await this.peer.task('cancel', task));
        await this.until(task, 'cancelled');
        await this.counted(before + 1);
        isEmpty(await this.peer.task('cancel', task));
    }

    async cancelledOpen() {
        const before = await this.count();
        const task = await this.create('confirm_delete', { filename: 'a.txt' });
        const [[key]] = await this.questions(task);
        isEmpty(await this.peer.task('cancel', task));
        need(!('inputRequests' in (await this.until(task, 'cancelled'))), 'it still asks');
        await this.update(task, { [key]: CONFIRM });
        same((await this.get(task)).status, 'cancelled');
        await this.counted(before + 1);
    }
}
