"""The three npm servers: handshake revisions only, so `midge` has to fall back."""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path

from midge import PEERS, Outcome, Report, Server, same, texts

MODULES = PEERS / "npm-servers" / "node_modules" / "@modelcontextprotocol"
REVISION = "2025-11-25"


def everything(report: Report, binary: str, folder: Path) -> None:
    package = MODULES / "server-everything" / "dist"
    server = Server(report, binary, folder, "everything", ["node", str(package / "index.js"), "stdio"])
    capabilities = {"completions", "logging", "prompts", "resources", "tasks", "tools"}
    server.info(
        REVISION, "mcp-servers/everything", "2.0.0", capabilities,
        title="Everything Reference Server", instructions="# Everything Server",
    )  # fmt: skip
    documents = ["architecture", "extension", "features", "how-it-works", "instructions", "startup", "structure"]
    server.lists(
        tools=[
            "echo", "get-annotated-message", "get-env", "get-resource-links", "get-resource-reference",
            "get-structured-content", "get-sum", "get-tiny-image", "gzip-file-as-resource",
            "toggle-simulated-logging", "toggle-subscriber-updates", "trigger-long-running-operation",
            "simulate-research-query",
        ],
        resources=[f"demo://resource/static/document/{name}.md" for name in documents],
        templates=[
            "demo://resource/dynamic/text/{resourceId}",
            "demo://resource/dynamic/blob/{resourceId}",
        ],
        prompts={
            "simple-prompt": [],
            "args-prompt": ["city", "state"],
            "completable-prompt": ["department", "name"],
            "resource-prompt": ["resourceType", "resourceId"],
        },
    )  # fmt: skip
    everything_tools(server, folder)
    everything_rest(server, package)
    everything_asks(server, folder)


def everything_tools(server: Server, folder: Path) -> None:
    server.says("echo", "message=hé — 😀", want="Echo: hé — 😀")
    server.says("get-sum", "a=2", "b=3.5", want="The sum of 2 and 3.5 is 5.5.")
    server.says(
        "get-sum", "--no-check", "--args", '{"a":1,"b":"x"}', leg="get-sum.wrong", status=1,
        want="MCP error -32602: Input validation error: Invalid arguments for tool get-sum: "
        "Invalid input: expected number, received string at b",
    )  # fmt: skip

    def weather(document: dict) -> None:
        want = {"temperature": 36, "conditions": "Light rain / drizzle", "humidity": 82}
        same(document["structuredContent"], want)
        same([json.loads(text) for text in texts(document)], [want])

    def annotated(document: dict) -> None:
        notes = {"audience": ["user", "assistant"], "priority": 1}
        same(document["content"], [{"type": "text", "text": "Error: Operation failed", "annotations": notes}])

    def picture(document: dict) -> None:
        same([block["type"] for block in document["content"]], ["text", "image", "text"])
        same(document["content"][1]["mimeType"], "image/png")
        same(png_size(base64.b64decode(document["content"][1]["data"], validate=True)), (20, 20))

    def links(document: dict) -> None:
        rows = [block.get("uri") for block in document["content"]]
        same(rows, [None, "demo://resource/dynamic/blob/1", "demo://resource/dynamic/text/2"])

    server.call("get-structured-content", "location=Chicago", judge=weather)
    server.call("get-annotated-message", "messageType=error", "includeImage=false", judge=annotated)
    server.call("get-tiny-image", judge=picture)
    server.call("get-resource-links", "count=2", judge=links)
    server.says(
        "trigger-long-running-operation", "duration=1", "steps=4",
        want="Long running operation completed. Duration: 1 seconds, Steps: 4.",
    )  # fmt: skip

    def report(document: dict) -> None:
        (text,) = texts(document)
        same(text.splitlines()[0], "# Research Report: rust")
        same("Status progressed: `working` → `completed`" in text, True)

    # A tool that must be a task: `midge` sees that, and waits for it. The server stays for the task's time to live.
    server.call("simulate-research-query", "topic=rust", judge=report, clean=False)
    server.says("nope", "--no-check", want="MCP error -32602: Tool nope not found", leg="unknown", status=1)


def png_size(data: bytes) -> tuple[int, int]:
    same(data[:8], b"\x89PNG\r\n\x1a\n")
    return struct.unpack(">II", data[16:24])


