"""PyPI mcp 1.30.0 against a stdio server: the handshake with each revision it knows, and without any capability."""

from __future__ import annotations

import logging
import sys
import warnings
from contextlib import AsyncExitStack
from typing import Any

import anyio
from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import McpError
from mcp.shared.version import SUPPORTED_PROTOCOL_VERSIONS
from pydantic import AnyUrl

from asks import Host, callbacks
from plan import Plan
from report import CHECK_S, Report, ServerError, Witness, arguments, describe, same

WIRE = {"by_alias": True, "mode": "json", "exclude_none": True}


class Peer:
    """Adapts `mcp.ClientSession` to the interface of plan.py."""

    reference = False
    modern = False
    # The library reads nothing while a callback runs.
    one_by_one = True
    notice = "the handler is broken"
    follows = True

    def __init__(
        self,
        session: ClientSession,
        host: Host,
        version: str,
        strays: list[str],
        logs: list[dict[str, Any]],
        statuses: list[dict[str, Any]],
    ):
        self.session = session
        self.host = host
        self.version = version
        self.logs = logs
        self.strays = strays
        self.statuses = statuses
        self.group: Any = None

    async def answer(self, call: Any) -> dict[str, Any]:
        try:
            return (await call).model_dump(**WIRE)
        except McpError as error:
            raise ServerError(error.error.code, error.error.message, error.error.data) from None

    async def list(self, kind: str, cursor: str | None) -> dict[str, Any]:
        call = {
            "tools": self.session.list_tools,
            "prompts": self.session.list_prompts,
            "resources": self.session.list_resources,
            "templates": self.session.list_resource_templates,
            "tasks": self.session.experimental.list_tasks,
        }[kind]
        if kind == "tasks":
            return await self.answer(call(cursor))
        params = types.PaginatedRequestParams(cursor=cursor) if cursor is not None else None
        return await self.answer(call(params=params))

    async def call(self, name: str, args: dict[str, Any], progress: Any = None, level: str | None = None) -> dict[str, Any]:
        return await self.answer(self.session.call_tool(name, args, progress_callback=progress))

    async def read(self, uri: str) -> dict[str, Any]:
        return await self.answer(self.session.read_resource(AnyUrl(uri)))

    async def get(self, name: str, args: dict[str, str]) -> dict[str, Any]:
        return await self.answer(self.session.get_prompt(name, args))

    async def complete(self, prompt: str, name: str, value: str) -> dict[str, Any]:
        ref = types.PromptReference(type="ref/prompt", name=prompt)
        return await self.answer(self.session.complete(ref, {"name": name, "value": value}))

    async def ping(self) -> dict[str, Any]:
        return await self.answer(self.session.send_ping())

    async def set_level(self, level: str) -> dict[str, Any]:
        return await self.answer(self.session.set_logging_level(level))

    async def subscribe(self, uri: str) -> dict[str, Any]:
        return await self.answer(self.session.subscribe_resource(AnyUrl(uri)))

    async def unsubscribe(self, uri: str) -> dict[str, Any]:
        return await self.answer(self.session.unsubscribe_resource(AnyUrl(uri)))

    async def create(self, name: str, args: dict[str, Any], ttl: int) -> dict[str, Any]:
        return (await self.answer(self.session.experimental.call_tool_as_task(name, args, ttl=ttl)))["task"]

    async def task(self, method: str, task: str) -> dict[str, Any]:
        tasks = self.session.experimental
        match method:
            case "get":
                return await self.answer(tasks.get_task(task))
            case "cancel":
                return await self.answer(tasks.cancel_task(task))
        return await self.answer(tasks.get_task_result(task, types.CallToolResult))

    async def follow(self, name: str, args: dict[str, Any]) -> dict[str, Any]:
        tasks = self.session.experimental
        made = await tasks.call_tool_as_task(name, args)
        last = made.task.status
        async for status in tasks.poll_task(made.task.taskId):
            last = status.status
        same(last, "completed")
        return await self.answer(tasks.get_task_result(made.task.taskId, types.CallToolResult))

    async def start(self, name: str, args: dict[str, Any]) -> tuple[anyio.CancelScope, int]:
        scope = anyio.CancelScope()
        # The library does not tell a request's id; it numbers them one by one.
        request_id = self.session._request_id

        async def run() -> None:
            with scope:
                await self.session.call_tool(name, args)
                self.strays.append("the cancelled call was answered")

        self.group.start_soon(run)
        # One turn of the loop lets the task write its request before the next one is written.
        await anyio.wait_all_tasks_blocked()
        same(self.session._request_id, request_id + 1)
        return scope, request_id

    async def cancel(self, running: tuple[anyio.CancelScope, int]) -> None:
        scope, request_id = running
        params = types.CancelledNotificationParams(requestId=request_id, reason="no longer needed")
        notification = types.CancelledNotification(method="notifications/cancelled", params=params)
        await self.session.send_notification(types.ClientNotification(notification))
        scope.cancel()


