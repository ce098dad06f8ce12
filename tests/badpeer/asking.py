"""Scenarios that ask: without end, what was not declared, with states that must come back as they were."""

from __future__ import annotations

import json
import time

from peer import Peer, Request, tool

FORM = {
    "method": "elicitation/create",
    "params": {
        "message": "again?",
        "requestedSchema": {"type": "object", "properties": {"go": {"type": "boolean"}}, "required": ["go"]},
    },
}
ASKS = {
    "form": FORM,
    "url": {
        "method": "elicitation/create",
        "params": {"mode": "url", "message": "look", "url": "https://example.org/", "elicitationId": "e1"},
    },
    "sampling": {
        "method": "sampling/createMessage",
        "params": {"messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}], "maxTokens": 5},
    },
    "roots": {"method": "roots/list", "params": {}},
    "unknown": {"method": "shell/run", "params": {"command": "true"}},
}


class Asking(Peer):
    """Shared: how a round is written in 2026-07-28."""

    def needs(self, request: Request, asks: dict, state: str | None = None) -> None:
        result: dict = {"resultType": "input_required"}
        if asks:
            result["inputRequests"] = asks
        if state is not None:
            result["requestState"] = state
        self.result(request, result)


class ask_forever(Asking):
    """`bad` asks again for every answer it gets, without end, in either generation."""

    rounds = 0

    @tool()
    def tool_bad(self, request: Request) -> None:
        """Never has enough."""
        self.rounds += 1
        if request.modern:
            self.needs(request, {f"q{self.rounds}": FORM}, f"round {self.rounds}")
        else:
            # No faster than a user is asked: without a pause a quick client and this process would keep both cores busy.
            time.sleep(0.002)
            self.ask(FORM["method"], FORM["params"], lambda reply: self.tool_bad(request))

    @tool()
    def tool_rounds(self, request: Request) -> None:
        """How often `bad` has asked."""
        self.text(request, str(self.rounds))


class ask_undeclared(Asking):
    """`bad` asks for a `kind` (form, url, sampling, roots, unknown) whether the client has declared it or not."""

    @tool(kind="string!")
    def tool_bad(self, request: Request) -> None:
        """Ends with what the client replied; in 2026-07-28 that reply is the retry."""
        ask = ASKS[request.arguments["kind"]]
        if not request.modern:
            self.ask(ask["method"], ask["params"], lambda reply: self.text(request, self.said(reply)))
        elif "inputResponses" in request.params:
            self.text(request, json.dumps(request.params["inputResponses"]))
        else:
            self.needs(request, {"q": ask}, "s")

    @staticmethod
    def said(reply: dict) -> str:
        return f"error {reply['error'].get('code')}" if "error" in reply else json.dumps(reply.get("result"))


class ask_where_not_allowed(Asking):
    """`tools/list` answers with `input_required`, which only three methods may; `bad` with neither questions nor state."""

    def on_tools_list(self, request: Request) -> None:
        if request.modern:
            self.needs(request, {"q": FORM}, "s")
        else:
            super().on_tools_list(request)

    @tool(kind="string!")
    def tool_bad(self, request: Request) -> None:
        """kind: empty (neither), list (inputRequests is a list), state (requestState is a number)."""
        extra = {"empty": {}, "list": {"inputRequests": [FORM]}, "state": {"requestState": 7}}
        self.result(request, {"resultType": "input_required", **extra[request.arguments["kind"]]})


class state_bytes(Asking):
    """`bad` gives a state written with every kind of escape, and says whether it came back the same."""

    # The text of the JSON string, between its quotes: escapes that need not be, controls, raw and escaped characters.
    WRITTEN = (
        r"a\"b\\c\/d\b\f\n\r\t\u0000\u001f\u0041\u00e9\u2028\ud83d\ude00\u007f"
        + "é — 😀 漢 \x7f /+=%{}[]:, 0x" + "f" * 300
    )

    @tool(ask="boolean")
    def tool_bad(self, request: Request) -> None:
        """Two rounds: the state, with a question if `ask`; then `state same` or what came instead."""
        if "requestState" not in request.params:
            asks = {"q": FORM} if request.arguments.get("ask") else {}
            line = self.encode(self.answer(request, {"resultType": "input_required", "requestState": "@"}))
            if asks:
                line = self.encode(
                    self.answer(
                        request, {"resultType": "input_required", "requestState": "@", "inputRequests": asks}
                    )
                )
            self.write(line.replace(b'"@"', b'"' + self.WRITTEN.encode() + b'"'))
            return
        came, wanted = request.params["requestState"], json.loads(f'"{self.WRITTEN}"')
        self.text(request, "state same" if came == wanted else f"state differs: {came!r}")


class state_only(Asking):
    """`bad` gives only a state, `rounds` times (without end if negative); the answer names the states that came back."""

    @tool(rounds="integer!")
    def tool_bad(self, request: Request) -> None:
        """A state without a question asks for nothing but another try."""
        came = request.params.get("requestState", "")
        done = came.count("s")
        if done == request.arguments["rounds"]:
            extra = "" if "inputResponses" not in request.params else " and unasked responses"
            self.text(request, f"{done} rounds{extra}")
        else:
            self.needs(request, {}, came + "s")


class ids_seen(Asking):
    """`ask` needs three rounds; `ids_seen` lists the ids of every request so far, to see that none came twice."""

    @tool()
    def tool_ask(self, request: Request) -> None:
        """Asks three times (once by each round in 2026-07-28), then answers."""
        if not request.modern:
            self.again(request, 3)
            return
        done = int(request.params.get("requestState", "0"))
        if done == 3:
            self.text(request, "asked")
        else:
            self.needs(request, {f"q{done}": FORM}, str(done + 1))

    def again(self, request: Request, left: int) -> None:
        if left:
            self.ask(FORM["method"], FORM["params"], lambda reply: self.again(request, left - 1))
        else:
            self.text(request, "asked")

    @tool()
    def tool_ids_seen(self, request: Request) -> None:
        """The ids of all requests, this one included, as JSON."""
        self.text(request, json.dumps([seen.id for seen in self.requests]))
