"""A server of either generation that does what the example servers do not."""

import json
import sys

PAGE = "x" * 100_000


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def text(said):
    return {"resultType": "complete", "content": [{"type": "text", "text": said}]}


def call(params):
    name = params["name"]
    if name == "meta":
        return text(json.dumps(params.get("_meta", {})))
    if name == "answers":
        return text(json.dumps(answers))
    if name == "ask":
        for n in range(params["arguments"]["questions"]):
            send({"id": f"q{n}", "method": "elicitation/create", "params": FORM})
        return text("asked")
    return text(name)


FORM = {"message": "?", "requestedSchema": {"type": "object", "properties": {}}}
WHO = {
    "protocolVersion": "2025-11-25",
    "supportedVersions": ["2026-07-28"],
    "capabilities": {"tools": {}, "resources": {}, "logging": {}},
    "serverInfo": {"name": "odd", "version": "1"},
    "resultType": "complete",
}
answers = {}

for line in sys.stdin:
    message = json.loads(line)
    method = message.get("method")
    if method is None:
        key = "error" if "error" in message else message["result"]["action"]
        answers[key] = answers.get(key, 0) + 1
    elif method in ("initialize", "server/discover"):
        send({"id": message["id"], "result": WHO})
    elif method == "tools/call":
        send({"id": message["id"], "result": call(message["params"])})
    elif method == "tools/list":
        # Pages without an end, each with a cursor of its own.
        page = int(message["params"].get("cursor", "0"))
        tool = {"name": f"tool{page}", "description": PAGE, "inputSchema": {"type": "object"}}
        send({"id": message["id"], "result": {"tools": [tool], "nextCursor": str(page + 1)}})
    elif method == "resources/list":
        send({"id": message["id"], "result": {"resources": [{"name": "no uri"}]}})
