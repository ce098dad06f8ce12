"""The fixture's calls that ask their client, for reference.py: the same words on PyPI mcp 2.3.0."""

from __future__ import annotations

import json
from typing import Any

import anyio
import mcp_types as t
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

FORMS_FROM, CHOICES_FROM = "2025-06-18", "2025-11-25"
REJECTED = -1
WIRE = {"by_alias": True, "mode": "json", "exclude_none": True}
RESULTS = {
    t.ElicitRequest: t.ElicitResult,
    t.CreateMessageRequest: t.CreateMessageResult,
    t.ListRootsRequest: t.ListRootsResult,
}
CAPITAL = "What is the capital of France?"
DEFAULTS = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
PLAIN = ["option1", "option2", "option3"]
TITLED = [{"const": f"value{n}", "title": f"Option {n}"} for n in (1, 2, 3)]
ENUMS = {
    "untitledSingle": {"type": "string", "enum": PLAIN},
    "titledSingle": {"type": "string", "oneOf": TITLED},
    "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["One", "Two", "Three"]},
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": PLAIN}},
    "titledMulti": {"type": "array", "items": {"anyOf": TITLED}},
}


class NeedInput(Exception):
    """2026-07-28: the call goes on when its client has these answers."""

    def __init__(self, result: t.InputRequiredResult):
        super().__init__("input required")
        self.result = result


class Refusal(Exception):
    """The call ends with this text as a tool error."""


def form(message: str, properties: dict[str, Any], optional: bool = False) -> t.ElicitRequest:
    schema = {"type": "object", "properties": properties} | ({} if optional else {"required": list(properties)})
    return t.ElicitRequest(params=t.ElicitRequestFormParams(message=message, requested_schema=schema))


def text_form(message: str, *names: str) -> t.ElicitRequest:
    return form(message, {name: {"type": "string"} for name in names})


def sample(prompt: str) -> t.CreateMessageRequest:
    message = t.SamplingMessage(role="user", content=t.TextContent(type="text", text=prompt))
    return t.CreateMessageRequest(params=t.CreateMessageRequestParams(messages=[message], max_tokens=100))


def explain(answer: dict[str, Any]) -> str:
    if answer.get("code") == REJECTED:
        return "The user declined."
    return f"The client answered with error {answer['code']}: {answer['message']}"


class Asker:
    """Asks one call's client, in the way of its revision."""

    def __init__(self, ctx: Any, params: Any):
        self.ctx = ctx
        self.version = ctx.protocol_version
        self.modern = self.version in MODERN_PROTOCOL_VERSIONS
        self.answers: dict[str, dict[str, Any]] = json.loads(params.request_state or "{}")
        for key, answer in (params.input_responses or {}).items():
            self.answers[key] = answer.model_dump(**WIRE)

    async def all(self, since: str = "", **requests: Any) -> list[dict[str, Any]]:
        if self.version < since:
            raise Refusal("This needs what this revision of the protocol does not have")
        missing = {key: request for key, request in requests.items() if key not in self.answers}
        if missing and self.modern:
            state = json.dumps(self.answers)
            raise NeedInput(t.InputRequiredResult(input_requests=missing, request_state=state))
        async with anyio.create_task_group() as group:
            for key, request in missing.items():
                group.start_soon(self.send, key, request)
        return [self.answers[key] for key in requests]

    async def send(self, key: str, request: Any) -> None:
        try:
            result = await self.ctx.session.send_request(request, RESULTS[type(request)])
            self.answers[key] = result.model_dump(**WIRE)
        except MCPError as error:
            self.answers[key] = {"code": error.code, "message": error.message}

    async def one(self, request: Any, since: str = "") -> dict[str, Any]:
        (answer,) = await self.all(since, one=request)
        return answer

    async def decided(self, what: str, request: t.ElicitRequest, since: str) -> str:
        answer = await self.one(request, since)
        if "code" in answer:
            return f"{what}: action=failed, {explain(answer)}"
        if answer["action"] != "accept":
            return f"{what}: action={answer['action']}"
        content = answer.get("content", {})
        if not isinstance(content.get("username", ""), str):
            return f'{what}: action=invalid, The client\'s answer is not valid: "username" must be a text.'
        return f"{what}: action=accept, content={json.dumps(content)}"

    async def model(self, prompt: str) -> str:
        answer = await self.one(sample(prompt))
        if "code" in answer:
            raise Refusal(f"No answer: {explain(answer)}")
        return answer["content"]["text"]

    async def roots(self) -> list[str]:
        return [root["uri"] for root in (await self.one(t.ListRootsRequest()))["roots"]]


