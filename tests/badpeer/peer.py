"""A small server of both generations that behaves. Scenarios are subclasses that spoil one thing of it.

Requests are handled one by one, in the order they come; `later` is the way to answer without holding up the next one."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable

HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = "2026-07-28"
META = "io.modelcontextprotocol/"
TASKS = META + "tasks"


class Request:
    """A request as it came: `raw` is its whole line, `modern` tells the generation it was written for."""

    def __init__(self, message: dict, raw: bytes):
        self.id = message["id"]
        self.method = message["method"]
        self.params = message.get("params") or {}
        self.raw = raw
        self.meta = self.params.get("_meta") or {}
        self.modern = META + "protocolVersion" in self.meta

    @property
    def arguments(self) -> dict:
        return self.params.get("arguments") or {}

    @property
    def token(self) -> object:
        return self.meta.get("progressToken")


def tool(**arguments: str) -> Callable:
    """Marks a method `tool_NAME(self, request)` as a tool; values are JSON types, `!` at the end means required."""

    def mark(method: Callable) -> Callable:
        method.schema = {
            "type": "object",
            "properties": {name: {"type": kind.rstrip("!")} for name, kind in arguments.items()},
            "required": [name for name, kind in arguments.items() if kind.endswith("!")],
        }
        return method

    return mark


class Peer:
    """What every scenario starts from: connects in either generation and offers `echo`."""

    read_bytes = 65536
    read_pause_s = 0.0

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.requests: list[Request] = []
        self.cancelled: list[object] = []
        self.lines = 0
        self.listens: list[tuple[object, dict]] = []
        self.client_capabilities: dict = {}
        self.waiting: dict[str, Callable[[dict], None]] = {}
        self.asked = 0

    # --- bytes ---

    def serve(self) -> None:
        buffer = b""
        while chunk := os.read(0, self.read_bytes):
            time.sleep(self.read_pause_s)
            buffer += chunk
            *lines, buffer = buffer.split(b"\n")
            for line in lines:
                self.line(line)
        self.ended()

    def ended(self) -> None:
        """The input has ended; the process leaves after this returns."""

    def emit(self, data: bytes) -> None:
        """Writes whole lines; scenarios that spoil the framing replace it."""
        self.write(data)

    def write(self, data: bytes) -> None:
        with self.lock:
            view = memoryview(data)
            while view:
                view = view[os.write(1, view) :]

    def send(self, message: dict) -> None:
        self.emit(self.encode(message))

    @staticmethod
    def encode(message: dict) -> bytes:
        return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"

    # --- messages ---

    def line(self, raw: bytes) -> None:
        self.lines += 1
        try:
            message = json.loads(raw)
        except ValueError:
            return
        if "method" in message and "id" in message:
            request = Request(message, raw)
            self.requests.append(request)
            self.request(request)
        elif "method" in message:
            self.notified(message["method"], message.get("params") or {})
        elif message.get("id") in self.waiting:
            self.waiting.pop(message["id"])(message)

    def request(self, request: Request) -> None:
        handler = getattr(self, "on_" + request.method.replace("/", "_"), None)
        if handler is None or (request.modern and request.method in ("initialize", "ping", "logging/setLevel")):
            self.fail(request, -32601, f"no method {request.method}")
        else:
            handler(request)

    def notified(self, method: str, params: dict) -> None:
        if method == "notifications/cancelled":
            self.cancelled.append(params.get("requestId"))
            self.listens = [(sub, kinds) for sub, kinds in self.listens if sub != params.get("requestId")]
            self.on_cancelled(params.get("requestId"))

    def on_cancelled(self, request_id: object) -> None:
        """The client has given up the request with this id."""

    def answer(self, request: Request, result: dict) -> dict:
        """The whole answer, with what the revision of the request demands of every result."""
        if request.modern:
            result = {"resultType": "complete", **result}
            if request.method.endswith("/list") or request.method in ("server/discover", "resources/read"):
                result = {"ttlMs": 0, "cacheScope": "private", **result}
        return {"jsonrpc": "2.0", "id": request.id, "result": result}

    def result(self, request: Request, result: dict) -> None:
        self.send(self.answer(request, result))

    def text(self, request: Request, text: str, **more: object) -> None:
        self.result(request, {"content": [{"type": "text", "text": text}], **more})

    def fail(self, request: Request, code: int, message: str, data: object = None) -> None:
        error = {"code": code, "message": message}
        if data is not None:
            error["data"] = data
        self.send({"jsonrpc": "2.0", "id": request.id, "error": error})

    def notify(self, method: str, params: dict | None = None) -> None:
        self.send({"jsonrpc": "2.0", "method": method, **({} if params is None else {"params": params})})

    def progress(self, request: Request, done: float, total: float | None = None) -> None:
        if request.token is not None:
            params = {"progressToken": request.token, "progress": done}
            self.notify("notifications/progress", params if total is None else {**params, "total": total})

    def changed(self, kind: str = "tools") -> None:
        """A `list_changed` of that kind: on every subscription that asked for it, and plain in the handshake revisions."""
        method = f"notifications/{kind}/list_changed"
        if not any(request.modern for request in self.requests):
            self.notify(method)
        for sub, kinds in self.listens:
            if kinds.get(kind + "ListChanged"):
                self.notify(method, {"_meta": {META + "subscriptionId": sub}})

    def later(self, ms: float, action: Callable, *args: object) -> None:
        timer = threading.Timer(ms / 1000, action, args)
        timer.daemon = True
        timer.start()

    def ask(self, method: str, params: dict, then: Callable[[dict], None]) -> None:
        """A request to the client, as the handshake revisions have it; `then` gets the whole reply."""
        self.asked += 1
        request_id = f"ask-{self.asked}"
        self.waiting[request_id] = then
        self.send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})

    # --- lifecycle ---

    def capabilities(self, modern: bool) -> dict:
        offered: dict = {
            "tools": {"listChanged": True},
            "prompts": {"listChanged": True},
            "resources": {"listChanged": True, "subscribe": True},
            "completions": {},
            "logging": {},
        }
        if modern:
            offered["extensions"] = {TASKS: {}}
        else:
            offered["tasks"] = {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}
        return offered

    def on_initialize(self, request: Request) -> None:
        asked = request.params.get("protocolVersion")
        self.client_capabilities = request.params.get("capabilities") or {}
        self.result(
            request,
            {
                "protocolVersion": asked if asked in HANDSHAKE else HANDSHAKE[-1],
                "capabilities": self.capabilities(False),
                "serverInfo": {"name": "badpeer", "version": "1"},
            },
        )

    def on_server_discover(self, request: Request) -> None:
        info = {META + "serverInfo": {"name": "badpeer", "version": "1"}}
        self.result(
            request, {"supportedVersions": [MODERN], "capabilities": self.capabilities(True), "_meta": info}
        )

    def on_ping(self, request: Request) -> None:
        self.result(request, {})

    def on_logging_setLevel(self, request: Request) -> None:
        self.result(request, {})

    def on_subscriptions_listen(self, request: Request) -> None:
        kinds = request.params.get("notifications") or {}
        self.listens.append((request.id, kinds))
        meta = {META + "subscriptionId": request.id}
        self.notify("notifications/subscriptions/acknowledged", {"_meta": meta, "notifications": kinds})

    # --- what is offered ---

    def tools(self) -> list[dict]:
        names = [name for name in dir(self) if name.startswith("tool_")]
        return [self.described(name.removeprefix("tool_"), getattr(self, name)) for name in names]

    def described(self, name: str, method: Callable) -> dict:
        row = {"name": name, "description": method.__doc__ or name, "inputSchema": method.schema}
        if hasattr(method, "output"):
            row["outputSchema"] = method.output
        if hasattr(method, "task_support"):
            row["execution"] = {"taskSupport": method.task_support}
        return row

    def on_tools_list(self, request: Request) -> None:
        self.result(request, {"tools": self.tools()})

    def on_prompts_list(self, request: Request) -> None:
        self.result(request, {"prompts": [{"name": "hello"}]})

    def on_resources_list(self, request: Request) -> None:
        self.result(request, {"resources": [{"uri": "note:///1", "name": "one"}]})

    def on_resources_templates_list(self, request: Request) -> None:
        self.result(request, {"resourceTemplates": [{"uriTemplate": "note:///{n}", "name": "note"}]})

    def on_resources_read(self, request: Request) -> None:
        uri = request.params.get("uri")
        if uri == "note:///1":
            self.result(request, {"contents": [{"uri": uri, "text": "one"}]})
        else:
            self.fail(request, -32602 if request.modern else -32002, "no such resource", {"uri": uri})

    def on_prompts_get(self, request: Request) -> None:
        content = {"type": "text", "text": "hello"}
        self.result(request, {"messages": [{"role": "user", "content": content}]})

    def on_tools_call(self, request: Request) -> None:
        name = request.params.get("name")
        method = getattr(self, f"tool_{name}", None)
        if method is None:
            self.fail(request, -32602, f"no tool {name}")
        else:
            method(request)

    @tool(text="string!")
    def tool_echo(self, request: Request) -> None:
        """Gives the text back, properly, in every scenario that answers at all."""
        self.text(request, str(request.arguments.get("text")))

    @tool()
    def tool_seen(self, request: Request) -> None:
        """What came in so far: id and method of every request, the ids that were cancelled, how many lines in all."""
        seen = [[request.id, request.method] for request in self.requests]
        self.text(request, json.dumps({"requests": seen, "cancelled": self.cancelled, "lines": self.lines}))
