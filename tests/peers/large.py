"""Answers larger than any buffer of the server: what is in them, and the checks that the Python drivers make."""

from __future__ import annotations

import base64
import json
from typing import Any

from blob import large_bytes
from report import Report, need, same

READ_BYTES = 300_000
ITEMS = 5000
STRUCTURED_FROM = "2025-06-18"


def large_text(size: int) -> str:
    """The large text of that many bytes: digits and line ends."""
    digits = (chr(48 + value % 10) for value in large_bytes(0, size))
    return "".join("\n" if n % 64 == 63 else digit for n, digit in enumerate(digits))


def at_difference(got: bytes | str, want: bytes | str) -> None:
    """Fails with the first place where two long values differ."""
    if got == want:
        return
    for n, (a, b) in enumerate(zip(got, want)):
        need(a == b, f"place {n}: got {a!r}, want {b!r}")
    same(len(got), len(want))


class Large:
    """The checks for one leg."""

    def __init__(self, report: Report, peer: Any):
        self.report = report
        self.peer = peer

    async def run(self) -> None:
        await self.report.check(f"read a text of {READ_BYTES} bytes", self.text)
        await self.report.check(f"read a blob of {READ_BYTES} bytes", self.blob)
        await self.report.check(f"call test_many_items with {ITEMS}", self.items)

    async def read(self, kind: str, mime: str) -> dict[str, Any]:
        uri = f"test://large-{kind}/{READ_BYTES}"
        (item,) = (await self.peer.read(uri))["contents"]
        same((item["uri"], item["mimeType"]), (uri, mime))
        return item

    async def text(self) -> None:
        item = await self.read("text", "text/plain")
        at_difference(item["text"], large_text(READ_BYTES))

    async def blob(self) -> None:
        item = await self.read("blob", "application/octet-stream")
        at_difference(base64.b64decode(item["blob"], validate=True), large_bytes(0, READ_BYTES))

    async def items(self) -> None:
        result = await self.peer.call("test_many_items", {"count": ITEMS})
        want = {"items": [{"n": n, "name": 'an "item"'} for n in range(ITEMS)]}
        need(not result.get("isError"), "the call failed")
        if self.peer.version >= STRUCTURED_FROM:
            need(result["structuredContent"] == want, "the structured content is not what it should be")
        (block,) = result["content"]
        need(json.loads(block["text"]) == want, "the text is not what it should be")
