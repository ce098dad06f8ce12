// Calls that run as tasks, as far as revisions have them in common, and calls given up while their question is open: the
// checks that the Node drivers make.
//
// A driver hands over a `peer` as for asks.mjs, with more: `statuses` (array), what notifications/tasks/status said; `follows`:
// the library can run a call as a task to its end by itself; and the methods create (a call as a task), task (a method of
// tasks: `get`, `result`, `cancel` or `update`), follow, and plainCall (a call as it is, without the library's own checks).
// `list` knows `tasks` too.
import { setTimeout as sleep } from 'node:timers/promises';
import { WORDS, textOf } from './asks.mjs';
import { expectError, need, same, within } from './report.mjs';

export const CORE = '2025-11-25';
export const EXTENSION = 'io.modelcontextprotocol/tasks';
export const RELATED = 'io.modelcontextprotocol/related-task';
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
export const OVER = ['completed', 'failed', 'cancelled'];
export const SUPPORT = {
    slow_compute: 'optional',
    failing_job: 'required',
    protocol_error_job: 'required',
    confirm_delete: 'required',
    multi_input: 'required',
    test_tool_with_task: 'required'
};
export const NOBODY = '0'.repeat(32);
export const TTL_MS = 60_000;
export const HOUR_S = 3600;
export const POLL_MS = 20;
export const SURE = 'Are you sure?';
export const NAME = 'What is your name?';
export const CONFIRM = { action: 'accept', content: { confirm: true } };
export const FAILED = 'The job failed, as it always does';
export const PROTOCOL_FAILED = 'The job broke the protocol, as it always does';

/** What holds in every revision. */
export class Tasks {
    constructor(report, peer) {
        this.report = report;
        this.peer = peer;
        this.host = peer.host;
    }

    async run() {
        await this.report.check('give up a call while its question is open', () => this.giveUp());
        for (const [name, body] of [...this.checks(), ...this.followed()]) await this.report.check(name, body);
    }

    /** The checks of the revision. */
    checks() {
        return [['task: there are none in this revision', () => this.none()]];
    }

    followed() {
        if (!this.peer.follows || this.peer.version < CORE) return [];
        return [
            ['task: followed by the library', () => this.follow('slow_compute', { seconds: 1, label: WORDS })],
            ['task: followed by the library, and asks', () => this.follow('confirm_delete', { filename: WORDS })]
        ];
    }

    async text(name, args = {}, isError = false) {
        return textOf(await this.peer.call(name, args), isError);
    }

    async echo() {
        same(await this.text('echo', { text: 'still here' }), 'still here');
    }

    async count() {
        return Number((await this.text('test_cancelled_count')).replace('cancelled: ', ''));
    }

    /** Waits until that many calls were cancelled. */
    async counted(want) {
        let got = await this.count();
        while (got < want) got = await this.count();
        same(got, want);
    }

    /** Makes a task, and gives its id. */
    async create(name, args = {}, ttl = TTL_MS) {
        const task = await this.peer.create(name, args, ttl);
        need(task.taskId.length >= 16, `the id ${task.taskId} can be guessed`);
        same(task.status, 'working');
        need(task.lastUpdatedAt >= task.createdAt, `it was changed before it was made: ${JSON.stringify(task)}`);
        for (const key of this.peer.modern ? ['ttlMs', 'pollIntervalMs'] : ['ttl', 'pollInterval']) {
            need(task[key] > 0, `no ${key}: ${JSON.stringify(task)}`);
        }
        return task.taskId;
    }

    async get(task) {
        const got = await this.peer.task('get', task);
        same(got.taskId, task);
        return got;
    }

    /** Polls until the task is in this state. */
    async until(task, status) {
        let got = await this.get(task);
        while (got.status !== status) {
            need(!OVER.includes(got.status), `the task is over: ${JSON.stringify(got)}`);
            await sleep(POLL_MS);
            got = await this.get(task);
        }
        return got;
    }

    async giveUp() {
        this.host.expect({ sample: () => ({}) }, 1, true);
        const before = await this.count();
        const running = this.peer.start('test_sampling', { prompt: 'p' });
        await within(this.host.allThere);
        await running.cancel();
        await this.withdrawn();
        same(this.host.kinds(), ['sample']);
        await this.echo();
        // In 2026-07-28 the call was over when it asked: there is nothing at the server to stop.
        await this.counted(before + (this.peer.modern ? 0 : 1));
    }

    /** Waits until the server has taken back its question. */
    async withdrawn() {
        await within(this.host.gone);
        this.host.letGo();
    }

    async none() {
        same(await this.text('slow_compute', { seconds: 0 }), 'slow_compute: computed for 0 s');
        same(await this.text('failing_job', {}, true), FAILED);
        await expectError(METHOD_NOT_FOUND, this.peer.task('get', NOBODY));
    }

    async parallel() {
        const one = async (_, n) => {
            const task = await this.create('slow_compute', { seconds: n % 2, label: `task ${n}` });
            same(textOf(await this.outcome(task)), `task ${n}: computed for ${n % 2} s`);
        };
        await Promise.all(Array.from({ length: 10 }, one));
    }

    async unknownId(methods) {
        for (const method of methods) {
            const more = method === 'update' ? { inputResponses: {} } : {};
            await expectError(INVALID_PARAMS, this.peer.task(method, NOBODY, more));
        }
    }

    async follow(name, args) {
        this.host.expect({ elicit: () => CONFIRM });
        const asks = name === 'confirm_delete';
        const want = asks ? `Deleted ${WORDS}` : `${WORDS}: computed for 1 s`;
        same(textOf(await this.peer.follow(name, args)), want);
        same(this.host.seen.length, asks ? 1 : 0);
    }
}
