"""Counting and printing of checks, shared by the Python drivers."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio

CHECK_S = 60
WITNESS = str(Path(__file__).with_name("witness"))


class ServerError(Exception):
    """A JSON-RPC error answer, in the same shape whichever client library raised it."""

    def __init__(self, code: int, message: str, data: object):
        super().__init__(f"error {code}: {message}")
        self.code = code
        self.data = data


class Report:
    """Prints one line per check and counts them."""

    def __init__(self, driver: str):
        self.driver = driver
        self.leg = ""
        self.passed = 0
        self.failed = 0

    def line(self, name: str, why: str | None = None) -> None:
        if why is None:
            self.passed += 1
            print(f"ok {self.driver} {self.leg} {name}", flush=True)
        else:
            self.failed += 1
            print(f"FAIL {self.driver} {self.leg} {name}: {why}", flush=True)

    async def check(self, name: str, body: Callable[[], Awaitable[None]]) -> bool:
        """Runs one check with a generous time limit; whatever it raises is the reason of the failure."""
        try:
            with anyio.fail_after(CHECK_S):
                await body()
        except TimeoutError:
            self.line(name, f"no outcome within {CHECK_S} s")
        except Exception as error:
            self.line(name, describe(error))
        else:
            self.line(name)
            return True
        return False

    def finish(self) -> int:
        print(f"{self.passed} passed, {self.failed} failed", flush=True)
        return 1 if self.failed or not self.passed else 0


def describe(error: BaseException) -> str:
    """One line for an exception; a group is described by its first member, which is the cause."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    text = " ".join(str(error).split()) or repr(error)
    return f"{type(error).__name__}: {text}"[:500]


def same(got: object, want: object) -> None:
    """Fails with both values when they differ."""
    if got != want:
        raise AssertionError(f"got {got!r:.300}, want {want!r:.300}")


def need(condition: object, why: str) -> None:
    """Fails with `why` unless the condition holds."""
    if not condition:
        raise AssertionError(why)


class Witness:
    """The record that tests/peers/witness keeps of the server process of one leg."""

    def __init__(self) -> None:
        handle, path = tempfile.mkstemp(prefix="peer-", suffix=".record")
        os.close(handle)
        self.path = Path(path)

    def command(self, server: list[str]) -> tuple[str, list[str]]:
        return WITNESS, [str(self.path), *server]

    async def left_by_itself(self) -> None:
        """Fails unless the last server process ended with status 0 and without a signal."""
        lines = self.path.read_text().splitlines()
        starts = [line.split()[1] for line in lines if line.startswith("start ")]
        need(starts, "the server was never started")
        mine = [line for line in lines if line.split()[1] == starts[-1]]
        need(not any(line.startswith("signal ") for line in mine), "the client had to stop it with a signal")
        ends = [line.split()[2] for line in mine if line.startswith("exit ")]
        need(ends, "the client killed it before it ended")
        same(ends, ["0"])

    def forget(self) -> None:
        self.path.unlink(missing_ok=True)


def arguments(name: str) -> tuple[bool, bool, list[str]]:
    """Reads `[--any-server|--reference] COMMAND...`; leaves with a usage line when the command is missing."""
    args = sys.argv[1:]
    any_server, reference = args[:1] == ["--any-server"], args[:1] == ["--reference"]
    if any_server or reference:
        args = args[1:]
    if not args:
        print(f"usage: {name} [--any-server|--reference] SERVER_COMMAND...", file=sys.stderr)
        raise SystemExit(2)
    return any_server, reference, args
