"""The fixture server on PyPI mcp 2.3.0, over stdio: shows that an official server passes the drivers' checks.

Run with the Python of target/peers/py-new. It is a check of the drivers, not of midge.
"""

from __future__ import annotations

import base64
import json
import warnings
from typing import Any

import anyio
import mcp_types as t
from mcp.server import Server
from mcp.server.lowlevel.server import NotificationOptions
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

import reference_asks
from blob import large_bytes

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
STEP_S = 0.05
cancelled = 0
level = "debug"


def text(value: str) -> t.TextContent:
    return t.TextContent(type="text", text=value)


def image() -> t.ImageContent:
    return t.ImageContent(type="image", data=PNG, mime_type="image/png")


def embedded(uri: str, mime: str, value: str) -> t.EmbeddedResource:
    return t.EmbeddedResource(type="resource", resource=t.TextResourceContents(uri=uri, mime_type=mime, text=value))


async def logging_tool(ctx: Any) -> list[Any]:
    modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
    wanted = (ctx.meta or {}).get(t.LOG_LEVEL_META_KEY) if modern else level
    for message in ["Tool execution started", "Tool processing data", "Tool execution completed"]:
        if wanted and LEVELS.index("info") >= LEVELS.index(wanted):
            params = t.LoggingMessageNotificationParams(level="info", data=message)
            await ctx.session.send_notification(
                t.LoggingMessageNotification(params=params), related_request_id=ctx.request_id
            )
    return [text("logged")]


async def progress_tool(ctx: Any) -> list[Any]:
    for step in (0, 50, 100):
        await ctx.session.report_progress(step, 100)
        # The Node clients handle an answer before the notifications that came in the same read, and so lose them.
        await anyio.sleep(STEP_S)
    return [text("done")]


async def slow(ms: int) -> list[Any]:
    global cancelled
    try:
        await anyio.sleep(ms / 1000)
    except anyio.get_cancelled_exc_class():
        cancelled += 1
        raise
    return [text(f"slow: {ms}")]


FIXED: dict[str, Any] = {
    "test_simple_text": lambda: [text("This is a simple text response for testing.")],
    "test_image_content": lambda: [image()],
    "test_audio_content": lambda: [t.AudioContent(type="audio", data=WAV, mime_type="audio/wav")],
    "test_embedded_resource": lambda: [
        embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    ],
    "test_multiple_content_types": lambda: [
        text("Multiple content types test:"),
        image(),
        embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
    "test_error_handling": lambda: [text("This tool intentionally returns an error for testing")],
    "test_cancelled_count": lambda: [text(f"cancelled: {cancelled}")],
}
OPEN = {
    "echo": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
    "test_slow": {"type": "object", "properties": {"ms": {"type": "integer"}}, "required": ["ms"]},
    "test_tool_with_logging": {"type": "object"},
    "test_tool_with_progress": {"type": "object"},
}


async def list_tools(ctx: Any, params: Any) -> t.ListToolsResult:
    schemas = {name: {"type": "object"} for name in [*FIXED, *reference_asks.TOOLS, "test_many_items"]} | OPEN
    tools = [t.Tool(name=n, description=f"Fixture {n}", input_schema=s) for n, s in sorted(schemas.items())]
    # Two to a page, so that the drivers' paging is tried too.
    start = int(params.cursor) if params and params.cursor else 0
    after = str(start + 2) if start + 2 < len(tools) else None
    return t.ListToolsResult(tools=tools[start : start + 2], next_cursor=after)


def many_items(count: int) -> t.CallToolResult:
    items = {"items": [{"n": n, "name": 'an "item"'} for n in range(count)]}
    return t.CallToolResult(content=[text(json.dumps(items))], structured_content=items)


async def call_tool(ctx: Any, params: t.CallToolRequestParams) -> t.CallToolResult | t.InputRequiredResult:
    args = params.arguments or {}
    name = params.name
    if name in reference_asks.TOOLS:
        return await reference_asks.call_tool(ctx, params)
    if name == "test_many_items":
        return many_items(args["count"])
    if name == "echo":
        content: list[Any] = [text(args["text"])]
    elif name == "test_slow":
        content = await slow(args["ms"])
    elif name == "test_tool_with_logging":
        content = await logging_tool(ctx)
    elif name == "test_tool_with_progress":
        content = await progress_tool(ctx)
    elif name in FIXED:
        content = FIXED[name]()
    else:
        raise MCPError(code=-32602, message=f"Unknown tool: {name}")
    return t.CallToolResult(content=content, is_error=name == "test_error_handling")


async def list_resources(ctx: Any, params: Any) -> t.ListResourcesResult:
    uris = ["test://static-text", "test://static-binary", "test://watched-resource"]
    return t.ListResourcesResult(resources=[t.Resource(uri=u, name=u, description=f"Fixture {u}") for u in uris])


async def list_templates(ctx: Any, params: Any) -> t.ListResourceTemplatesResult:
    one = t.ResourceTemplate(uri_template="test://template/{id}/data", name="template", description="Fixture template")
    return t.ListResourceTemplatesResult(resource_templates=[one])


def large(uri: str) -> Any:
    kind, size = uri.split("/")[2:]
    bytes_ = large_bytes(0, int(size))
    if kind == "large-blob":
        blob = base64.b64encode(bytes_).decode()
        return t.BlobResourceContents(uri=uri, mime_type="application/octet-stream", blob=blob)
    body = "".join("\n" if n % 64 == 63 else chr(48 + byte % 10) for n, byte in enumerate(bytes_))
    return t.TextResourceContents(uri=uri, mime_type="text/plain", text=body)


async def read_resource(ctx: Any, params: t.ReadResourceRequestParams) -> t.ReadResourceResult:
    uri = str(params.uri)
    item: Any
    if uri == "test://static-text":
        body = "This is the content of the static text resource."
        item = t.TextResourceContents(uri=uri, mime_type="text/plain", text=body)
    elif uri == "test://static-binary":
        item = t.BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)
    elif uri.startswith("test://template/") and uri.endswith("/data"):
        part = uri.split("/")[3]
        body = json.dumps({"id": part, "templateTest": True, "data": f"Data for ID: {part}"})
        item = t.TextResourceContents(uri=uri, mime_type="application/json", text=body)
    elif uri.startswith("test://large-"):
        item = large(uri)
    else:
        code = -32602 if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS else -32002
        raise MCPError(code=code, message="Resource not found", data={"uri": uri})
    return t.ReadResourceResult(contents=[item])


