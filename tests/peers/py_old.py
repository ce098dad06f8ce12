"""PyPI mcp 1.30.0 against a stdio server: the handshake with each revision it knows."""

from __future__ import annotations

import logging
import sys
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

    modern = False
    # The library reads nothing while a callback runs.
    one_by_one = True
    notice = "the handler is broken"

    def __init__(
        self, session: ClientSession, host: Host, version: str, strays: list[str], logs: list[dict[str, Any]]
    ):
        self.session = session
        self.host = host
        self.version = version
        self.logs = logs
        self.strays = strays
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
        }[kind]
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

    async def start_slow(self, ms: int) -> tuple[anyio.CancelScope, int]:
        scope = anyio.CancelScope()
        # The library does not tell a request's id; it numbers them one by one.
        request_id = self.session._request_id

        async def run() -> None:
            with scope:
                await self.session.call_tool("test_slow", {"ms": ms})
                self.strays.append("the cancelled call was answered")

        self.group.start_soon(run)
        # One turn of the loop lets the task write its request before the next one is written.
        await anyio.wait_all_tasks_blocked()
        same(self.session._request_id, request_id + 1)
        return scope, request_id

    async def cancel_slow(self, running: tuple[anyio.CancelScope, int]) -> None:
        scope, request_id = running
        params = types.CancelledNotificationParams(requestId=request_id, reason="no longer needed")
        notification = types.CancelledNotification(method="notifications/cancelled", params=params)
        await self.session.send_notification(types.ClientNotification(notification))
        scope.cancel()


async def leg(report: Report, server: list[str], version: str, any_server: bool) -> None:
    """One server process from connect to exit."""
    witness = Witness()
    command, args = witness.command(server)
    strays: list[str] = []
    logs: list[dict[str, Any]] = []

    async def on_log(params: Any) -> None:
        logs.append(params.model_dump(**WIRE))

    async def on_message(message: Any) -> None:
        if isinstance(message, Exception):
            strays.append(describe(message))

    # The library always offers its newest; the older ones are offered by setting the name it reads.
    types.LATEST_PROTOCOL_VERSION = version
    connected = False
    try:
        async with AsyncExitStack() as stack:
            streams = await stack.enter_async_context(stdio_client(StdioServerParameters(command=command, args=args)))
            host = Host()
            session = ClientSession(
                *streams, logging_callback=on_log, message_handler=on_message, **callbacks(host, types)
            )
            await stack.enter_async_context(session)
            with anyio.fail_after(CHECK_S):
                hello = await session.initialize()
            connected = True
            same(hello.protocolVersion, version)
            report.line("connect")
            peer = Peer(session, host, version, strays, logs)
            plan = Plan(report, peer)
            async with anyio.create_task_group() as group:
                peer.group = group
                await (plan.run_any() if any_server else plan.run())
    except Exception as error:
        report.line("close" if connected else "connect", describe(error))
    if connected:
        await report.check("server leaves when its input ends", witness.left_by_itself)
    witness.forget()


async def main() -> int:
    any_server, server = arguments("py_old.py")
    report = Report("py_old")
    for version in list(SUPPORTED_PROTOCOL_VERSIONS):
        report.leg = f"handshake/{version}"
        await leg(report, server, version, any_server)
    return report.finish()


if __name__ == "__main__":
    # The library logs through the root logger, which would set itself up to print.
    logging.getLogger().addHandler(logging.NullHandler())
    sys.exit(anyio.run(main))
