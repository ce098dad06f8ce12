"""Runs `midge` against one server, and looks at what it leaves behind."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
PEERS = HERE.parent.parent / "target" / "peers"
# Writes down when the server began, was sent a signal and ended, and with which status.
WITNESS = str(HERE.parent / "peers" / "witness")
RUN_S = 120
# What was killed needs a moment to be gone; what was left running is still there after it.
SETTLE_S = 2
PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """From now on, what `midge` leaves behind becomes a child of this process, where it is found."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise SystemExit("tests/servers: cannot adopt orphans, so nothing left behind would be seen; Linux is needed.")


def children() -> list[tuple[int, str]]:
    """Process id and state of every child of this process."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid():
            found.append((int(stat.parent.name), fields[0]))
    return found


class Record:
    """What the witness wrote down about the server processes of one run."""

    def __init__(self, path: Path):
        self.path = path
        path.write_text("")

    def lines(self) -> list[list[str]]:
        return [line.split() for line in self.path.read_text().splitlines()]

    def started(self) -> list[int]:
        return [int(line[1]) for line in self.lines() if line[0] == "start"]

    def end(self) -> str:
        """How the last server process ended: by itself with a status, by a signal, or killed."""
        started = self.started()
        if not started:
            return "never started"
        mine = [line for line in self.lines() if int(line[1]) == started[-1]]
        if any(line[0] == "signal" for line in mine):
            return "signal"
        ends = [line[2] for line in mine if line[0] == "exit"]
        return f"status {ends[0]}" if ends else "killed"


def left_behind(started: list[int]) -> str | None:
    """Why this process has children although everything has ended, or nothing. Ends what it finds."""
    unreaped: list[int] = []
    give_up = time.monotonic() + SETTLE_S
    while True:
        running = []
        for pid, state in children():
            if state == "Z":
                os.waitpid(pid, 0)
                unreaped += [pid] if pid in started else []
            else:
                running.append(pid)
        if not running or time.monotonic() > give_up:
            break
        time.sleep(0.02)
    if running:
        return "still running: " + "; ".join(ended(pid) for pid in running)
    return f"a zombie that midge did not wait for: {unreaped}" if unreaped else None


def ended(pid: int) -> str:
    """Ends a process and its children with it, and says what it was."""
    words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    for child, _ in children():
        ended(child)
    return f"{pid} {words[:200]}"


class Outcome:
    """One run of `midge`: its exit status, its JSON document, the two streams."""

    def __init__(self, status: int, stdout: str, stderr: str):
        self.status, self.stdout, self.stderr = status, stdout, stderr

    @property
    def document(self) -> dict:
        return json.loads(self.stdout)


class Report:
    """Prints one line per check and counts them."""

    passed = failed = 0

    def check(self, name: str, body: Callable[[], object]) -> None:
        """A check fails when it raises; what it raises is the reason."""
        why = None
        try:
            body()
        except Exception as error:
            why = " ".join(f"{type(error).__name__}: {error}".split())[:600]
        self.passed += why is None
        self.failed += why is not None
        print(f"ok {name}" if why is None else f"FAIL {name}: {why}", flush=True)

    def finish(self) -> int:
        print(f"{self.passed} passed, {self.failed} failed", flush=True)
        return 1 if self.failed or not self.passed else 0


def same(got: object, want: object, what: str = "") -> None:
    """Fails with both values when they differ."""
    if got != want:
        raise AssertionError(f"{what} got {got!r:.300}, want {want!r:.300}")


class Server:
    """One server, and the checks of `midge` against it: each run is checked, and so is its end."""

    def __init__(self, report: Report, binary: str, folder: Path, name: str, command: list[str], **env: str):
        self.report, self.binary, self.name, self.env = report, binary, name, env
        self.record = Record(folder / f"{name}.record")
        self.command = [WITNESS, str(self.record.path), *command]
        self.ends: list[str] = []

    def run(self, verb: str, *words: str, options: tuple[str, ...] = (), target: tuple[str, ...] | None = None) -> Outcome:
        options = ("--json", *options, *(f"--env={key}={value}" for key, value in self.env.items()))
        where = ("--", *self.command) if target is None else target
        self.record.path.write_text("")
        done = subprocess.run(
            [self.binary, *options, verb, *words, *where],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=RUN_S,
        )
        return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode(errors="replace"))

    def check(
        self,
        leg: str,
        run: Callable[[], Outcome],
        judge: Callable[[Outcome], object],
        status: int = 0,
        clean: bool = True,
    ) -> None:
        """Runs, judges the answer, then the end: nothing on stderr, the server gone and not killed, nothing left behind.

        `clean` is false where the server has a reason of its own to stay when its input ends.
        """
        outcome: list[Outcome] = []

        def answer() -> None:
            outcome.append(run())
            same(outcome[0].status, status, f"exit status; stderr: {outcome[0].stderr[-300:]!r};")
            judge(outcome[0])

        def end() -> None:
            if status == 0 and outcome:
                same(outcome[0].stderr, "", "stderr")
            if why := left_behind(self.record.started()):
                raise AssertionError(why)
            how = self.record.end()
            # On a busy machine a server may need longer than `midge` waits before it asks with a signal.
            same(how in ("status 0", "signal"), True, how)
            if clean:
                self.ends.append(how)

        self.report.check(f"{self.name} {leg}", answer)
        self.report.check(f"{self.name} {leg}.end", end)

    def ended(self) -> None:
        """Last: a server leaves by itself when its input ends; once that must have been in time, and mostly it is."""

        def mostly() -> None:
            by_itself = self.ends.count("status 0")
            same(2 * by_itself >= len(self.ends) > 0, True, f"{by_itself} of {len(self.ends)} runs")

        self.report.check(f"{self.name} ends.by-itself", mostly)

    # --- what every server is asked ---

    def info(self, revision: str, name: str, version: str, capabilities: set[str], **more: str) -> None:
        def judge(outcome: Outcome) -> None:
            said = outcome.document
            same([said["revision"], said["name"], said["version"]], [revision, name, version])
            same(set(said["capabilities"]), capabilities)
            for key, begin in more.items():
                same(said[key][: len(begin)], begin, key)

        self.check("info", lambda: self.run("info"), judge)

    def lists(self, tools: list[str], resources: list[str], templates: list[str], prompts: dict[str, list[str]]) -> None:
        """Everything it lists, by name, in the server's order. What a server does not offer is an empty list."""

        def named(rows: list[dict], key: str) -> list[str]:
            return [row[key] for row in rows]

        def of_prompts(outcome: Outcome) -> None:
            rows = outcome.document["prompts"]
            same({row["name"]: named(row.get("arguments", []), "name") for row in rows}, prompts)

        def of_resources(outcome: Outcome) -> None:
            same(named(outcome.document["resources"], "uri"), resources)
            same(named(outcome.document["resourceTemplates"], "uriTemplate"), templates)

        def of_tools(outcome: Outcome) -> None:
            rows = outcome.document["tools"]
            same(named(rows, "name"), tools)
            same([row["inputSchema"]["type"] for row in rows], ["object"] * len(rows))

        self.check("tools", lambda: self.run("tools"), of_tools)
        self.check("resources", lambda: self.run("resources"), of_resources)
        self.check("prompts", lambda: self.run("prompts"), of_prompts)

    def call(
        self,
        tool: str,
        *words: str,
        judge: Callable[[dict], object],
        leg: str = "",
        status: int = 0,
        clean: bool = True,
        **how: tuple,
    ) -> None:
        run = lambda: self.run("call", tool, *words, **how)  # noqa: E731
        self.check(f"call.{leg or tool}", run, lambda outcome: judge(outcome.document), status, clean)

    def says(self, tool: str, *words: str, want: str, **how: object) -> None:
        """The call's only content is this text."""

        def judge(document: dict) -> None:
            same(texts(document), [want])

        self.call(tool, *words, judge=judge, **how)


def texts(document: dict) -> list[str]:
    """The texts of a result whose blocks are all text."""
    same([block["type"] for block in document["content"]], ["text"] * len(document["content"]))
    return [block["text"] for block in document["content"]]
