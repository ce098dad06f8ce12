"""Calls that run as tasks, as far as revisions have them in common, and calls given up while their question is open: the checks
that the Python drivers make.

A driver hands over a `peer` as for asks.py, with more: `statuses` (list), what notifications/tasks/status said; `follows`
(bool): the library can run a call as a task to its end by itself; and the coroutines create (a call as a task), task (a method
of tasks: `get`, `result`, `cancel` or `update`) and follow. `list` knows `tasks` too.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import anyio

from asks import WORDS, Host, text_of
from report import Report, ServerError, need, same

CORE = "2025-11-25"
EXTENSION = "io.modelcontextprotocol/tasks"
RELATED = "io.modelcontextprotocol/related-task"
INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32600, -32601, -32602, -32603
OVER = ("completed", "failed", "cancelled")
SUPPORT = {
    "slow_compute": "optional",
    "failing_job": "required",
    "protocol_error_job": "required",
    "confirm_delete": "required",
    "multi_input": "required",
    "test_tool_with_task": "required",
}
NOBODY = "0" * 32
TTL_MS = 60_000
HOUR_S = 3600
POLL_S = 0.02
SURE, NAME = "Are you sure?", "What is your name?"
CONFIRM = {"action": "accept", "content": {"confirm": True}}
FAILED = "The job failed, as it always does"
PROTOCOL_FAILED = "The job broke the protocol, as it always does"

Checks = list[tuple[str, Callable[[], Awaitable[None]]]]


async def expect_error(answer: Awaitable[Any], *codes: int) -> ServerError:
    """Awaits `answer` and fails unless it is an error with one of these codes."""
    try:
        got = await answer
    except ServerError as error:
        need(error.code in codes, f"got {error}, want one of {codes}")
        return error
    raise AssertionError(f"no error but {got!r:.200}")


class Tasks:
    """What holds in every revision."""

    def __init__(self, report: Report, peer: Any):
        self.report = report
        self.peer = peer
        self.host: Host = peer.host

    async def run(self) -> None:
        for name, body in [("give up a call while its question is open", self.give_up), *self.checks(), *self.followed()]:
            await self.report.check(name, body)

    def checks(self) -> Checks:
        """The checks of the revision."""
        return [("task: there are none in this revision", self.none)]

    def followed(self) -> Checks:
        if not self.peer.follows or self.peer.version < CORE:
            return []
        return [
            ("task: followed by the library", lambda: self.follow("slow_compute", {"seconds": 1, "label": WORDS})),
            ("task: followed by the library, and asks", lambda: self.follow("confirm_delete", {"filename": WORDS})),
        ]

    async def echo(self) -> None:
        same(text_of(await self.peer.call("echo", {"text": "still here"})), "still here")

    async def count(self) -> int:
        return int(text_of(await self.peer.call("test_cancelled_count", {})).removeprefix("cancelled: "))

    async def counted(self, want: int) -> None:
        """Waits until that many calls were cancelled."""
        while (got := await self.count()) < want:
            await anyio.lowlevel.checkpoint()
        same(got, want)

    async def create(self, name: str, args: dict[str, Any] | None = None, ttl: int = TTL_MS) -> str:
        """Makes a task, and gives its id."""
        task = await self.peer.create(name, args or {}, ttl)
        need(len(task["taskId"]) >= 16, f"the id {task['taskId']!r} can be guessed")
        same(task["status"], "working")
        need(task["lastUpdatedAt"] >= task["createdAt"], f"it was changed before it was made: {task}")
        for name in ("ttlMs", "pollIntervalMs") if self.peer.modern else ("ttl", "pollInterval"):
            need(task[name] > 0, f"no {name}: {task}")
        return task["taskId"]

    async def get(self, task: str) -> dict[str, Any]:
        got = await self.peer.task("get", task)
        same(got["taskId"], task)
        return got

    async def until(self, task: str, *statuses: str) -> dict[str, Any]:
        """Polls until the task is in one of these states."""
        while (got := await self.get(task))["status"] not in statuses:
            need(got["status"] not in OVER, f"the task is over: {got}")
            await anyio.sleep(POLL_S)
        return got

    async def give_up(self) -> None:
        self.host.expect(held=True, sample=lambda params: {})
        before = await self.count()
        running = await self.peer.start("test_sampling", {"prompt": "p"})
        await self.host.all_there.wait()
        await self.peer.cancel(running)
        await self.withdrawn()
        same(self.host.kinds(), ["sample"])
        await self.echo()
        # In 2026-07-28 the call was over when it asked: there is nothing at the server to stop.
        await self.counted(before + (0 if self.peer.modern else 1))

    async def withdrawn(self) -> None:
        """Waits until the server has taken back its question; a library that reads nothing meanwhile answers too late."""
        if self.peer.one_by_one:
            self.host.release()
        await self.host.gone.wait()
        self.host.release()

    async def none(self) -> None:
        same(text_of(await self.peer.call("slow_compute", {"seconds": 0})), "slow_compute: computed for 0 s")
        same(text_of(await self.peer.call("failing_job", {}), is_error=True), FAILED)
        await expect_error(self.peer.task("get", NOBODY), METHOD_NOT_FOUND)

    async def parallel(self) -> None:
        async def one(n: int) -> None:
            task = await self.create("slow_compute", {"seconds": n % 2, "label": f"task {n}"})
            same(text_of(await self.outcome(task)), f"task {n}: computed for {n % 2} s")

        async with anyio.create_task_group() as group:
            for n in range(10):
                group.start_soon(one, n)

    async def unknown_id(self, *methods: str) -> None:
        for method in methods:
            more = {"inputResponses": {}} if method == "update" else {}
            await expect_error(self.peer.task(method, NOBODY, **more), INVALID_PARAMS)

    async def follow(self, name: str, args: dict[str, Any]) -> None:
        self.host.expect(elicit=lambda params: CONFIRM)
        want = f"{WORDS}: computed for 1 s" if "label" in args else f"Deleted {WORDS}"
        same(text_of(await self.peer.follow(name, args)), want)
        same(len(self.host.seen), 0 if "label" in args else 1)
