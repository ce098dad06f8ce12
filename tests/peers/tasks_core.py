"""Tasks of 2025-11-25, where they are part of the protocol: the checks that the Python drivers make."""

from __future__ import annotations

from typing import Any

import anyio

from asks import WORDS, by_message, filled_in, text_of
from report import ServerError, need, same
from tasks import (
    CONFIRM,
    FAILED,
    HOUR_S,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    NAME,
    OVER,
    POLL_S,
    PROTOCOL_FAILED,
    RELATED,
    SUPPORT,
    SURE,
    TTL_MS,
    Checks,
    Tasks,
    expect_error,
)


class CoreTasks(Tasks):
    """The checks for one leg."""

    def checks(self) -> Checks:
        return [
            ("task: the tools say what runs as a task", self.support),
            ("task: its result is waited for while other calls go on", self.awaited),
            ("task: its time to live is the one asked for", self.forgotten),
            ("task: asks, and the answer reaches it", lambda: self.confirmed(CONFIRM, "Deleted a.txt")),
            ("task: asks, and the user declines", lambda: self.confirmed({"action": "decline"}, "Kept a.txt")),
            ("task: asks two things", self.two),
            ("task: asks first, and takes its time then", self.then_works),
            ("task: fails", self.fails),
            ("task: ends in a protocol error", self.breaks),
            ("task: is cancelled", self.cancelled),
            ("task: is cancelled while its result is waited for", self.cancelled_awaited),
            ("task: is cancelled while its question is open", self.cancelled_asking),
            ("task: 10 at once", self.parallel),
            ("task: the list has all of them", self.listed),
            ("task: nobody's id", lambda: self.unknown_id("get", "result", "cancel")),
            ("task: a call that must be one, and one that cannot", self.misused),
        ]

    async def support(self) -> None:
        found: dict[str, str] = {}
        cursor = None
        while True:
            page = await self.peer.list("tools", cursor)
            found |= {tool["name"]: tool.get("execution", {}).get("taskSupport") for tool in page["tools"]}
            if (cursor := page.get("nextCursor")) is None:
                break
        same({name: found[name] for name in SUPPORT}, SUPPORT)
        need(found["echo"] in (None, "forbidden"), f"echo: {found['echo']}")

    async def awaited(self) -> None:
        task = await self.create("slow_compute", {"seconds": 1, "label": WORDS})
        same((await self.get(task))["status"], "working")
        order: list[str] = []

        async def wait() -> None:
            same(text_of(await self.result(task)), f"{WORDS}: computed for 1 s")
            order.append("result")

        async with anyio.create_task_group() as group:
            group.start_soon(wait)
            await anyio.wait_all_tasks_blocked()
            await self.echo()
            order.append("echo")
        same(order, ["echo", "result"])
        got = await self.get(task)
        same(got["status"], "completed")
        need(got["lastUpdatedAt"] > got["createdAt"], f"it was never changed: {got}")
        same(text_of(await self.result(task)), f"{WORDS}: computed for 1 s")
        await self.told(task, "completed")

    async def forgotten(self) -> None:
        task = await self.peer.create("slow_compute", {"seconds": 0}, 300)
        same(task["ttl"], 300)
        while True:
            try:
                await self.get(task["taskId"])
            except ServerError as error:
                same(error.code, INVALID_PARAMS)
                break
            await anyio.sleep(POLL_S)

    async def result(self, task: str) -> dict[str, Any]:
        """What the task came to, with the mark that says whose result it is."""
        got = await self.peer.task("result", task)
        same(got["_meta"][RELATED], {"taskId": task})
        return got

    async def outcome(self, task: str) -> dict[str, Any]:
        return await self.result(task)

    async def told(self, task: str, *wanted: str) -> None:
        """Waits until these states, the last of which ends the task, were told; those in quick succession are told as one."""

        def got() -> list[str]:
            return [told["status"] for told in self.peer.statuses if told["taskId"] == task]

        while not set(wanted) <= set(got()):
            await anyio.sleep(POLL_S)
        same([status for status in got() if status in OVER], [wanted[-1]])

    async def confirmed(self, answer: dict[str, Any], text: str) -> None:
        self.host.expect(held=not self.peer.one_by_one, elicit=lambda params: answer)
        task = await self.create("confirm_delete", {"filename": "a.txt"})
        await self.host.all_there.wait()
        if not self.peer.one_by_one:
            same((await self.get(task))["status"], "input_required")
            self.host.release()
        same(text_of(await self.result(task)), text)
        ((_, params),) = self.host.seen
        same((params["message"], params["_meta"][RELATED]), (SURE, {"taskId": task}))
        await self.told(task, *([] if self.peer.one_by_one else ["input_required"]), "completed")

    async def two(self) -> None:
        both = {NAME: {"name": WORDS}, SURE: {"confirm": True}}
        self.host.expect(1 if self.peer.one_by_one else 2, elicit=by_message(both))
        task = await self.create("multi_input")
        same(text_of(await self.result(task)), f"name: {WORDS}, confirmed: true")
        same(sorted(params["message"] for _, params in self.host.seen), sorted(both))

    async def then_works(self) -> None:
        self.host.expect(elicit=filled_in({"name": WORDS}))
        task = await self.create("test_tool_with_task")
        same(text_of(await self.result(task)), f"Hello, {WORDS}!")
        same((await self.get(task))["status"], "completed")

    async def fails(self) -> None:
        task = await self.create("failing_job")
        same(text_of(await self.result(task), is_error=True), FAILED)
        same((await self.get(task))["status"], "failed")
        await self.told(task, "failed")

    async def breaks(self) -> None:
        task = await self.create("protocol_error_job")
        error = await expect_error(self.peer.task("result", task), INTERNAL_ERROR)
        need(PROTOCOL_FAILED in str(error), f"got {error}")
        same((await self.get(task))["status"], "failed")
        await self.told(task, "failed")

    async def cancelled(self) -> None:
        before = await self.count()
        task = await self.create("slow_compute", {"seconds": HOUR_S})
        got = await self.peer.task("cancel", task)
        same((got["taskId"], got["status"]), (task, "cancelled"))
        await self.counted(before + 1)
        same((await self.get(task))["status"], "cancelled")
        await expect_error(self.peer.task("cancel", task), INVALID_PARAMS)
        await expect_error(self.peer.task("result", task), INVALID_REQUEST)
        same((await self.get(task))["status"], "cancelled")

    async def cancelled_awaited(self) -> None:
        task = await self.create("slow_compute", {"seconds": HOUR_S})
        async with anyio.create_task_group() as group:
            group.start_soon(expect_error, self.peer.task("result", task), INVALID_REQUEST)
            await anyio.wait_all_tasks_blocked()
            same((await self.peer.task("cancel", task))["status"], "cancelled")

    async def cancelled_asking(self) -> None:
        self.host.expect(held=True, elicit=lambda params: CONFIRM)
        before = await self.count()
        task = await self.create("confirm_delete", {"filename": "a.txt"})
        await self.host.all_there.wait()

        async def cancel() -> None:
            same((await self.peer.task("cancel", task))["status"], "cancelled")

        async with anyio.create_task_group() as group:
            group.start_soon(cancel)
            await anyio.wait_all_tasks_blocked()
            await self.withdrawn()
        await self.echo()
        same((await self.get(task))["status"], "cancelled")
        await self.counted(before + 1)

    async def listed(self) -> None:
        made = [await self.create("slow_compute", {"seconds": 0}) for _ in range(3)]
        found: list[str] = []
        cursor = None
        while True:
            page = await self.peer.list("tasks", cursor)
            found += [task["taskId"] for task in page["tasks"]]
            if (cursor := page.get("nextCursor")) is None:
                break
        same(len(found), len(set(found)))
        missing = [task for task in made if task not in found]
        need(not missing, f"missing {missing}")

    async def misused(self) -> None:
        await expect_error(self.peer.call("failing_job", {}), METHOD_NOT_FOUND)
        await expect_error(self.peer.create("echo", {"text": "t"}, TTL_MS), METHOD_NOT_FOUND)
        got = text_of(await self.peer.call("slow_compute", {"seconds": 0}))
        same(got, "slow_compute: computed for 0 s")
