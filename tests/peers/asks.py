"""The checks of calls that ask their client, and the client's side of them: a user, a model and a workspace.

A driver hands over a `peer` as for plan.py, with three attributes more: `host`, the `Host` whose answers its callbacks give,
`one_by_one` (bool): the library runs one callback at a time, and `notice`: what the library logs of a callback that breaks.
A library that stops a callback when the server takes back its question needs no more; another calls `Host.withdraw`.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import anyio

from report import Report, ServerError, need, same

FORMS_FROM, CHOICES_FROM = "2025-06-18", "2025-11-25"
REJECTED = -1
WORDS = 'Zoë "Z" \\ 𝄞\n\u2028 end'
ROOTS = [{"uri": "file:///a", "name": "A"}, {"uri": "file:///b%20c"}]
DEFAULTS = {"name": "John Doe", "age": 30, "score": 95.5, "status": "active", "verified": True}
CHOICES = {
    "untitledSingle": "option2",
    "titledSingle": "value1",
    "legacyEnum": "opt3",
    "untitledMulti": ["option1", "option3"],
    "titledMulti": ["value2"],
}
TOGETHER_S = 20

Params = dict[str, Any]
Answer = Callable[[Params], dict[str, Any]]


class Refused(Exception):
    """The client's side refuses with a JSON-RPC error."""

    def __init__(self, code: int, message: str):
        super().__init__(message)
        self.code = code
        self.message = message


def filled_in(content: dict[str, Any]) -> Answer:
    """A user who fills in the same, whatever the form."""
    return lambda params: {"action": "accept", "content": content}


def chosen(action: str) -> Answer:
    """A user who decides without filling anything in."""
    return lambda params: {"action": action}


def by_message(contents: dict[str, dict[str, Any]]) -> Answer:
    """A user who reads what is asked."""
    return lambda params: {"action": "accept", "content": contents[params["message"]]}


def said(text: str) -> dict[str, Any]:
    """What a model says."""
    content = {"type": "text", "text": text}
    return {"role": "assistant", "model": "m-1", "stopReason": "endTurn", "content": content}


def prompt_of(params: Params) -> str:
    (message,) = params["messages"]
    return message["content"]["text"]


def echoed(params: Params) -> dict[str, Any]:
    """A model that repeats its prompt."""
    return said(f"re: {prompt_of(params)}")


def broken(params: Params) -> dict[str, Any]:
    """A handler with a defect."""
    raise ValueError("the handler is broken")


def rejects(params: Params) -> dict[str, Any]:
    """A user who does not let the model run."""
    raise Refused(REJECTED, "User rejected sampling request")


class Host:
    """Answers what the server asks, as the running check wants it, and keeps what was asked."""

    def __init__(self) -> None:
        self.expect()

    def expect(self, together: int = 1, held: bool = False, **answers: Answer) -> None:
        """Sets the answers (`elicit`, `sample`, `roots`); none is given before `together` questions are there, and one that is
        held not before it is released."""
        self.answers = {"roots": lambda params: {"roots": ROOTS}} | answers
        self.seen: list[tuple[str, Params]] = []
        self.together = together
        self.all_there = anyio.Event()
        self.released = anyio.Event()
        self.gone = anyio.Event()
        if not held:
            self.release()

    def release(self) -> None:
        """Lets held answers go."""
        self.released.set()

    def withdraw(self) -> None:
        """The server has taken back a question."""
        self.gone.set()

    async def answer(self, kind: str, params: Params) -> dict[str, Any]:
        """What the client's side says to one question."""
        self.seen.append((kind, params))
        if len(self.seen) >= self.together:
            self.all_there.set()
        try:
            with anyio.fail_after(TOGETHER_S):
                await self.all_there.wait()
                await self.released.wait()
        except anyio.get_cancelled_exc_class():
            self.withdraw()
            raise
        need(kind in self.answers, f"{kind} was not to be asked")
        return self.answers[kind](params)

    def kinds(self) -> list[str]:
        return [kind for kind, _ in self.seen]


