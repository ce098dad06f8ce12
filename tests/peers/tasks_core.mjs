// Tasks of 2025-11-25, where they are part of the protocol: the checks that the Node drivers make.
import { setTimeout as sleep } from 'node:timers/promises';
import { WORDS, textOf } from './asks.mjs';
import { expectError, need, same, within } from './report.mjs';
import {
    CONFIRM,
    FAILED,
    HOUR_S,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    NAME,
    OVER,
    POLL_MS,
    PROTOCOL_FAILED,
    RELATED,
    SUPPORT,
    SURE,
    TTL_MS,
    Tasks
} from './tasks.mjs';

/** The checks for one leg. */
export class CoreTasks extends Tasks {
    checks() {
        return [
            ['task: the tools say what runs as a task', () => this.support()],
            ['task: its result is waited for while other calls go on', () => this.awaited()],
            ['task: its time to live is the one asked for', () => this.forgotten()],
            ['task: asks, and the answer reaches it', () => this.confirmed(CONFIRM, 'Deleted a.txt')],
            ['task: asks, and the user declines', () => this.confirmed({ action: 'decline' }, 'Kept a.txt')],
            ['task: asks two things', () => this.two()],
            ['task: asks first, and takes its time then', () => this.thenWorks()],
            ['task: fails', () => this.fails()],
            ['task: ends in a protocol error', () => this.breaks()],
            ['task: is cancelled', () => this.cancelled()],
            ['task: is cancelled while its result is waited for', () => this.cancelledAwaited()],
            ['task: is cancelled while its question is open', () => this.cancelledAsking()],
            ['task: 10 at once', () => this.parallel()],
            ['task: the list has all of them', () => this.listed()],
            ["task: nobody's id", () => this.unknownId(['get', 'result', 'cancel'])],
            ['task: a call that must be one, and one that cannot', () => this.misused()]
        ];
    }

    /** What the task came to, with the mark that says whose result it is. */
    async result(task) {
        const got = await this.peer.task('result', task);
        same(got._meta[RELATED], { taskId: task });
        return got;
    }

    outcome(task) {
        return this.result(task);
    }

    /** Waits until these states, the last of which ends the task, were told; those in quick succession are told as one. */
    async told(task, wanted) {
        const got = () => this.peer.statuses.filter(told => told.taskId === task).map(told => told.status);
        while (!wanted.every(status => got().includes(status))) await sleep(POLL_MS);
        same(got().filter(status => OVER.includes(status)), wanted.slice(-1));
    }

    async support() {
        const found = {};
        let cursor;
        do {
            const { tools, nextCursor } = await this.peer.list('tools', cursor);
            for (const tool of tools) found[tool.name] = tool.execution?.taskSupport ?? 'forbidden';
            cursor = nextCursor;
        } while (cursor !== undefined);
        for (const [name, support] of Object.entries(SUPPORT)) same([name, found[name]], [name, support]);
        same(found.echo, 'forbidden');
    }

    async awaited() {
        const task = await this.create('slow_compute', { seconds: 1, label: WORDS });
        same((await this.get(task)).status, 'working');
        const order = [];
        const waiting = this.result(task).then(result => {
            order.push('result');
            return result;
        });
        await this.echo();
        order.push('echo');
        same(textOf(await waiting), `${WORDS}: computed for 1 s`);
        same(order, ['echo', 'result']);
        const got = await this.get(task);
        same(got.status, 'completed');
        need(got.lastUpdatedAt > got.createdAt, `it was never changed: ${JSON.stringify(got)}`);
        same(textOf(await this.result(task)), `${WORDS}: computed for 1 s`);
        await this.told(task, ['completed']);
    }

    async forgotten() {
        const { taskId, ttl } = await this.peer.create('slow_compute', { seconds: 0 }, 300);
        same(ttl, 300);
        const lost = async () => {
            for (;;) {
                await this.get(taskId);
                await sleep(POLL_MS);
            }
        };
        await expectError(INVALID_PARAMS, lost());
    }