async def several(ask: Asker) -> str:
    user, capital, roots = await ask.all(
        FORMS_FROM, user=text_form("What is your name?", "name"), capital=sample(CAPITAL), roots=t.ListRootsRequest()
    )
    return f"{user['content']['name']}; {capital['content']['text']}; roots: {len(roots['roots'])}"


async def rounds(ask: Asker) -> str:
    answers = await ask.all(FORMS_FROM, step1=text_form("What is your name?", "name"))
    answers += await ask.all(FORMS_FROM, step2=text_form("What is your favorite color?", "color"))
    if any(answer["action"] != "accept" for answer in answers):
        raise Refusal("A question was declined")
    return f"{answers[0]['content']['name']} likes {answers[1]['content']['color']}."


async def capable(ask: Asker) -> str:
    requests = {"capital": sample(CAPITAL), "roots": t.ListRootsRequest()}
    if ask.version >= FORMS_FROM:
        requests["user"] = text_form("What is your name?", "name")
    return f"answers: {len(await ask.all(**requests))}"


async def confirmed(ask: Asker) -> str:
    await ask.one(form("Please confirm", {"ok": {"type": "boolean"}}), FORMS_FROM)
    return "state-ok"


def url(ask: Asker) -> t.ElicitRequest:
    params = {"message": "Please sign in", "url": "https://example.com/sign-in"}
    if not ask.modern:
        params["elicitation_id"] = "sign-in-1"
    return t.ElicitRequest(params=t.ElicitRequestURLParams(**params))


async def context(ask: Asker) -> str:
    answer = await ask.one(text_form("What context should the prompt use?", "context"), FORMS_FROM)
    return f"Use this context: {answer['content']['context']}"


async def call(name: str, ask: Asker, args: dict[str, Any]) -> str:
    """The text of the tool `name`."""
    match name:
        case "test_sampling":
            return f"LLM response: {await ask.model(args['prompt'])}"
        case "test_input_required_result_sampling":
            return await ask.model(CAPITAL)
        case "test_list_roots":
            return f"roots: {len(await ask.roots())}"
        case "test_input_required_result_list_roots":
            return " ".join(["The client's roots:", *await ask.roots()])
        case "test_elicitation":
            return await ask.decided("User response", text_form(args["message"], "username", "email"), FORMS_FROM)
        case "test_elicitation_sep1034_defaults":
            return await ask.decided("Elicitation completed", form("Review", DEFAULTS, True), CHOICES_FROM)
        case "test_elicitation_sep1330_enums":
            return await ask.decided("Elicitation completed", form("Choose", ENUMS, True), CHOICES_FROM)
        case _:
            text = await ask.decided("Elicitation completed", url(ask), CHOICES_FROM)
            return text if "accept" not in text else "Elicitation completed: action=accept, content={}"


OTHERS = {
    "test_input_required_result_multiple_inputs": several,
    "test_input_required_result_multi_round": rounds,
    "test_input_required_result_capabilities": capable,
    "test_input_required_result_request_state": confirmed,
}
TOOLS = [
    "test_sampling",
    "test_input_required_result_sampling",
    "test_list_roots",
    "test_input_required_result_list_roots",
    "test_elicitation",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_elicitation_url",
    *OTHERS,
]


async def call_tool(ctx: Any, params: t.CallToolRequestParams) -> t.CallToolResult | t.InputRequiredResult:
    """Answers one of `TOOLS`."""
    ask = Asker(ctx, params)
    refused = False
    try:
        other = OTHERS.get(params.name)
        text = await (other(ask) if other else call(params.name, ask, params.arguments or {}))
    except NeedInput as need:
        return need.result
    except Refusal as refusal:
        text, refused = str(refusal), True
    return t.CallToolResult(content=[t.TextContent(type="text", text=text)], is_error=refused)


async def get_prompt(ctx: Any, params: t.GetPromptRequestParams) -> t.GetPromptResult | t.InputRequiredResult:
    """Answers `test_input_required_result_prompt`."""
    try:
        text = await context(Asker(ctx, params))
    except NeedInput as need:
        return need.result
    message = t.PromptMessage(role="user", content=t.TextContent(type="text", text=text))
    return t.GetPromptResult(messages=[message])
