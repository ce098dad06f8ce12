"""Scenarios that spoil the bytes: what comes between messages, how they are cut, how long they are, and no bytes at all."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time

from peer import MODERN, Peer, Request, tool

MIB = 1 << 20
STEP_S = 0.0005


class silent(Peer):
    """Reads everything and never writes a byte."""

    def request(self, request: Request) -> None:
        pass


class silent_after_connect(Peer):
    """Answers `initialize` or `server/discover`, and nothing after that."""

    def request(self, request: Request) -> None:
        if request.method in ("initialize", "server/discover"):
            super().request(request)


class silent_on_probe(Peer):
    """Never answers `server/discover`, but serves the handshake revisions."""

    def on_server_discover(self, request: Request) -> None:
        pass


class late_discover(Peer):
    """Holds the answer to `server/discover` back until it has answered `initialize`, so that it comes too late."""

    held: Request | None = None

    def on_server_discover(self, request: Request) -> None:
        self.held = request

    def on_initialize(self, request: Request) -> None:
        super().on_initialize(request)
        if self.held:
            super().on_server_discover(self.held)


class slow_start(Peer):
    """Reads nothing for 900 ms, as programs that load much do; then keeps to the generation of its first request."""

    first: Request | None = None

    def serve(self) -> None:
        time.sleep(0.9)
        super().serve()

    def request(self, request: Request) -> None:
        self.first = self.first or request
        if self.first.modern and not request.modern:
            data = {"supported": [MODERN], "requested": request.params.get("protocolVersion")}
            self.fail(request, -32022, "the connection is serving another generation", data)
        else:
            super().request(request)


class slow(Peer):
    """`slow` answers after `ms` milliseconds; everything else at once."""

    @tool(ms="integer!", text="string")
    def tool_slow(self, request: Request) -> None:
        """Answers after `ms` milliseconds."""
        self.later(request.arguments["ms"], self.text, request, str(request.arguments.get("text")))

    @tool(ms="integer!", steps="integer!")
    def tool_working(self, request: Request) -> None:
        """Reports a step of progress every `ms` milliseconds, and answers after the last."""
        self.step(request, 1)

    def step(self, request: Request, number: int) -> None:
        ms, steps = request.arguments["ms"], request.arguments["steps"]
        self.progress(request, number, steps)
        if number == steps:
            self.later(ms, self.text, request, "worked")
        else:
            self.later(ms, self.step, request, number + 1)


class drip(Peer):
    """Writes every byte by itself, with a pause after each."""

    def emit(self, data: bytes) -> None:
        with self.lock:
            for at in range(len(data)):
                self.write(data[at : at + 1])
                time.sleep(STEP_S)


class cut_utf8(Peer):
    """`cut` answers with two-, three- and four-byte characters, cut inside each of them, at every place there is."""

    SAYS = "é — 😀 漢"

    @tool()
    def tool_cut(self, request: Request) -> None:
        """Its text arrives in pieces that are no valid UTF-8 by themselves."""
        data = self.encode(self.answer(request, {"content": [{"type": "text", "text": self.SAYS}]}))
        with self.lock:
            start = 0
            for at, byte in enumerate(data):
                if 0x80 <= byte < 0xC0:
                    self.write(data[start:at])
                    start = at
                    time.sleep(0.01)
            self.write(data[start:])


class crlf(Peer):
    """Ends lines as Windows does, by turns after spaces and tabs, and with the CR and the LF written apart."""

    turn = 0

    def emit(self, data: bytes) -> None:
        with self.lock:
            for line in data.splitlines():
                self.turn += 1
                self.write(line + (b"", b" \t ", b"\t")[self.turn % 3] + b"\r")
                time.sleep(0.005 * (self.turn % 2))
                self.write(b"\n")


class junk(Peer):
    """Log lines, colours, a byte order mark, blank lines, bytes that are no UTF-8 and half JSON around every message."""

    BEFORE = (
        b"Server ready\n",
        b"[info] {not json}\n",
        b"\x1b[32mOK\x1b[0m\n",
        b"\xef\xbb\xbf\n",
        b"\n   \n\r\n",
        b"[]\n42\n\"x\"\n{}\nnull\ntrue\n",
        b"\xff\xfe\xc3\x28 not UTF-8\n",
        b"{\"jsonrpc\":\"2.0\",\"method\":\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":-1,\"result\":{\"content\":[\n",
        b"]]]]}}}}\n",
    )

    def emit(self, data: bytes) -> None:
        with self.lock:
            self.write(b"".join(self.BEFORE) + data + b"trailing noise\n")


class bom(Peer):
    """Begins its very first line with a byte order mark."""

    begun = False

    def emit(self, data: bytes) -> None:
        self.write(data if self.begun else b"\xef\xbb\xbf" + data)
        self.begun = True


class huge(Peer):
    """`huge` answers with a text of `mib` MiB in one line; the next request is answered right behind it."""

    @tool(mib="integer!")
    def tool_huge(self, request: Request) -> None:
        """A text of `mib` MiB of the letter h."""
        line = self.encode(self.answer(request, {"content": [{"type": "text", "text": "@"}]}))
        head, tail = line.split(b"@")
        with self.lock:
            self.write(head)
            for _ in range(request.arguments["mib"]):
                self.write(b"h" * MIB)
            self.write(tail)


class long_lines(Peer):
    """`line` waits for the next request, then writes an answer of exactly `bytes` bytes and that request's in one piece."""

    held: Request | None = None

    @tool(bytes="integer!")
    def tool_line(self, request: Request) -> None:
        """An answer whose line has `bytes` bytes before its newline."""
        self.held = request

    def tool_echo(self, request: Request) -> None:
        small = self.answer(request, {"content": [{"type": "text", "text": request.arguments["text"]}]})
        held, self.held = self.held, None
        self.write((self.sized(held) if held else b"") + self.encode(small))

    tool_echo.schema = Peer.tool_echo.schema

    def sized(self, request: Request) -> bytes:
        line = self.encode(self.answer(request, {"content": [{"type": "text", "text": "@"}]}))
        missing = request.arguments["bytes"] - (len(line) - 1) + 1
        return line.replace(b"@", b"l" * missing)