    async confirmed(answer, text) {
        this.host.expect({ elicit: () => answer }, 1, true);
        const task = await this.create('confirm_delete', { filename: 'a.txt' });
        await within(this.host.allThere);
        same((await this.get(task)).status, 'input_required');
        this.host.letGo();
        same(textOf(await this.result(task)), text);
        const { message, _meta } = this.host.one();
        same([message, _meta[RELATED]], [SURE, { taskId: task }]);
        await this.told(task, ['input_required', 'completed']);
    }

    async two() {
        const both = { [NAME]: { name: WORDS }, [SURE]: { confirm: true } };
        this.host.expect({ elicit: ({ message }) => ({ action: 'accept', content: both[message] }) }, 2);
        const task = await this.create('multi_input');
        same(textOf(await this.result(task)), `name: ${WORDS}, confirmed: true`);
        same(this.host.seen.map(([, { message }]) => message).sort(), Object.keys(both).sort());
    }

    async thenWorks() {
        this.host.expect({ elicit: () => ({ action: 'accept', content: { name: WORDS } }) });
        const task = await this.create('test_tool_with_task');
        same(textOf(await this.result(task)), `Hello, ${WORDS}!`);
        same((await this.get(task)).status, 'completed');
    }

    async fails() {
        const task = await this.create('failing_job');
        same(textOf(await this.result(task), true), FAILED);
        same((await this.get(task)).status, 'failed');
        await this.told(task, ['failed']);
    }

    async breaks() {
        const task = await this.create('protocol_error_job');
        const error = await expectError(INTERNAL_ERROR, this.peer.task('result', task));
        need(error.message.includes(PROTOCOL_FAILED), `got ${error.message}`);
        same((await this.get(task)).status, 'failed');
        await this.told(task, ['failed']);
    }

    async cancelled() {
        const before = await this.count();
        const task = await this.create('slow_compute', { seconds: HOUR_S });
        const got = await this.peer.task('cancel', task);
        same([got.taskId, got.status], [task, 'cancelled']);
        await this.counted(before + 1);
        same((await this.get(task)).status, 'cancelled');
        await expectError(INVALID_PARAMS, this.peer.task('cancel', task));
        await expectError(INVALID_REQUEST, this.peer.task('result', task));
        same((await this.get(task)).status, 'cancelled');
    }

    async cancelledAwaited() {
        const task = await this.create('slow_compute', { seconds: HOUR_S });
        const waiting = expectError(INVALID_REQUEST, this.peer.task('result', task));
        const [got] = await Promise.all([this.peer.task('cancel', task), waiting]);
        same(got.status, 'cancelled');
    }

    async cancelledAsking() {
        this.host.expect({ elicit: () => CONFIRM }, 1, true);
        const before = await this.count();
        const task = await this.create('confirm_delete', { filename: 'a.txt' });
        await within(this.host.allThere);
        same((await this.peer.task('cancel', task)).status, 'cancelled');
        await this.withdrawn();
        await this.echo();
        same((await this.get(task)).status, 'cancelled');
        await this.counted(before + 1);
    }

    async listed() {
        const made = [];
        for (let n = 0; n < 3; n += 1) made.push(await this.create('slow_compute', { seconds: 0 }));
        const found = [];
        let cursor;
        do {
            const { tasks, nextCursor } = await this.peer.list('tasks', cursor);
            found.push(...tasks.map(task => task.taskId));
            cursor = nextCursor;
        } while (cursor !== undefined);
        same(new Set(found).size, found.length);
        same(made.filter(task => !found.includes(task)), []);
    }

    async misused() {
        await expectError(METHOD_NOT_FOUND, this.peer.plainCall('failing_job', {}));
        await expectError(METHOD_NOT_FOUND, this.peer.create('echo', { text: 't' }, TTL_MS));
        same(await this.text('slow_compute', { seconds: 0 }), 'slow_compute: computed for 0 s');
    }
}