PROMPTS = {
    "test_simple_prompt": [],
    "test_prompt_with_arguments": ["arg1", "arg2"],
    "test_prompt_with_embedded_resource": ["resourceUri"],
    "test_prompt_with_image": [],
}


async def list_prompts(ctx: Any, params: Any) -> t.ListPromptsResult:
    prompts = [
        t.Prompt(name=n, description=f"Fixture {n}", arguments=[t.PromptArgument(name=a, required=True) for a in args])
        for n, args in PROMPTS.items()
    ]
    return t.ListPromptsResult(prompts=prompts)


async def get_prompt(ctx: Any, params: t.GetPromptRequestParams) -> t.GetPromptResult | t.InputRequiredResult:
    args = params.arguments or {}
    if params.name == "test_input_required_result_prompt":
        return await reference_asks.get_prompt(ctx, params)
    if any(needed not in args for needed in PROMPTS.get(params.name, ["no such prompt"])):
        raise MCPError(code=-32602, message="Unknown prompt or missing argument")
    contents: list[Any] = {
        "test_simple_prompt": lambda: [text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments": lambda: [
            text(f"Prompt with arguments: arg1='{args['arg1']}', arg2='{args['arg2']}'")
        ],
        "test_prompt_with_embedded_resource": lambda: [
            embedded(args["resourceUri"], "text/plain", "Embedded resource content for testing."),
            text("Please process the embedded resource above."),
        ],
        "test_prompt_with_image": lambda: [image(), text("Please analyze the image above.")],
    }[params.name]()
    return t.GetPromptResult(messages=[t.PromptMessage(role="user", content=c) for c in contents])


async def completion(ctx: Any, params: Any) -> t.CompleteResult:
    return t.CompleteResult(completion=t.Completion(values=["paris", "park"]))


async def set_level(ctx: Any, params: t.SetLevelRequestParams) -> t.EmptyResult:
    global level
    level = params.level
    return t.EmptyResult()


async def nothing(ctx: Any, params: Any) -> t.EmptyResult:
    return t.EmptyResult()


async def main() -> None:
    server: Server[Any] = Server(
        "reference",
        version="1",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_subscribe_resource=nothing,
        on_unsubscribe_resource=nothing,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_completion=completion,
        on_set_logging_level=set_level,
        on_subscriptions_listen=ListenHandler(InMemorySubscriptionBus()),
    )
    options = server.create_initialization_options(
        NotificationOptions(prompts_changed=True, resources_changed=True, tools_changed=True)
    )
    async with stdio_server() as (read_stream, write_stream):
        await server.run(read_stream, write_stream, options)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    anyio.run(main)
