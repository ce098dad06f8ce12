"""Tasks of 2026-07-28, the extension io.modelcontextprotocol/tasks: the checks that the Python drivers make."""

from __future__ import annotations

from typing import Any

from asks import WORDS, Params, filled_in, text_of
from report import need, same
from tasks import (
    CONFIRM,
    FAILED,
    HOUR_S,
    INTERNAL_ERROR,
    METHOD_NOT_FOUND,
    NAME,
    PROTOCOL_FAILED,
    SURE,
    Checks,
    Tasks,
    expect_error,
)


class ExtensionTasks(Tasks):
    """The checks for one leg."""

    def checks(self) -> Checks:
        return [
            ("task: runs, and its result is found in it", self.found),
            ("task: asks, and the answer reaches it", lambda: self.updated(CONFIRM, "Deleted a.txt")),
            ("task: asks, and the user declines", lambda: self.updated({"action": "decline"}, "Kept a.txt")),
            ("task: asks two things, answered one by one", self.one_by_one),
            ("task: asks first, and becomes one then", self.asks_first),
            ("task: fails", self.fails_inside),
            ("task: ends in a protocol error", self.breaks_inside),
            ("task: is cancelled", self.cancelled_modern),
            ("task: is cancelled while its question is open", self.cancelled_open),
            ("task: 10 at once", self.parallel),
            ("task: nobody's id", lambda: self.unknown_id("get", "update", "cancel")),
            ("task: methods that are no more", self.no_more),
        ]

    async def found(self) -> None:
        task = await self.create("slow_compute", {"seconds": 1, "label": WORDS})
        need("result" not in await self.get(task), "a result before the end")
        got = await self.until(task, "completed")
        same(text_of(got["result"]), f"{WORDS}: computed for 1 s")
        need(got["lastUpdatedAt"] > got["createdAt"], f"it was never changed: {got}")

    async def outcome(self, task: str) -> dict[str, Any]:
        """What the task came to."""
        return (await self.until(task, "completed"))["result"]

    async def questions(self, task: str) -> dict[str, Params]:
        """What the task asks, by key."""
        asked = (await self.until(task, "input_required"))["inputRequests"]
        same({request["method"] for request in asked.values()}, {"elicitation/create"})
        return {key: request["params"] for key, request in asked.items()}

    async def update(self, task: str, answers: dict[str, Any]) -> None:
        got = await self.peer.task("update", task, inputResponses=answers)
        same({key for key in got if key not in ("_meta", "resultType")}, set())

    async def updated(self, answer: dict[str, Any], text: str) -> None:
        task = await self.create("confirm_delete", {"filename": "a.txt"})
        ((key, params),) = (await self.questions(task)).items()
        same(params["message"], SURE)
        await self.update(task, {"no such key": CONFIRM, key: answer})
        same(text_of((await self.until(task, "completed"))["result"]), text)

    async def one_by_one(self) -> None:
        task = await self.create("multi_input")
        keys = {params["message"]: key for key, params in (await self.questions(task)).items()}
        same(sorted(keys), [SURE, NAME])
        await self.update(task, {keys[NAME]: {"action": "accept", "content": {"name": WORDS}}})
        same(list(await self.questions(task)), [keys[SURE]])
        await self.update(task, {keys[SURE]: CONFIRM})
        got = await self.until(task, "completed")
        same(text_of(got["result"]), f"name: {WORDS}, confirmed: true")

    async def asks_first(self) -> None:
        self.host.expect(elicit=filled_in({"name": WORDS}))
        task = await self.create("test_tool_with_task")
        same([params["message"] for _, params in self.host.seen], [NAME])
        same(text_of((await self.until(task, "completed"))["result"]), f"Hello, {WORDS}!")

    async def fails_inside(self) -> None:
        got = await self.until(await self.create("failing_job"), "completed")
        same(text_of(got["result"], is_error=True), FAILED)

    async def breaks_inside(self) -> None:
        got = await self.until(await self.create("protocol_error_job"), "failed")
        same((got["error"]["code"], got["error"]["message"]), (INTERNAL_ERROR, PROTOCOL_FAILED))

    async def acknowledged(self, task: str) -> None:
        got = await self.peer.task("cancel", task)
        same({key for key in got if key not in ("_meta", "resultType")}, set())

    async def cancelled_modern(self) -> None:
        before = await self.count()
        task = await self.create("slow_compute", {"seconds": HOUR_S})
        await self.acknowledged(task)
        await self.until(task, "cancelled")
        await self.counted(before + 1)
        await self.acknowledged(task)

    async def cancelled_open(self) -> None:
        before = await self.count()
        task = await self.create("confirm_delete", {"filename": "a.txt"})
        (key,) = await self.questions(task)
        await self.acknowledged(task)
        need("inputRequests" not in await self.until(task, "cancelled"), "it still asks")
        await self.update(task, {key: CONFIRM})
        same((await self.get(task))["status"], "cancelled")
        await self.counted(before + 1)

    async def no_more(self) -> None:
        task = await self.create("slow_compute", {"seconds": 0})
        await expect_error(self.peer.task("result", task), METHOD_NOT_FOUND)
        await expect_error(self.peer.list("tasks", None), METHOD_NOT_FOUND)
