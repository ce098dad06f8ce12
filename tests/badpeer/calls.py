"""Scenarios that spoil answers: ids, shapes, order, pages, numbers, and what comes after a cancel."""

from __future__ import annotations

import json

from peer import META, Peer, Request, tool


class wrong_ids(Peer):
    """`bad` answers under another id of a chosen `kind`, and with `then` gives the true answer afterwards."""

    @tool(kind="string!", then="boolean", ms="integer")
    def tool_bad(self, request: Request) -> None:
        """kind: other, string, null, absent, null_error, absent_error, repeat, twice, late (after `ms`)."""
        args = request.arguments
        getattr(self, "kind_" + args["kind"])(request)
        if args.get("then"):
            self.text(request, "the true answer")

    def wrong(self, request: Request, **other: object) -> None:
        answer = self.answer(request, {"content": [{"type": "text", "text": "not yours"}]})
        del answer["id"]
        self.send({**answer, **other})

    def kind_other(self, request: Request) -> None:
        self.wrong(request, id=999_999)
        self.wrong(request, id="nobody's")

    def kind_string(self, request: Request) -> None:
        # The same characters, the other JSON type: `"1"` is not `1`.
        other = request.id
        other = int(other) if isinstance(other, str) and other.isdigit() else f"{other}"
        self.wrong(request, id=other)

    def kind_null(self, request: Request) -> None:
        self.wrong(request, id=None)

    def kind_absent(self, request: Request) -> None:
        self.wrong(request)

    def kind_null_error(self, request: Request) -> None:
        self.send({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "p"}})

    def kind_absent_error(self, request: Request) -> None:
        self.send({"jsonrpc": "2.0", "error": {"code": -32700, "message": "p"}})

    def kind_repeat(self, request: Request) -> None:
        """Answers a request that has its answer already: the first of the connection."""
        self.wrong(request, id=self.requests[0].id)

    def kind_twice(self, request: Request) -> None:
        self.text(request, "first")
        self.text(request, "second")

    def kind_late(self, request: Request) -> None:
        self.later(request.arguments["ms"], self.text, request, "too late")


class after_cancel(Peer):
    """`bad` never answers, until it is cancelled: then it reports progress and answers, twice."""

    def __init__(self) -> None:
        super().__init__()
        self.open: dict[object, Request] = {}

    @tool()
    def tool_bad(self, request: Request) -> None:
        """Answers only after the client has given it up."""
        self.open[request.id] = request
        self.progress(request, 1, 3)

    def on_cancelled(self, request_id: object) -> None:
        request = self.open.pop(request_id, None)
        if request:
            self.progress(request, 2, 3)
            self.text(request, "after the cancel")
            self.progress(request, 3, 3)
            self.fail(request, -32603, "after the cancel, again")


class bad_result(Peer):
    """`bad` answers with something that is no result, of a chosen `kind`."""

    RESULTS = {
        "array": [],
        "string": "done",
        "null": None,
        "number": 7,
        "no_content": {},
        "content_text": {"content": "done"},
        "content_items": {"content": ["done", 7, None]},
        "unknown_type": {"resultType": "banana", "content": []},
        "type_number": {"resultType": 7, "content": []},
    }
    ERRORS = {
        "error_without_code": {"message": "no code"},
        "error_without_message": {"code": -32000},
        "error_code_text": {"code": "-32000", "message": "the code is text"},
        "error_code_huge": {"code": 10**30, "message": "no machine integer"},
        "error_text": "went wrong",
        "error_null": None,
    }

    @tool(kind="string!")
    def tool_bad(self, request: Request) -> None:
        """kind: a name of RESULTS or ERRORS, or both, neither, no_jsonrpc, jsonrpc_1, cut."""
        kind, head = request.arguments["kind"], {"jsonrpc": "2.0", "id": request.id}
        good = {"content": [{"type": "text", "text": "good"}], "resultType": "complete"}
        error = {"code": -32000, "message": "bad"}
        if kind in self.RESULTS:
            self.send({**head, "result": self.RESULTS[kind]})
        elif kind in self.ERRORS:
            self.send({**head, "error": self.ERRORS[kind]})
        elif kind == "both":
            self.send({**head, "result": good, "error": error})
        elif kind == "neither":
            self.send(head)
        elif kind == "no_jsonrpc":
            self.send({"id": request.id, "result": good})
        elif kind == "jsonrpc_1":
            self.send({**head, "jsonrpc": "1.0", "result": good})
        else:
            self.write(self.encode({**head, "result": good})[:-4] + b"\n")


class error_structured(Peer):
    """`shaped` has an output schema that demands `n`; a chosen `kind` keeps it, breaks it or fails."""

    @tool(kind="string!")
    def tool_shaped(self, request: Request) -> None:
        """kind: good, missing, wrong, error (a tool error without structured content)."""
        kind = request.arguments["kind"]
        if kind == "error":
            self.text(request, "boom", isError=True)
        elif kind == "missing":
            self.text(request, "nothing structured")
        else:
            self.text(request, "structured", structuredContent={"n": 1} if kind == "good" else {"m": "x"})

    tool_shaped.output = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