def everything_rest(server: Server, package: Path) -> None:
    def feature_page(outcome: Outcome) -> None:
        uri = "demo://resource/static/document/features.md"
        text = (package / "docs" / "features.md").read_text()
        same(outcome.document["contents"], [{"uri": uri, "mimeType": "text/markdown", "text": text}])

    def blob(outcome: Outcome) -> None:
        (row,) = outcome.document["contents"]
        begin = b"Resource 7: This is a base64 blob created at "
        same(base64.b64decode(row["blob"], validate=True)[: len(begin)], begin)

    def weather(outcome: Outcome) -> None:
        content = {"type": "text", "text": "What's weather in Oslo, Norway?"}
        same(outcome.document["messages"], [{"role": "user", "content": content}])

    def departments(outcome: Outcome) -> None:
        said = outcome.document["completion"]
        same([said["values"], said["total"], said["hasMore"]], [["Engineering"], 1, False])

    uri = "demo://resource/static/document/features.md"
    server.check("read.text", lambda: server.run("read", uri), feature_page)
    server.check("read.blob", lambda: server.run("read", "demo://resource/dynamic/blob/7"), blob)
    server.check("read.unknown", lambda: server.run("read", "demo://nope/x"), is_error(-32602), status=1)
    server.check("get", lambda: server.run("get", "args-prompt", "city=Oslo", "state=Norway"), weather)
    server.check("get.unknown", lambda: server.run("get", "nope"), is_usage("nope"), status=2)
    server.check("call.untyped", lambda: server.run("call", "get-sum", "a=2", "b=x"), is_usage("`b`"), status=2)
    complete = ("prompt", "completable-prompt", "department=E")
    server.check("complete", lambda: server.run("complete", *complete), departments)


def is_error(code: int):
    """A judge: the document is a JSON-RPC error with this code."""
    return lambda outcome: same(outcome.document["error"]["code"], code)


def is_usage(word: str):
    """A judge: the command line is wrong, and the message has the word."""

    def judge(outcome: Outcome) -> None:
        error = outcome.document["error"]
        same([error["kind"], word in error["message"]], ["usage", True], error["message"])

    return judge


def everything_asks(server: Server, folder: Path) -> None:
    """What needs the client's side: roots, and a revision that the server does not speak."""
    root = folder / "a root"
    root.mkdir()

    def roots(document: dict) -> None:
        (text,) = texts(document)
        want = ["Current MCP Roots (1 total):", "", "1. a root", f"   URI: file://{folder}/a%20root", ""]
        same(text.splitlines()[:5], want)

    server.call("get-roots-list", judge=roots, options=("--root", str(root)))

    def refused(outcome: Outcome) -> None:
        same("error" in outcome.document, True)

    # A server that cannot be spoken to is closed as well.
    modern = ("--era", "modern")
    server.check("era.modern", lambda: server.run("info", options=modern), refused, status=3)
    server.ended()


def filesystem(report: Report, binary: str, folder: Path) -> None:
    home = folder / "files"
    home.mkdir()
    (home / "a.txt").write_text("one\ntwö\n")
    (home / "dot.png").write_bytes(base64.b64decode(DOT))
    entry = str(MODULES / "server-filesystem" / "dist" / "index.js")
    server = Server(report, binary, folder, "filesystem", ["node", entry, str(home)])
    server.info(REVISION, "secure-filesystem-server", "0.2.0", {"tools"})
    tools = [
        "read_file", "read_text_file", "read_media_file", "read_multiple_files", "write_file", "edit_file",
        "create_directory", "list_directory", "list_directory_with_sizes", "directory_tree", "move_file",
        "search_files", "get_file_info", "list_allowed_directories",
    ]  # fmt: skip
    server.lists(tools, [], [], {})

    def read(document: dict) -> None:
        same(document["structuredContent"], {"content": "one\ntwö\n"})
        same(texts(document), ["one\ntwö\n"])

    server.call("read_text_file", f"path={home}/a.txt", judge=read)

    def written(document: dict) -> None:
        same(texts(document), [f"Successfully wrote to {home}/b.txt"])
        same((home / "b.txt").read_text(), 'line "1"\n\tline 2')

    server.call("write_file", f"path={home}/b.txt", 'content=line "1"\n\tline 2', judge=written)

    def edited(document: dict) -> None:
        same((home / "a.txt").read_text(), "eins\ntwö\n")
        same("-one\n+eins\n twö" in texts(document)[0], True)

    edit = ("edits.0.oldText=one", "edits.0.newText=eins")
    server.call("edit_file", f"path={home}/a.txt", *edit, judge=edited)
    server.says("list_directory", f"path={home}", want="[FILE] a.txt\n[FILE] b.txt\n[FILE] dot.png")
    server.says("read_text_file", f"path={home}/a.txt", "head=1", leg="read_text_file.head", want="eins")
    many = (f"paths={home}/a.txt", f"paths={home}/b.txt")
    want = f'{home}/a.txt:\neins\ntwö\n\n\n---\n{home}/b.txt:\nline "1"\n\tline 2\n'
    server.says("read_multiple_files", *many, want=want)
    server.says(
        "read_text_file", "path=/etc/passwd", leg="read_text_file.denied", status=1,
        want=f"Access denied - path outside allowed directories: /etc/passwd not in {home}",
    )  # fmt: skip

    def dot(document: dict) -> None:
        same(document["content"], [{"type": "image", "data": DOT, "mimeType": "image/png"}])

    server.call("read_media_file", f"path={home}/dot.png", judge=dot)
    big = "".join(f"{n:07}\n" for n in range(1 << 17))
    (home / "big.txt").write_text(big)

    def whole(document: dict) -> None:
        same(texts(document) == [big], True, "the file of 1 MiB is the same")

    server.call("read_text_file", f"path={home}/big.txt", leg="read_text_file.big", judge=whole)
    # With roots, those are what it may read instead of its own arguments: from some time after it has heard of them.
    other = folder / "other"
    other.mkdir()

    def allowed(document: dict) -> None:
        (text,) = texts(document)
        same(text in [f"Allowed directories:\n{which}" for which in (other, home)], True, text)

    server.call("list_allowed_directories", judge=allowed, options=("--root", str(other)))
    # Its question for the roots is still open when the input ends, and then it does not leave by itself.
    named = lambda outcome: same(outcome.document["name"], "secure-filesystem-server")  # noqa: E731
    root = ("--root", str(other))
    server.check("info.roots", lambda: server.run("info", options=root), named, clean=False)
    server.ended()


DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="


def memory(report: Report, binary: str, folder: Path) -> None:
    """One run after the other on the same file: what the first one wrote, the next one reads."""
    file = folder / "memory.jsonl"
    entry = str(MODULES / "server-memory" / "dist" / "index.js")
    server = Server(report, binary, folder, "memory", ["node", entry], MEMORY_FILE_PATH=str(file))
    server.info(REVISION, "memory-server", "0.6.3", {"resources", "tools"})
    server.lists(
        tools=[
            "create_entities", "create_relations", "add_observations", "delete_entities", "delete_observations",
            "delete_relations", "read_graph", "search_nodes", "open_nodes",
        ],
        resources=["memory://knowledge-graph"],
        templates=[],
        prompts={},
    )  # fmt: skip
    ada = {"name": "Ada", "entityType": "person", "observations": ["writes", "counts"]}
    engine = {"name": "Engine", "entityType": "machine", "observations": []}
    relation = {"from": "Ada", "to": "Engine", "relationType": "programs"}
    graph = {"entities": [ada, engine], "relations": [relation]}

    def created(document: dict) -> None:
        same(document["structuredContent"], {"entities": [ada, engine]})
        same([json.loads(line)["name"] for line in file.read_text().splitlines()], ["Ada", "Engine"])

    entities = json.dumps({"entities": [ada, engine]})
    server.call("create_entities", "--args", entities, judge=created)
    words = ("relations.0.from=Ada", "relations.0.to=Engine", "relations.0.relationType=programs")
    server.call("create_relations", *words, judge=lambda d: same(d["structuredContent"], {"relations": [relation]}))
    server.call("read_graph", judge=lambda d: same(d["structuredContent"], graph))
    found = {"entities": [ada], "relations": [relation]}
    server.call("open_nodes", 'names:=["Ada"]', judge=lambda d: same(d["structuredContent"], found))
    server.call("search_nodes", "query=nothing of it", judge=lambda d: same(d["structuredContent"], {"entities": [], "relations": []}))

    def resource(outcome: Outcome) -> None:
        (row,) = outcome.document["contents"]
        same([row["uri"], row["mimeType"]], ["memory://knowledge-graph", "application/json"])
        same(json.loads(row["text"]), graph)

    server.check("read", lambda: server.run("read", "memory://knowledge-graph"), resource)

    # The configuration of desktop hosts in the place of a target.
    config = folder / "mcp.json"
    program, *args = server.command
    config.write_text(
        json.dumps({"mcpServers": {"mem": {"command": program, "args": args, "env": {"MEMORY_FILE_PATH": str(file)}}}})
    )
    server.env = {}
    where = ("--config", str(config), "--server", "mem")
    server.call("read_graph", judge=lambda d: same(d["structuredContent"], graph), leg="read_graph.config", options=where, target=())
    server.ended()