def callbacks(host: Host, types: Any) -> dict[str, Any]:
    """The host's answers as the libraries want them; `types` is a library's module of message types."""

    def callback(kind: str, result: Any) -> Any:
        async def answer(context: Any, params: Any = None) -> Any:
            asked = params.model_dump(by_alias=True, mode="json", exclude_none=True) if params else {}
            try:
                return result.model_validate(await host.answer(kind, asked))
            except Refused as refused:
                return types.ErrorData(code=refused.code, message=refused.message)

        return answer

    return {
        "elicitation_callback": callback("elicit", types.ElicitResult),
        "sampling_callback": callback("sample", types.CreateMessageResult),
        "list_roots_callback": callback("roots", types.ListRootsResult),
    }


def text_of(result: dict[str, Any], is_error: bool = False) -> str:
    """The text of a result that is one text block."""
    same(bool(result.get("isError")), is_error)
    same([block["type"] for block in result["content"]], ["text"])
    return result["content"][0]["text"]


def content_of(text: str, what: str) -> dict[str, Any]:
    """What was filled in, as the tool repeats it."""
    start = f"{what}: action=accept, content="
    need(text.startswith(start), f"got {text!r:.300}")
    return json.loads(text.removeprefix(start))


class Asks:
    """The checks for one leg."""

    def __init__(self, report: Report, peer: Any):
        self.report = report
        self.peer = peer
        self.host: Host = peer.host

    async def run(self) -> None:
        check = self.report.check
        for name, body in [*self.always(), *self.with_forms()]:
            await check(name, body)

    def always(self) -> list[tuple[str, Callable[[], Awaitable[None]]]]:
        return [
            ("ask the model", self.sampling),
            ("ask the model a fixed question", self.capital),
            ("ask the model, and the user says no", self.rejected),
            ("ask the model, and its handler breaks", self.broken_model),
            ("ask for the roots, and count them", self.count_roots),
            ("ask for the roots, and name them", self.name_roots),
            ("ask what the client can be asked", self.capable),
        ]

    def with_forms(self) -> list[tuple[str, Callable[[], Awaitable[None]]]]:
        if self.peer.version < FORMS_FROM:
            return [("a form is out of reach", lambda: self.out_of_reach("test_elicitation", {"message": "m"}))]
        checks = [
            ("ask the user, who fills in the form", self.form),
            ("ask the user, who declines", lambda: self.decided("decline")),
            ("ask the user, who cancels", lambda: self.decided("cancel")),
            ("ask the user, who fills in what does not fit", self.misfit),
            ("ask the user, and the handler breaks", self.broken_form),
            ("ask the user from a prompt", self.prompt),
            ("ask, and carry state", self.state),
            ("ask three things at once", self.several),
            ("ask in two rounds", self.rounds),
            ("ask in two rounds, and the second is declined", self.half),
            ("10 calls that ask at the same time", self.parallel),
        ]
        if self.peer.version < CHOICES_FROM:
            return [*checks, ("a URL is out of reach", lambda: self.out_of_reach("test_elicitation_url", {}))]
        return [
            *checks,
            ("ask the user, who takes the defaults", self.defaults),
            ("ask the user to choose", self.choices),
            ("ask the user to open a URL, and it is done", lambda: self.url("accept")),
            ("ask the user to open a URL, which is declined", lambda: self.url("decline")),
            ("ask the user to open a URL, which is cancelled", lambda: self.url("cancel")),
        ]

    async def call(self, name: str, args: dict[str, Any] | None = None) -> dict[str, Any]:
        return await self.peer.call(name, args or {})

    async def sampling(self) -> None:
        self.host.expect(sample=echoed)
        same(text_of(await self.call("test_sampling", {"prompt": WORDS})), f"LLM response: re: {WORDS}")
        ((_, params),) = self.host.seen
        same((prompt_of(params), params["messages"][0]["role"], params["maxTokens"]), (WORDS, "user", 100))

    async def capital(self) -> None:
        self.host.expect(sample=lambda params: said("Paris"))
        same(text_of(await self.call("test_input_required_result_sampling")), "Paris")
        same([prompt_of(params) for _, params in self.host.seen], ["What is the capital of France?"])

    async def rejected(self) -> None:
        self.host.expect(sample=rejects)
        answer = self.call("test_sampling", {"prompt": "p"})
        if not self.peer.modern:
            same(text_of(await answer, is_error=True), "No answer: The user declined.")
            return
        # There is nothing to send a refusal in, so the library ends the call.
        try:
            got = await answer
        except ServerError as error:
            same(error.code, REJECTED)
        else:
            raise AssertionError(f"no error but {got!r:.200}")

    async def breaks(self, name: str, args: dict[str, Any], start: str, is_error: bool) -> None:
        """A handler that breaks reaches the tool as an error of the client's; in 2026-07-28 it ends the call."""
        answer = self.call(name, args)
        if self.peer.modern:
            try:
                got = await answer
            except Exception as error:
                need(not isinstance(error, ServerError), f"an error of the server's: {error}")
            else:
                raise AssertionError(f"no error but {got!r:.200}")
        else:
            text = text_of(await answer, is_error)
            need(text.startswith(f"{start}The client answered with error "), f"got {text!r:.300}")
        same(len(self.host.seen), 1)
        same(text_of(await self.call("echo", {"text": "still here"})), "still here")
        strays = self.peer.strays
        strays[:] = [stray for stray in strays if self.peer.notice not in stray]

    async def broken_model(self) -> None:
        self.host.expect(sample=broken)
        await self.breaks("test_sampling", {"prompt": "p"}, "No answer: ", True)

    async def broken_form(self) -> None:
        self.host.expect(elicit=broken)
        await self.breaks("test_elicitation", {"message": "m"}, "User response: action=failed, ", False)

    async def count_roots(self) -> None:
        self.host.expect()
        same(text_of(await self.call("test_list_roots")), "roots: 2")
        same(self.host.kinds(), ["roots"])

    async def name_roots(self) -> None:
        self.host.expect()
        got = text_of(await self.call("test_input_required_result_list_roots"))
        same(got, "The client's roots: file:///a file:///b%20c")

    async def capable(self) -> None:
        self.host.expect(elicit=filled_in({"name": "Ada"}), sample=echoed)
        kinds = ["elicit", "roots", "sample"] if self.peer.version >= FORMS_FROM else ["roots", "sample"]
        got = text_of(await self.call("test_input_required_result_capabilities"))
        same((got, sorted(self.host.kinds())), (f"answers: {len(kinds)}", kinds))

    async def out_of_reach(self, name: str, args: dict[str, Any]) -> None:
        self.host.expect()
        text = text_of(await self.call(name, args), is_error=True)
        need("this revision of the protocol does not have" in text, f"got {text!r:.300}")
        same(self.host.seen, [])

    async def form(self) -> None:
        content = {"username": WORDS, "email": "zoe@example.com"}
        self.host.expect(elicit=filled_in(content))
        got = text_of(await self.call("test_elicitation", {"message": WORDS}))
        same(content_of(got, "User response"), content)
        ((_, params),) = self.host.seen
        schema = params["requestedSchema"]
        same((params["message"], schema["type"], sorted(schema["required"])), (WORDS, "object", ["email", "username"]))
        same({name: field["type"] for name, field in schema["properties"].items()}, dict.fromkeys(content, "string"))

    async def decided(self, action: str) -> None:
        self.host.expect(elicit=chosen(action))
        same(text_of(await self.call("test_elicitation", {"message": "m"})), f"User response: action={action}")

    async def misfit(self) -> None:
        self.host.expect(elicit=filled_in({"username": 7, "email": "a@example.com"}))
        got = text_of(await self.call("test_elicitation", {"message": "m"}))
        why = 'The client\'s answer is not valid: "username" must be a text.'
        same(got, f"User response: action=invalid, {why}")

    async def prompt(self) -> None:
        self.host.expect(elicit=filled_in({"context": WORDS}))
        (message,) = (await self.peer.get("test_input_required_result_prompt", {}))["messages"]
        same((message["role"], message["content"]["text"]), ("user", f"Use this context: {WORDS}"))

    async def state(self) -> None:
        self.host.expect(elicit=filled_in({"ok": True}))
        same(text_of(await self.call("test_input_required_result_request_state")), "state-ok")

    async def several(self) -> None:
        together = 1 if self.peer.one_by_one else 3
        self.host.expect(together, elicit=filled_in({"name": WORDS}), sample=lambda params: said("Paris"))
        got = text_of(await self.call("test_input_required_result_multiple_inputs"))
        same((got, sorted(self.host.kinds())), (f"{WORDS}; Paris; roots: 2", ["elicit", "roots", "sample"]))

    async def rounds(self) -> None:
        asked = {"What is your name?": {"name": WORDS}, "What is your favorite color?": {"color": "blue"}}
        self.host.expect(elicit=by_message(asked))
        same(text_of(await self.call("test_input_required_result_multi_round")), f"{WORDS} likes blue.")
        same([params["message"] for _, params in self.host.seen], list(asked))

    async def half(self) -> None:
        def answer(params: Params) -> dict[str, Any]:
            first = params["message"] == "What is your name?"
            return {"action": "accept", "content": {"name": "Ada"}} if first else {"action": "decline"}

        self.host.expect(elicit=answer)
        got = text_of(await self.call("test_input_required_result_multi_round"), is_error=True)
        same((got, len(self.host.seen)), ("A question was declined", 2))

    async def parallel(self) -> None:
        got: dict[int, str] = {}

        async def one(n: int) -> None:
            name, args = ("test_elicitation", "message") if n % 2 else ("test_sampling", "prompt")
            got[n] = text_of(await self.call(name, {args: f"call {n}"}))

        def user(params: Params) -> dict[str, Any]:
            return {"action": "accept", "content": {"username": params["message"], "email": "e"}}

        self.host.expect(1 if self.peer.one_by_one else 10, elicit=user, sample=echoed)
        async with anyio.create_task_group() as group:
            for n in range(10):
                group.start_soon(one, n)
        for n, text in got.items():
            if n % 2:
                same(content_of(text, "User response")["username"], f"call {n}")
            else:
                same(text, f"LLM response: re: call {n}")
        same(len(got), 10)

    async def defaults(self) -> None:
        def answer(params: Params) -> dict[str, Any]:
            fields = params["requestedSchema"]["properties"]
            return {"action": "accept", "content": {name: field["default"] for name, field in fields.items()}}

        self.host.expect(elicit=answer)
        got = text_of(await self.call("test_elicitation_sep1034_defaults"))
        same(content_of(got, "Elicitation completed"), DEFAULTS)

    async def choices(self) -> None:
        self.host.expect(elicit=filled_in(CHOICES))
        got = text_of(await self.call("test_elicitation_sep1330_enums"))
        same(content_of(got, "Elicitation completed"), CHOICES)
        ((_, params),) = self.host.seen
        same(sorted(params["requestedSchema"]["properties"]), sorted(CHOICES))

    async def url(self, action: str) -> None:
        self.host.expect(elicit=chosen(action))
        content = ", content={}" if action == "accept" else ""
        got = text_of(await self.call("test_elicitation_url"))
        same(got, f"Elicitation completed: action={action}{content}")
        ((_, params),) = self.host.seen
        same((params["mode"], params["url"]), ("url", "https://example.com/sign-in"))
        if not self.peer.modern:
            same(params["elicitationId"], "sign-in-1")
