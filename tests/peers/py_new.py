"""PyPI mcp 2.3.0 against a stdio server: 2026-07-28 (found by probing, and pinned) and every handshake revision;
without any capability too."""

from __future__ import annotations

import logging
import sys
import warnings
from typing import Any, Literal

import anyio
import mcp.client.session as session_module
import mcp_types
from mcp import Client, StdioServerParameters
from mcp.client.extension import ClaimContext, ClientExtension, NotificationBinding, ResultClaim
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError
from mcp_types import LOG_LEVEL_META_KEY, PromptReference
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from pydantic import TypeAdapter, ValidationError

from asks import Host, callbacks
from plan import Plan
from report import CHECK_S, Report, ServerError, Witness, arguments, describe, need, same
from tasks import EXTENSION, OVER, POLL_S

WIRE = {"by_alias": True, "mode": "json", "exclude_none": True}
PLAIN = TypeAdapter(dict[str, Any])


class Strays(logging.Handler):
    """Collects what the library only logs: late answers, unreadable lines, notifications that fail validation."""

    def __init__(self, found: list[str]):
        super().__init__(logging.DEBUG)
        self.found = found

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if record.levelno >= logging.WARNING or text.startswith("dropp"):
            self.found.append(text)


class TaskResult(mcp_types.Result):
    """A call that has become a task, in 2026-07-28."""

    result_type: Literal["task"] = "task"
    task_id: str
    status: str
    created_at: str
    last_updated_at: str
    ttl_ms: int | None
    poll_interval_ms: int | None = None


class TaskRequest(mcp_types.Request[dict[str, Any], str]):
    """A method of tasks: the library has no types for those of 2026-07-28."""

    name_param = "taskId"


class Tasks(ClientExtension):
    """The extension, as an application would write it: a task is polled to its end, and what it asks is answered."""

    identifier = EXTENSION

    def __init__(self, statuses: list[dict[str, Any]]):
        self.statuses = statuses

    def claims(self) -> list[ResultClaim[Any]]:
        return [ResultClaim(result_type="task", model=TaskResult, resolve=self.resolve)]

    def notifications(self) -> list[NotificationBinding[Any]]:
        params = mcp_types.TaskStatusNotificationParams
        return [NotificationBinding(method="notifications/tasks/status", params_type=params, handler=self.told)]

    async def told(self, params: mcp_types.TaskStatusNotificationParams) -> None:
        self.statuses.append(params.model_dump(**WIRE))

    async def resolve(self, made: TaskResult, context: ClaimContext) -> mcp_types.CallToolResult:
        async def send(method: str, **more: Any) -> dict[str, Any]:
            request = TaskRequest(method=method, params={"taskId": made.task_id, **more})
            return await context.session.send_request(request, PLAIN)

        while (got := await send("tasks/get"))["status"] not in OVER:
            if asked := got.get("inputRequests"):
                answers = {}
                for key, request in asked.items():
                    question = mcp_types.ElicitRequest.model_validate(request)
                    answer = await context.session.dispatch_input_request(None, question)
                    answers[key] = answer.model_dump(**WIRE)
                await send("tasks/update", inputResponses=answers)
            await anyio.sleep(POLL_S)
        return mcp_types.CallToolResult.model_validate(got["result"])