class bigint(Peer):
    """`bad` gives integers beyond 2^53, beyond 64 bits, and floats, as structured content."""

    LINE = '{"id":9007199254740993,"u":18446744073709551615,"min":-9223372036854775808,"f":0.1,"e":1e3,"big":123456789012345678901234567890}'

    @tool()
    def tool_bad(self, request: Request) -> None:
        """Numbers that do not survive a double."""
        line = self.encode(self.answer(request, {"content": [], "structuredContent": "@"}))
        self.write(line.replace(b'"@"', self.LINE.encode()))


class progress_race(Peer):
    """`bad` reports progress around its answer in a chosen `kind` of order."""

    @tool(kind="string!", steps="integer")
    def tool_bad(self, request: Request) -> None:
        """kind: late (after the answer), one_read (both in one write), backwards (falling), foreign (wrong tokens)."""
        kind, steps = request.arguments["kind"], request.arguments.get("steps", 1)
        answer = self.encode(self.answer(request, {"content": [{"type": "text", "text": "done"}]}))
        forward = [self.step(request.token, at + 1, steps) for at in range(steps)]
        if kind == "late":
            self.write(answer + b"".join(forward))
        elif kind == "one_read":
            self.write(b"".join(forward) + answer)
        elif kind == "backwards":
            self.write(b"".join(reversed(forward)) + answer)
        else:
            other = [f"{request.token}", None, 1.5, [], {}, 2**70]
            self.write(b"".join(self.step(token, 1, 1) for token in other) + answer)

    def step(self, token: object, done: int, total: int) -> bytes:
        params = {"progressToken": token, "progress": done, "total": total}
        return self.encode({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})


class list_changed_storm(Peer):
    """`bad` sends `count` list_changed and answers only after somebody has asked for the tools since."""

    held: Request | None = None

    @tool(count="integer!")
    def tool_bad(self, request: Request) -> None:
        """Waits for a tools/list that its own notifications cause."""
        self.held = request
        for _ in range(request.arguments["count"]):
            self.changed()

    def on_tools_list(self, request: Request) -> None:
        super().on_tools_list(request)
        held, self.held = self.held, None
        if held:
            self.text(held, "listed")


class cursor_loop(Peer):
    """Every page of every list names the same next page, `c1`."""

    def following(self, cursor: object) -> dict:
        return {"nextCursor": "c1"}

    def result(self, request: Request, result: dict) -> None:
        if request.method.endswith("/list"):
            result = {**result, **self.following(request.params.get("cursor"))}
        super().result(request, result)


class cursor_cycle(cursor_loop):
    """The pages of every list name each other: c1, c2, c1 and so on."""

    def following(self, cursor: object) -> dict:
        return {"nextCursor": "c2" if cursor == "c1" else "c1"}


class cursor_forever(cursor_loop):
    """Every page of every list names another next page, without end."""

    number = 0

    def following(self, cursor: object) -> dict:
        self.number += 1
        return {"nextCursor": f"page {self.number}"}


class empty_cursor(cursor_loop):
    """The first page of every list names the next one `""`, which is a cursor; that one is the last."""

    def following(self, cursor: object) -> dict:
        return {"nextCursor": ""} if cursor is None else {}

    def on_tools_list(self, request: Request) -> None:
        tools = self.tools()
        self.result(request, {"tools": tools[:1] if request.params.get("cursor") is None else tools[1:]})


class null_cursor(cursor_loop):
    """The only page of every list says `"nextCursor":null`."""

    def following(self, cursor: object) -> dict:
        return {"nextCursor": None}


class no_common(Peer):
    """Speaks only a revision that is not there yet, in either generation."""

    def on_initialize(self, request: Request) -> None:
        self.result(
            request,
            {"protocolVersion": "2099-01-01", "capabilities": {}, "serverInfo": {"name": "badpeer", "version": "1"}},
        )

    def request(self, request: Request) -> None:
        if request.modern:
            version = request.meta[META + "protocolVersion"]
            data = {"supported": ["2099-01-01"], "requested": version}
            self.fail(request, -32022, "Unsupported protocol version", data)
        else:
            super().request(request)


class not_found(Peer):
    """`resources/read` fails with a chosen code: the last part of the URI, or -32002 or -32602 of the revision."""

    def on_resources_read(self, request: Request) -> None:
        uri = request.params["uri"]
        last = uri.rsplit("/", 1)[1]
        code = int(last) if last.lstrip("-").isdigit() else (-32602 if request.modern else -32002)
        self.fail(request, code, "Resource not found", {"uri": uri})


class many_writers(Peer):
    """Reads its input slowly; `size` gives the length of its `text`, and `broken` the lines that were no JSON."""

    read_bytes = 32768
    read_pause_s = 0.0002
    broken = 0

    def line(self, raw: bytes) -> None:
        try:
            json.loads(raw)
        except ValueError:
            self.broken += 1
        super().line(raw)

    @tool(text="string!", tag="string")
    def tool_size(self, request: Request) -> None:
        """The tag and the length of the text."""
        self.text(request, f"{request.arguments.get('tag')}:{len(request.arguments['text'])}")

    @tool()
    def tool_broken(self, request: Request) -> None:
        """How many lines so far were no JSON, and how many requests and cancels came."""
        counts = {"broken": self.broken, "requests": len(self.requests), "cancelled": len(self.cancelled)}
        self.text(request, json.dumps(counts))
