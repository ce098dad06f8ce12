"""A client that declares nothing: the checks that the Python drivers make."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

from asks import text_of
from report import Report, need, same
from tasks import EXTENSION, NOBODY, expect_error

MISSING_CAPABILITY = -32021
OUT_OF_REACH = ("this revision of the protocol does not have", "the client did not declare")


class Bare:
    """The checks for a client that declares nothing."""

    def __init__(self, report: Report, peer: Any):
        self.report = report
        self.peer = peer

    async def run(self) -> None:
        for name, tool, args, needed in [
            ("the user", "test_elicitation", {"message": "m"}, {"elicitation": {}}),
            ("the model", "test_sampling", {"prompt": "p"}, {"sampling": {}}),
            ("for the roots", "test_list_roots", {}, {"roots": {}}),
        ]:
            await self.report.check(f"asks {name}, who is not there", lambda t=tool, a=args, n=needed: self.refused(t, a, n))
        await self.report.check("asks what can be asked", self.nothing)
        if self.peer.modern:
            await self.report.check("task: none without the extension", self.no_extension)
        await self.report.check("nothing arrived unasked", self.no_strays)

    async def missing(self, answer: Awaitable[Any], needed: dict[str, Any]) -> None:
        error = await expect_error(answer, MISSING_CAPABILITY)
        got = error.data["requiredCapabilities"]
        same(list(got), list(needed))
        for name, inner in needed.items():
            same([key for key in inner if key not in got[name]], [])

    async def refused(self, tool: str, args: dict[str, Any], needed: dict[str, Any]) -> None:
        if self.peer.modern:
            await self.missing(self.peer.call(tool, args), needed)
            return
        text = text_of(await self.peer.call(tool, args), is_error=True)
        need(any(why in text for why in OUT_OF_REACH), f"got {text!r}")

    async def nothing(self) -> None:
        same(text_of(await self.peer.call("test_input_required_result_capabilities", {})), "answers: 0")

    async def no_extension(self) -> None:
        needed = {"extensions": {EXTENSION: {}}}
        await self.missing(self.peer.call("failing_job", {}), needed)
        for method in ("get", "cancel", "update"):
            more = {"inputResponses": {}} if method == "update" else {}
            await self.missing(self.peer.task(method, NOBODY, **more), needed)
        got = text_of(await self.peer.call("slow_compute", {"seconds": 0}))
        same(got, "slow_compute: computed for 0 s")

    async def no_strays(self) -> None:
        same(self.peer.strays, [])
