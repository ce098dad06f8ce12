"""The three PyPI servers: they speak 2026-07-28, and the handshake revisions to whoever asks for them."""

from __future__ import annotations

import datetime
import http.server
import json
import os
import subprocess
import threading
import zoneinfo
from pathlib import Path

from midge import PEERS, Outcome, Report, Server, same, texts

BIN = PEERS / "py-servers" / "bin"
REVISION = "2026-07-28"
CAPABILITIES = {"prompts", "resources", "tools"}


def older(server: Server) -> None:
    """The same server in the newest revision with a handshake."""
    eras = {"handshake": "2025-11-25", "2025-06-18": "2025-06-18", "2024-11-05": "2024-11-05"}
    for era, revision in eras.items():
        options = ("--era", era)
        server.check(
            f"era.{era}",
            lambda options=options: server.run("info", options=options),
            lambda outcome, revision=revision: same(outcome.document["revision"], revision),
        )


def time(report: Report, binary: str, folder: Path) -> None:
    server = Server(report, binary, folder, "time", [str(BIN / "mcp-server-time"), "--local-timezone", "UTC"])
    server.info(REVISION, "mcp-time", "2026.10.19", CAPABILITIES)
    server.lists(["get_current_time", "convert_time"], [], [], {})

    def now(document: dict) -> None:
        held = document["structuredContent"]
        same([json.loads(text) for text in texts(document)], [held])
        same([held["timezone"], held["is_dst"]], ["UTC", False])
        at = datetime.datetime.fromisoformat(held["datetime"])
        age = datetime.datetime.now(datetime.timezone.utc) - at
        same(abs(age) < datetime.timedelta(minutes=5), True, f"{age} from now:")
        same(held["day_of_week"], at.strftime("%A"))

    def today() -> datetime.date:
        return datetime.datetime.now(zoneinfo.ZoneInfo("Asia/Tokyo")).date()

    def converted(document: dict) -> None:
        # Midnight may pass between the call and its check.
        days = {before, today()}
        sides = [document["structuredContent"][side]["datetime"] for side in ("source", "target")]
        same(sides in [[f"{day}T12:30:00+09:00", f"{day}T09:00:00+05:30"] for day in days], True, f"{sides}")
        same(document["structuredContent"]["time_difference"], "-3.5h")

    before = today()
    server.call("get_current_time", "timezone=UTC", judge=now)
    words = ("source_timezone=Asia/Tokyo", "time=12:30", "target_timezone=Asia/Kolkata")
    server.call("convert_time", *words, judge=converted)
    server.says(
        "get_current_time", "timezone=Mars/One", leg="get_current_time.wrong", status=1,
        want="Error executing tool get_current_time: Invalid timezone: 'No time zone found with key Mars/One'",
    )  # fmt: skip
    older(server)
    server.ended()


def git(report: Report, binary: str, folder: Path) -> None:
    home = folder / "repository"
    head = repository(home)
    server = Server(report, binary, folder, "git", [str(BIN / "mcp-server-git"), "--repository", str(home)])
    server.info(REVISION, "mcp-git", "2026.10.19", CAPABILITIES)
    tools = [
        "git_status", "git_diff_unstaged", "git_diff_staged", "git_diff", "git_commit", "git_add", "git_reset",
        "git_log", "git_create_branch", "git_checkout", "git_show", "git_branch",
    ]  # fmt: skip
    server.lists(tools, [], [], {})
    at = f"repo_path={home}"
    commit = f"Commit: {head}\nAuthor: T\nDate: 2026-01-02 03:04:05+00:00\nMessage: first"
    server.says("git_log", at, "max_count=1", want=f"Commit history:\n{commit}\n\n")
    server.says("git_branch", at, "branch_type=local", want="* main")
    server.says(
        "git_diff_unstaged", at,
        want="Unstaged changes:\ndiff --git a/f b/f\nindex 45b983b..65ef226 100644\n--- a/f\n+++ b/f\n"
        "@@ -1 +1,2 @@\n hi\n+more",
    )  # fmt: skip

    def status(document: dict) -> None:
        (text,) = texts(document)
        same(text.splitlines()[:2], ["Repository status:", "On branch main"])
        same(["\tmodified:   f" in text.splitlines(), "\tnew" in text.splitlines()], [True, True])

    server.call("git_status", at, judge=status)
    server.says("git_add", at, "files=f", "files=new", want="Files staged successfully")

    def committed(document: dict) -> None:
        # Whoever asks git itself sees the same commit.
        same(texts(document)[0], f"Changes committed successfully with hash {said(home, 'rev-parse', 'HEAD')}")
        same(said(home, "log", "-1", "--format=%s"), "second — é")
        same(said(home, "show", "--format=", "--name-only", "HEAD").splitlines(), ["f", "new"])

    server.call("git_commit", at, "message=second — é", judge=committed)
    server.says(
        "git_status", "repo_path=/", leg="git_status.denied", status=1,
        want=f"Error executing tool git_status: Repository path '/' is outside the allowed repository '{home}'",
    )  # fmt: skip
    older(server)
    server.ended()