class Peer:
    """Adapts `mcp.Client` to the interface of plan.py."""

    reference = False
    one_by_one = False
    notice = "handler for"

    def __init__(
        self,
        client: Client,
        host: Host,
        strays: list[str],
        logs: list[dict[str, Any]],
        statuses: list[dict[str, Any]],
    ):
        self.host = host
        self.client = client
        self.version = client.protocol_version
        self.modern = self.version in MODERN_PROTOCOL_VERSIONS
        self.logs = logs
        self.strays = strays
        self.statuses = statuses
        self.follows = self.modern
        self.group: Any = None

    async def answer(self, call: Any) -> dict[str, Any]:
        try:
            return (await call).model_dump(**WIRE)
        except MCPError as error:
            raise ServerError(error.code, error.message, error.data) from None

    async def list(self, kind: str, cursor: str | None) -> dict[str, Any]:
        if kind == "tasks":
            params = mcp_types.PaginatedRequestParams(cursor=cursor)
            request = mcp_types.ListTasksRequest(params=params)
            return await self.answer(self.client.session.send_request(request, mcp_types.ListTasksResult))
        call = {
            "tools": self.client.list_tools,
            "prompts": self.client.list_prompts,
            "resources": self.client.list_resources,
            "templates": self.client.list_resource_templates,
        }[kind]
        return await self.answer(call(cursor=cursor, cache_mode="bypass"))

    async def call(self, name: str, args: dict[str, Any], progress: Any = None, level: str | None = None) -> dict[str, Any]:
        meta = {LOG_LEVEL_META_KEY: level} if level else None
        return await self.answer(self.client.call_tool(name, args, progress_callback=progress, meta=meta))

    async def read(self, uri: str) -> dict[str, Any]:
        return await self.answer(self.client.read_resource(uri, cache_mode="bypass"))

    async def get(self, name: str, args: dict[str, str]) -> dict[str, Any]:
        return await self.answer(self.client.get_prompt(name, args))

    async def complete(self, prompt: str, name: str, value: str) -> dict[str, Any]:
        ref = PromptReference(type="ref/prompt", name=prompt)
        return await self.answer(self.client.complete(ref, {"name": name, "value": value}))

    async def ping(self) -> dict[str, Any]:
        return await self.answer(self.client.send_ping())

    async def set_level(self, level: str) -> dict[str, Any]:
        return await self.answer(self.client.set_logging_level(level))

    async def subscribe(self, uri: str) -> dict[str, Any]:
        return await self.answer(self.client.subscribe_resource(uri))

    async def unsubscribe(self, uri: str) -> dict[str, Any]:
        return await self.answer(self.client.unsubscribe_resource(uri))

    async def listen(self, uri: str) -> None:
        async with self.client.listen(resource_subscriptions=[uri], tools_list_changed=True) as subscription:
            same(subscription.honored.resource_subscriptions, [uri])
            same(subscription.honored.tools_list_changed, True)
            await self.client.call_tool("test_simple_text", {})

    async def create(self, name: str, args: dict[str, Any], ttl: int) -> dict[str, Any]:
        if self.modern:
            return await self.create_modern(name, args)
        task = mcp_types.TaskMetadata(ttl=ttl)
        request = mcp_types.CallToolRequest(params=mcp_types.CallToolRequestParams(name=name, arguments=args, task=task))
        try:
            got = await self.answer(self.client.session.send_request(request, mcp_types.CallToolResult))
        except ValidationError as error:
            # The library sends the request, and then takes nothing but a tool result for an answer: what it refuses is
            # in its error.
            made = mcp_types.CreateTaskResult.model_validate(error.errors()[0]["input"])
            return made.model_dump(**WIRE)["task"]
        raise AssertionError(f"no task but {got!r:.200}")

    async def create_modern(self, name: str, args: dict[str, Any]) -> dict[str, Any]:
        answers, state = None, None
        while True:
            call = self.client.session.call_tool(
                name, args, input_responses=answers, request_state=state, allow_input_required=True, allow_claimed=True
            )
            try:
                got = await call
            except MCPError as error:
                raise ServerError(error.code, error.message, error.data) from None
            if not isinstance(got, mcp_types.InputRequiredResult):
                need(isinstance(got, TaskResult), f"no task but {got!r:.200}")
                return got.model_dump(**WIRE)
            state = got.request_state
            asked = (got.input_requests or {}).items()
            answers = {key: await self.client.session.dispatch_input_request(None, request) for key, request in asked}

    async def task(self, method: str, task: str, **more: Any) -> dict[str, Any]:
        session = self.client.session
        if self.modern:
            request = TaskRequest(method=f"tasks/{method}", params={"taskId": task, **more})
            try:
                return await session.send_request(request, PLAIN)
            except MCPError as error:
                raise ServerError(error.code, error.message, error.data) from None
        match method:
            case "get":
                params = mcp_types.GetTaskRequestParams(task_id=task)
                call = session.send_request(mcp_types.GetTaskRequest(params=params), mcp_types.GetTaskResult)
            case "cancel":
                params = mcp_types.CancelTaskRequestParams(task_id=task)
                call = session.send_request(mcp_types.CancelTaskRequest(params=params), mcp_types.CancelTaskResult)
            case _:
                params = mcp_types.GetTaskPayloadRequestParams(task_id=task)
                call = session.send_request(mcp_types.GetTaskPayloadRequest(params=params), mcp_types.CallToolResult)
        return await self.answer(call)

    async def follow(self, name: str, args: dict[str, Any]) -> dict[str, Any]:
        return await self.call(name, args)

    async def start(self, name: str, args: dict[str, Any]) -> anyio.CancelScope:
        scope = anyio.CancelScope()

        async def run() -> None:
            with scope:
                await self.client.call_tool(name, args)
                self.strays.append("the cancelled call was answered")

        self.group.start_soon(run)
        # One turn of the loop lets the task write its request before the next one is written.
        await anyio.wait_all_tasks_blocked()
        return scope

    async def cancel(self, scope: anyio.CancelScope) -> None:
        scope.cancel()
        # The notification is written by the cancelled task.
        await anyio.wait_all_tasks_blocked()


