"""The checks every Python driver makes, written against a small interface so that both libraries share them.

A driver hands over a `peer` with the attributes `reference` (bool: the server is reference.py), `modern` (bool), `version`
(str), `logs` and `strays` (lists), those that asks.py and tasks.py name, and the coroutines list, call, read, get, complete,
ping, set_level, subscribe, unsubscribe, listen, start and cancel. Answers are plain dicts with the names of the wire.
"""

from __future__ import annotations

import base64
import json
from typing import Any

import anyio

from asks import Asks
from bare import Bare
from large import Large
from report import Report, ServerError, need, same
from tasks import CORE, Tasks
from tasks_core import CoreTasks
from tasks_extension import ExtensionTasks

TOOLS = [
    "echo",
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_error_handling",
    "test_tool_with_logging",
    "test_tool_with_progress",
    "test_cancelled_count",
    "test_slow",
]
PROMPTS = [
    "test_simple_prompt",
    "test_prompt_with_arguments",
    "test_prompt_with_embedded_resource",
    "test_prompt_with_image",
]
RESOURCES = ["test://static-text", "test://static-binary", "test://watched-resource"]
TEMPLATES = ["test://template/{id}/data"]
LISTS = [
    ("tools", "tools", "name", TOOLS),
    ("prompts", "prompts", "name", PROMPTS),
    ("resources", "resources", "uri", RESOURCES),
    ("templates", "resourceTemplates", "uriTemplate", TEMPLATES),
]
PNG = b"\x89PNG\r\n\x1a\n"
PAGE_CAP = 1000
LARGE_BYTES = 256 * 1024
NO_AUDIO = "2024-11-05"
NOT_FOUND, INVALID_PARAMS = -32002, -32602


async def every_page(peer: Any, kind: str, field: str) -> list[dict[str, Any]]:
    """Follows nextCursor to the end; a cursor that comes twice would be an endless list."""
    found: list[dict[str, Any]] = []
    seen: set[str] = set()
    cursor = None
    for _ in range(PAGE_CAP):
        page = await peer.list(kind, cursor)
        found += page[field]
        cursor = page.get("nextCursor")
        if cursor is None:
            return found
        need(cursor not in seen, f"cursor {cursor!r} was handed out twice")
        seen.add(cursor)
    raise AssertionError(f"more than {PAGE_CAP} pages")


async def expect_error(code: int, answer: Any) -> ServerError:
    """Awaits `answer` and fails unless it is the error `code`."""
    try:
        got = await answer
    except ServerError as error:
        same(error.code, code)
        return error
    raise AssertionError(f"no error but {json.dumps(got)[:200]}")


def text_of(result: dict[str, Any]) -> str:
    """The text of a result that is one text block."""
    same([block["type"] for block in result["content"]], ["text"])
    return result["content"][0]["text"]


def is_image(block: dict[str, Any]) -> None:
    same((block["type"], block["mimeType"]), ("image", "image/png"))
    need(base64.b64decode(block["data"], validate=True).startswith(PNG), "the image is no PNG")