def said(home: Path, *words: str) -> str:
    """What git says in the repository, whatever the user's own settings are."""
    env = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    when = "2026-01-02T03:04:05Z"
    env = {**env, "GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
    return subprocess.run(["git", *words], cwd=home, env=env, check=True, capture_output=True, text=True).stdout.strip()


def repository(home: Path) -> str:
    """A repository with one commit, a change and a new file; gives the commit's hash."""
    home.mkdir()
    said(home, "init", "-q", "-b", "main")
    said(home, "config", "user.name", "T")
    said(home, "config", "user.email", "t@example.org")
    said(home, "config", "commit.gpgsign", "false")
    (home / "f").write_text("hi\n")
    said(home, "add", "f")
    said(home, "commit", "-qm", "first")
    (home / "f").write_text("hi\nmore\n")
    (home / "new").write_text("n\n")
    return said(home, "rev-parse", "HEAD")


PAGES = {
    "/robots.txt": ("text/plain", "User-agent: *\nDisallow: /secret\n"),
    "/page.txt": ("text/plain", "plain wörds, "),
    "/page.html": ("text/html", "<html><body><article><h1>Head</h1><p>One <b>bold</b> word.</p></article></body></html>"),
}


class Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        kind, text = PAGES.get(self.path, ("text/plain", "nothing here"))
        body = text.encode()
        self.send_response(200 if self.path in PAGES else 404)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def fetch(report: Report, binary: str, folder: Path) -> None:
    """Without the internet: pages of this machine, which the server refuses unless it is told otherwise."""
    # A proxy of the machine would be asked for them instead.
    env = {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
    server = Server(report, binary, folder, "fetch", [str(BIN / "mcp-server-fetch")], **env)
    server.info(REVISION, "mcp-fetch", "2026.10.24", CAPABILITIES)
    server.lists(["fetch"], [], [], {"fetch": ["url"]})
    refused = (
        "127.0.0.1 resolves to 127.0.0.1, which is not a public address. Start the server with "
        "--allow-private-ips to allow private, loopback and link-local addresses."
    )
    server.says(
        "fetch", "url=http://127.0.0.1:9", leg="fetch.refused", status=1,
        want=f"Error executing tool fetch: Refused to fetch http://127.0.0.1:9/robots.txt: {refused}",
    )  # fmt: skip

    def prompt(outcome: Outcome) -> None:
        text = f"Refused to fetch http://127.0.0.1:9: {refused}"
        same(outcome.document["description"], "Fetch a URL and extract its contents as markdown")
        same(outcome.document["messages"], [{"content": {"text": text, "type": "text"}, "role": "user"}])

    server.check("get", lambda: server.run("get", "fetch", "url=http://127.0.0.1:9"), prompt)
    older(server)

    pages = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    at = f"http://127.0.0.1:{pages.server_port}"
    server.command.append("--allow-private-ips")
    server.says("fetch", f"url={at}/page.html", want=f"Contents of {at}/page.html:\n## Head\n\nOne **bold** word.")
    raw = "Content type text/plain; charset=utf-8 cannot be simplified to markdown, but here is the raw content:\n"
    server.says("fetch", f"url={at}/page.txt", want=f"{raw}Contents of {at}/page.txt:\nplain wörds, ", leg="fetch.text")
    more = "\n\n<error>Content truncated. Call the fetch tool with a start_index of 5 to get more content.</error>"
    cut = ("max_length=5", "raw=true")
    server.says(
        "fetch", f"url={at}/page.txt", *cut, want=f"{raw}Contents of {at}/page.txt:\nplain{more}", leg="fetch.cut"
    )
    missing = f"Error executing tool fetch: Failed to fetch {at}/none - status code 404"
    server.says("fetch", f"url={at}/none", want=missing, leg="fetch.missing", status=1)
    server.ended()
    pages.shutdown()