async def leg(
    report: Report, server: list[str], mode: str, version: str | None, any_server: bool, bare: bool = False
) -> None:
    """One server process from connect to exit."""
    witness = Witness()
    command, args = witness.command(server)
    strays: list[str] = []
    logs: list[dict[str, Any]] = []
    statuses: list[dict[str, Any]] = []
    handler = Strays(strays)
    for name in ("mcp", "client"):
        logging.getLogger(name).addHandler(handler)

    async def on_log(params: Any) -> None:
        logs.append(params.model_dump(**WIRE))

    async def on_message(message: Any) -> None:
        if isinstance(message, Exception):
            strays.append(describe(message))

    transport = stdio_client(StdioServerParameters(command=command, args=args))
    host = Host()
    # The library's own time limit, because its connect must not be wrapped in a cancel scope.
    client = Client(
        transport,
        mode=mode,
        logging_callback=on_log,
        message_handler=on_message,
        read_timeout_seconds=CHECK_S,
        **({} if bare else callbacks(host, mcp_types)),
        extensions=None if bare else [Tasks(statuses)],
    )
    connected = False
    try:
        async with client:
            connected = True
            same(client.protocol_version, version or client.protocol_version)
            need(client.server_info is not None or mode == version or any_server, "the server did not name itself")
            report.line("connect")
            peer = Peer(client, host, strays, logs, statuses)
            plan = Plan(report, peer)
            async with anyio.create_task_group() as group:
                peer.group = group
                await (plan.run_any() if any_server else plan.run_bare() if bare else plan.run())
    except Exception as error:
        report.line("close" if connected else "connect", describe(error))
    if connected:
        await report.check("server leaves when its input ends", witness.left_by_itself)
    for name in ("mcp", "client"):
        logging.getLogger(name).removeHandler(handler)
    witness.forget()


async def main() -> int:
    any_server, Peer.reference, server = arguments("py_new.py")
    report = Report("py_new")
    report.leg = "auto"
    await leg(report, server, "auto", None if any_server else "2026-07-28", any_server)
    if not any_server:
        report.leg = "pinned/2026-07-28"
        await leg(report, server, "2026-07-28", "2026-07-28", any_server)
    if not any_server and not Peer.reference:
        report.leg = "bare/2026-07-28"
        await leg(report, server, "2026-07-28", "2026-07-28", any_server, bare=True)
    for version in HANDSHAKE_PROTOCOL_VERSIONS:
        report.leg = f"handshake/{version}"
        # The library always offers its newest; the older ones are offered by setting the name it reads.
        session_module.LATEST_HANDSHAKE_VERSION = version
        await leg(report, server, "legacy", version, any_server)
        if not any_server and not Peer.reference:
            report.leg = f"bare/{version}"
            await leg(report, server, "legacy", version, any_server, bare=True)
    return report.finish()


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    logging.lastResort = None
    for logger in ("mcp", "client"):
        logging.getLogger(logger).setLevel(logging.DEBUG)
    sys.exit(anyio.run(main))