class Plan:
    """One leg: the checks for one server process and one revision."""

    def __init__(self, report: Report, peer: Any):
        self.report = report
        self.peer = peer

    async def run_any(self) -> None:
        """The checks that hold for any server."""
        await self.report.check("tools/list ends", lambda: self.lists_end("tools", "tools"))
        if not self.peer.modern:
            await self.report.check("ping", self.ping)

    async def lists_end(self, kind: str, field: str) -> None:
        need(await every_page(self.peer, kind, field), "the list is empty")

    async def run_bare(self) -> None:
        """The checks of a client that declares nothing."""
        await Bare(self.report, self.peer).run()

    async def run(self) -> None:
        """All checks against the fixture server."""
        check = self.report.check
        for kind, field, key, names in LISTS:
            await check(f"list {kind}", lambda k=kind, f=field, y=key, n=names: self.list_holds(k, f, y, n))
        for name in CALLS:
            await check(f"call {name}", lambda n=name: self.call(n))
        await check("call echo keeps every kind of text", self.echo_texts)
        await check("call echo of 256 KiB", self.echo_large)
        await check("call of an unknown tool", self.unknown_tool)
        await check("progress 0, 50, 100 of 100", self.progress)
        await self.run_logging()
        for name in READS:
            await check(f"read {name}", lambda n=name: self.read(n))
        await check("read of an unknown uri", self.read_unknown)
        for name in PROMPTS:
            await check(f"get {name}", lambda n=name: self.get(n))
        await check("get without a required argument", self.get_without)
        await check("get of an unknown prompt", self.get_unknown)
        await check("complete arg1", self.complete)
        await self.run_subscriptions()
        await check("cancel ends a running call", self.cancel)
        await check("20 parallel calls, slow and quick", lambda: self.parallel(10, 10))
        await check("20 parallel slow calls", lambda: self.parallel(20, 0))
        await Asks(self.report, self.peer).run()
        if not self.peer.reference:
            await self.tasks()(self.report, self.peer).run()
        await Large(self.report, self.peer).run()
        await check("nothing arrived unasked", self.no_strays)

    def tasks(self) -> type[Tasks]:
        """The checks of tasks in the peer's revision."""
        if self.peer.modern:
            return ExtensionTasks
        return CoreTasks if self.peer.version == CORE else Tasks

    async def run_logging(self) -> None:
        check = self.report.check
        if self.peer.modern:
            await check("log level of one request", lambda: self.logging("info", True))
            await check("no logs without a level", lambda: self.logging(None, False))
            await check("no logs below the level", lambda: self.logging("error", False))
        else:
            await check("ping", self.ping)
            await check("setLevel debug lets logs pass", lambda: self.logging("debug", True))
            await check("setLevel error stops logs", lambda: self.logging("error", False))
            await check("setLevel info lets logs pass again", lambda: self.logging("info", True))

    async def run_subscriptions(self) -> None:
        uri = "test://watched-resource"
        if self.peer.modern:
            await self.report.check("listen is acknowledged and ends", lambda: self.peer.listen(uri))
        else:
            await self.report.check("subscribe", lambda: self.empty(self.peer.subscribe(uri)))
            await self.report.check("unsubscribe", lambda: self.empty(self.peer.unsubscribe(uri)))

    async def empty(self, answer: Any) -> None:
        got = await answer
        got.pop("_meta", None)
        same(got, {})

    async def ping(self) -> None:
        await self.empty(self.peer.ping())

    async def list_holds(self, kind: str, field: str, key: str, names: list[str]) -> None:
        items = await every_page(self.peer, kind, field)
        found = [item[key] for item in items]
        same(sorted(found), sorted(set(found)))
        missing = [name for name in names if name not in found]
        need(not missing, f"missing {missing}")
        for item in items:
            need(item.get("description"), f"{item[key]} has no description")
            if kind == "tools":
                same(item["inputSchema"].get("type"), "object")

    async def call(self, name: str) -> None:
        result = await self.peer.call(name, {})
        same(bool(result.get("isError")), name == "test_error_handling")
        (block, *_) = result["content"]
        if name == "test_audio_content" and self.peer.version == NO_AUDIO:
            # That revision has no audio blocks; a server may send one all the same, or one it does have.
            need(block["type"] in ("audio", "text", "image", "resource"), f"block type {block['type']}")
            return
        CALLS[name](result)

    async def echo_texts(self) -> None:
        for text in ["", "plain", 'quote " backslash \\ slash /', "tab\tline\nreturn\r\x00\x1f", "ä € 𝄞 \u2028 \ufeff"]:
            same(text_of(await self.peer.call("echo", {"text": text})), text)

    async def echo_large(self) -> None:
        text = ("0123456789abcde\n" * (LARGE_BYTES // 16))[:LARGE_BYTES]
        need(text_of(await self.peer.call("echo", {"text": text})) == text, "the text came back changed")

    async def unknown_tool(self) -> None:
        await expect_error(INVALID_PARAMS, self.peer.call("no_such_tool", {}))

    async def progress(self) -> None:
        got: list[tuple[float, float | None]] = []

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            got.append((progress, total))

        need(text_of(await self.peer.call("test_tool_with_progress", {}, progress=on_progress)), "no text")
        same(got, [(0, 100), (50, 100), (100, 100)])

    async def logging(self, level: str | None, expected: bool) -> None:
        if not self.peer.modern:
            await self.empty(self.peer.set_level(level))
            level = None
        self.peer.logs.clear()
        await self.peer.call("test_tool_with_logging", {}, level=level)
        # Logs are written before the answer, so a later answer proves that all of them have arrived.
        await self.peer.call("test_simple_text", {})
        texts = ["Tool execution started", "Tool processing data", "Tool execution completed"]
        same([(log["level"], log["data"]) for log in self.peer.logs], [("info", t) for t in texts] if expected else [])

    async def read(self, name: str) -> None:
        uri, mime, body = READS[name]
        contents = (await self.peer.read(uri))["contents"]
        same([(item["uri"], item["mimeType"]) for item in contents], [(uri, mime)])
        body(contents[0])

    async def read_unknown(self) -> None:
        code = INVALID_PARAMS if self.peer.modern else NOT_FOUND
        error = await expect_error(code, self.peer.read("test://no-such-resource"))
        same((error.data or {}).get("uri"), "test://no-such-resource")

    async def get(self, name: str) -> None:
        args, check = GETS[name]
        messages = (await self.peer.get(name, args))["messages"]
        need(all(message["role"] in ("user", "assistant") for message in messages), "a role is wrong")
        check([message["content"] for message in messages])

    async def get_without(self) -> None:
        await expect_error(INVALID_PARAMS, self.peer.get("test_prompt_with_arguments", {"arg1": "only"}))

    async def get_unknown(self) -> None:
        await expect_error(INVALID_PARAMS, self.peer.get("no_such_prompt", {}))

    async def complete(self) -> None:
        got = (await self.peer.complete("test_prompt_with_arguments", "arg1", "par"))["completion"]
        need(len(got["values"]) <= 100, "more than 100 values")
        need(all(isinstance(value, str) for value in got["values"]), "a value is no string")

    async def cancelled_count(self) -> int:
        text = text_of(await self.peer.call("test_cancelled_count", {}))
        need(text.startswith("cancelled: "), f"unexpected text {text!r}")
        return int(text.removeprefix("cancelled: "))

    async def cancel(self) -> None:
        before = await self.cancelled_count()
        running = await self.peer.start("test_slow", {"ms": 120_000})
        # Requests are read in order: this answer proves that the slow call has begun.
        same(text_of(await self.peer.call("echo", {"text": "begun"})), "begun")
        await self.peer.cancel(running)
        while (count := await self.cancelled_count()) == before:
            await anyio.lowlevel.checkpoint()
        same(count, before + 1)

    async def parallel(self, slow: int, quick: int) -> None:
        got: dict[str, str] = {}

        async def one(name: str, args: dict[str, Any], want: str) -> None:
            got[want] = text_of(await self.peer.call(name, args))

        # Later calls are shorter, so the answers come back in another order than the requests.
        jobs = [("test_slow", {"ms": 300 - 10 * i}, f"slow: {300 - 10 * i}") for i in range(slow)]
        jobs += [("echo", {"text": f"text {i}"}, f"text {i}") for i in range(quick)]
        async with anyio.create_task_group() as group:
            for job in jobs:
                group.start_soon(one, *job)
        same(got, {want: want for _, _, want in jobs})

    async def no_strays(self) -> None:
        same(self.peer.strays, [])


def _multiple(result: dict[str, Any]) -> None:
    text, image, resource = result["content"]
    same((text["type"], text["text"]), ("text", "Multiple content types test:"))
    is_image(image)
    same(resource["type"], "resource")
    inner = resource["resource"]
    same((inner["uri"], inner["mimeType"]), ("test://mixed-content-resource", "application/json"))
    same(json.loads(inner["text"]), {"test": "data", "value": 123})


def _audio(result: dict[str, Any]) -> None:
    (block,) = result["content"]
    same((block["type"], block["mimeType"]), ("audio", "audio/wav"))
    need(base64.b64decode(block["data"], validate=True).startswith(b"RIFF"), "the audio is no WAV")


def _embedded(result: dict[str, Any]) -> None:
    (block,) = result["content"]
    inner = block["resource"]
    want = ("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    same((inner["uri"], inner["mimeType"], inner["text"]), want)


def _image(result: dict[str, Any]) -> None:
    (block,) = result["content"]
    is_image(block)


CALLS = {
    "test_simple_text": lambda r: same(text_of(r), "This is a simple text response for testing."),
    "test_image_content": _image,
    "test_audio_content": _audio,
    "test_embedded_resource": _embedded,
    "test_multiple_content_types": _multiple,
    "test_error_handling": lambda r: same(text_of(r), "This tool intentionally returns an error for testing"),
}

READS = {
    "static-text": (
        "test://static-text",
        "text/plain",
        lambda c: same(c["text"], "This is the content of the static text resource."),
    ),
    "static-binary": (
        "test://static-binary",
        "image/png",
        lambda c: need(base64.b64decode(c["blob"], validate=True).startswith(PNG), "the blob is no PNG"),
    ),
    "template": (
        "test://template/123/data",
        "application/json",
        lambda c: same(json.loads(c["text"]), {"id": "123", "templateTest": True, "data": "Data for ID: 123"}),
    ),
}


def _prompt_text(text: str) -> Any:
    return lambda contents: same([(c["type"], c["text"]) for c in contents], [("text", text)])


def _prompt_embedded(contents: list[dict[str, Any]]) -> None:
    resource, text = contents
    inner = resource["resource"]
    want = ("test://example-resource", "text/plain", "Embedded resource content for testing.")
    same((inner["uri"], inner["mimeType"], inner["text"]), want)
    same(text["text"], "Please process the embedded resource above.")


def _prompt_image(contents: list[dict[str, Any]]) -> None:
    image, text = contents
    is_image(image)
    same(text["text"], "Please analyze the image above.")


GETS = {
    "test_simple_prompt": ({}, _prompt_text("This is a simple prompt for testing.")),
    "test_prompt_with_arguments": (
        {"arg1": "testValue1", "arg2": "testValue2"},
        _prompt_text("Prompt with arguments: arg1='testValue1', arg2='testValue2'"),
    ),
    "test_prompt_with_embedded_resource": ({"resourceUri": "test://example-resource"}, _prompt_embedded),
    "test_prompt_with_image": ({}, _prompt_image),
}