class Reader:
    """Reads along: the library says nothing of a question that is taken back after its callback has ended."""

    def __init__(self, stream: Any, host: Host):
        self.stream = stream
        self.host = host

    async def __aenter__(self) -> Reader:
        await self.stream.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> Any:
        return await self.stream.__aexit__(*error)

    async def __aiter__(self) -> Any:
        async for message in self.stream:
            if not isinstance(message, Exception):
                if getattr(message.message.root, "method", None) == "notifications/cancelled":
                    self.host.withdraw()
            yield message


async def leg(report: Report, server: list[str], version: str, any_server: bool, bare: bool = False) -> None:
    """One server process from connect to exit."""
    witness = Witness()
    command, args = witness.command(server)
    strays: list[str] = []
    logs: list[dict[str, Any]] = []
    statuses: list[dict[str, Any]] = []

    async def on_log(params: Any) -> None:
        logs.append(params.model_dump(**WIRE))

    async def on_message(message: Any) -> None:
        if isinstance(message, types.ServerNotification) and isinstance(message.root, types.TaskStatusNotification):
            statuses.append(message.root.params.model_dump(**WIRE))
        if isinstance(message, Exception):
            strays.append(describe(message))

    # The library always offers its newest; the older ones are offered by setting the name it reads.
    types.LATEST_PROTOCOL_VERSION = version
    connected = False
    try:
        async with AsyncExitStack() as stack:
            reads, writes = await stack.enter_async_context(stdio_client(StdioServerParameters(command=command, args=args)))
            host = Host()
            answers = {} if bare else callbacks(host, types)
            session = ClientSession(
                Reader(reads, host), writes, logging_callback=on_log, message_handler=on_message, **answers
            )
            await stack.enter_async_context(session)
            with anyio.fail_after(CHECK_S):
                hello = await session.initialize()
            connected = True
            same(hello.protocolVersion, version)
            report.line("connect")
            peer = Peer(session, host, version, strays, logs, statuses)
            plan = Plan(report, peer)
            async with anyio.create_task_group() as group:
                peer.group = group
                await (plan.run_any() if any_server else plan.run_bare() if bare else plan.run())
    except Exception as error:
        report.line("close" if connected else "connect", describe(error))
    if connected:
        await report.check("server leaves when its input ends", witness.left_by_itself)
    witness.forget()


async def main() -> int:
    any_server, Peer.reference, server = arguments("py_old.py")
    report = Report("py_old")
    for version in list(SUPPORTED_PROTOCOL_VERSIONS):
        report.leg = f"handshake/{version}"
        await leg(report, server, version, any_server)
        if not any_server and not Peer.reference:
            report.leg = f"bare/{version}"
            await leg(report, server, version, any_server, bare=True)
    return report.finish()


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    # The library logs through the root logger, which would set itself up to print.
    logging.getLogger().addHandler(logging.NullHandler())
    sys.exit(anyio.run(main))