class flood(Peer):
    """Writes tens of thousands of notifications around every answer to a call of `flood`."""

    @tool(count="integer!")
    def tool_flood(self, request: Request) -> None:
        """Answers between two floods of `count` notifications of four kinds."""
        kinds = (
            {"method": "notifications/message", "params": {"level": "info", "data": "x" * 50}},
            {"method": "notifications/progress", "params": {"progressToken": "nobody's", "progress": 1}},
            {"method": "notifications/tools/list_changed"},
            {"method": "notifications/of-no-known-kind", "params": {"a": [1, 2, 3]}},
        )
        block = b"".join(self.encode({"jsonrpc": "2.0", **kind}) for kind in kinds)
        storm = block * (request.arguments["count"] // len(kinds))
        self.write(storm)
        self.text(request, "after the flood")
        self.write(storm)


class unknown_notifications(Peer):
    """Sends notifications that nobody knows, or without what they need, before every message."""

    LINES = (
        b'{"jsonrpc":"2.0","method":"notifications/stderr","params":{"content":"x"}}\n'
        b'{"jsonrpc":"2.0","method":"window/logMessage"}\n'
        b'{"jsonrpc":"2.0","method":"notifications/progress"}\n'
        b'{"jsonrpc":"2.0","method":"notifications/cancelled"}\n'
        b'{"jsonrpc":"2.0","method":"notifications/message"}\n'
        b'{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{}}\n'
        b'{"jsonrpc":"2.0","method":"x/y","params":[1]}\n'
        b'{"jsonrpc":"2.0","method":"","params":{}}\n'
    )

    def emit(self, data: bytes) -> None:
        self.write(self.LINES + data)


class stderr_noise(Peer):
    """Writes 1 MiB to stderr, colours and half lines among it, before every answer: whoever does not read it, waits."""

    def emit(self, data: bytes) -> None:
        noise = b"\x1b[31mwarning\x1b[0m \xff half a line" * 1000
        with self.lock:
            for _ in range(MIB // len(noise) + 1):
                os.write(2, noise + b"\n")
            self.write(data)


class log_storm(Peer):
    """`logs` sends `count` log messages of every level and shape while it works."""

    LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency", "none of these")
    DATA = ("text", {"deep": [[[[1]]]]}, None, 9007199254740993, "\x1b]0;title\x07", [], True)

    @tool(count="integer!")
    def tool_logs(self, request: Request) -> None:
        """Sends log messages, then answers."""
        for at in range(request.arguments["count"]):
            level, data = self.LEVELS[at % len(self.LEVELS)], self.DATA[at % len(self.DATA)]
            self.notify("notifications/message", {"level": level, "logger": "storm", "data": data})
        self.text(request, "logged")


class dies_mid_line(Peer):
    """`bad` writes half of its answer and ends the process."""

    @tool()
    def tool_bad(self, request: Request) -> None:
        """Ends in the middle of its answer."""
        data = self.encode(self.answer(request, {"content": []}))
        self.write(data[: len(data) // 2])
        os._exit(1)


class dies_on_call(Peer):
    """`bad` ends the process with status 3 and a last word on stderr, and no answer."""

    @tool()
    def tool_bad(self, request: Request) -> None:
        """Ends the process."""
        print("badpeer: out of luck", file=sys.stderr, flush=True)
        os._exit(3)


class dies_on_probe(Peer):
    """Ends at `server/discover`; a process that is not probed serves the handshake revisions."""

    def on_server_discover(self, request: Request) -> None:
        os._exit(1)


class stays_open(Peer):
    """Ignores the end of its input and SIGTERM; leaves by itself only when its time limit is over."""

    def serve(self) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        super().serve()

    def ended(self) -> None:
        while True:
            time.sleep(1)


class numbers_kept(Peer):
    """`arguments` gives back the text of its arguments as it came, character by character."""

    @tool()
    def tool_arguments(self, request: Request) -> None:
        """The arguments, as the text they were."""
        text = re.split(rb'"arguments"\s*:\s*', request.raw, maxsplit=1)[1].decode()
        _, end = json.JSONDecoder().raw_decode(text)
        self.text(request, text[:end])
