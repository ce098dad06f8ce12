"""A resource far larger than the server's memory: every byte is checked as it comes, and the server must not grow.

    python3 tests/peers/stream.py SERVER_COMMAND...

The server has a transmit buffer of 1 KiB (`MIDGE_TX_BYTES`). Needs Linux, for `/proc`, and no library.
"""

from __future__ import annotations

import binascii
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from blob import large_bytes

MODERN = "2026-07-28"
HANDSHAKE = "2025-11-25"
VERSIONS = [HANDSHAKE, MODERN]
READ_BYTES = 64 << 20
FIRST_READ_BYTES = 4096
LOOK_BYTES = 1 << 20
TX_BYTES = 1024
MUCH_BYTES = 1 << 20
GROWTH_KIB = 64
CHUNK_BYTES = 64 << 10
HEAD_CAP_BYTES = 64 << 10
MARK = b'"blob":"'


class Server:
    """A server process and the bytes it has written."""

    def __init__(self, command: list[str], tx_bytes: int):
        env = os.environ | {"MIDGE_TX_BYTES": str(tx_bytes)}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, bufsize=0)
        self.buffer = b""

    def send(self, message: dict[str, Any]) -> None:
        self.process.stdin.write(json.dumps(message).encode() + b"\n")

    def more(self) -> None:
        got = os.read(self.process.stdout.fileno(), CHUNK_BYTES)
        if not got:
            raise AssertionError("the server closed its output")
        self.buffer += got

    def until(self, mark: bytes) -> bytes:
        """Takes everything up to `mark` and the mark itself."""
        while mark not in self.buffer:
            if len(self.buffer) > HEAD_CAP_BYTES:
                raise AssertionError(f"no {mark!r} within {HEAD_CAP_BYTES} bytes")
            self.more()
        head, _, self.buffer = self.buffer.partition(mark)
        return head + mark

    def answer(self) -> dict[str, Any]:
        return json.loads(self.until(b"\n"))

    def memory(self, file: str, name: str) -> int:
        for line in Path(f"/proc/{self.process.pid}/{file}").read_text().splitlines():
            if line.startswith(name):
                return int(line.split()[1])
        raise AssertionError(f"the kernel does not tell {name}")

    def memory_kib(self) -> tuple[int, int]:
        """The peak of what the process has in RAM, and what it has now.

        Some kernels count the peak in steps of 128 KiB and more; what is there now they count page by page.
        """
        return self.memory("status", "VmHWM:"), self.memory("smaps_rollup", "Rss:")

    def end(self) -> None:
        self.process.stdin.close()
        status = self.process.wait(timeout=10)
        if status != 0:
            raise AssertionError(f"the server ended with status {status}")


def meta(version: str) -> dict[str, Any]:
    """What every request carries in this revision."""
    if version != MODERN:
        return {}
    prefix = "io.modelcontextprotocol"
    client = {"name": "stream", "version": "1"}
    values = {"protocolVersion": version, "clientCapabilities": {}, "clientInfo": client}
    return {"_meta": {f"{prefix}/{name}": value for name, value in values.items()}}


def begin(server: Server, version: str) -> None:
    """Makes the first exchange of the revision."""
    if version == MODERN:
        server.send({"jsonrpc": "2.0", "id": 0, "method": "server/discover", "params": meta(version)})
        assert version in server.answer()["result"]["supportedVersions"]
        return
    client = {"name": "stream", "version": "1"}
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
    server.send({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
    assert server.answer()["result"]["protocolVersion"] == version
    server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})


def check_digits(server: Server, size: int) -> int:
    """Takes the base64 text up to its closing quote, one chunk at a time; gives the most memory seen on the way."""
    done = most = looked = 0
    while True:
        if done >= looked:
            most = max(most, server.memory_kib()[1])
            looked += LOOK_BYTES
        digits, quote, rest = server.buffer.partition(b'"')
        # Only whole groups of four decode; the last ones come with the quote.
        take = len(digits) if quote else len(digits) - len(digits) % 4
        got = binascii.a2b_base64(digits[:take], strict_mode=True) if take else b""
        want = large_bytes(done, min(done + len(got), size))
        if got != want:
            at = next((n for n, (a, b) in enumerate(zip(got, want)) if a != b), len(want))
            raise AssertionError(f"byte {done + at} is wrong")
        done += len(got)
        if quote:
            server.buffer = quote + rest
            break
        server.buffer = digits[take:]
        server.more()
    if done != size:
        raise AssertionError(f"{done} bytes instead of {size}")
    return most


def read(server: Server, version: str, number: int, size: int) -> int:
    """Reads the resource; all of the answer but its blob must be the message that it should be. As `check_digits`."""
    uri = f"test://large-blob/{size}"
    params = {"uri": uri, **meta(version)}
    server.send({"jsonrpc": "2.0", "id": number, "method": "resources/read", "params": params})
    head = server.until(MARK)
    most = check_digits(server, size)
    answer = json.loads(head + server.until(b"\n"))
    (item,) = answer["result"]["contents"]
    got = (answer["id"], item["uri"], item["mimeType"], item["blob"])
    want = (number, uri, "application/octet-stream", "")
    if got != want:
        raise AssertionError(f"got {got}, want {want}")
    return most


def growth_kib(command: list[str], version: str, tx_bytes: int) -> int:
    """By how much one server grows while it is read from, in a process of its own."""
    server = Server(command, tx_bytes)
    try:
        begin(server, version)
        # Its code is in memory after a small read; what comes on top is the size's doing.
        read(server, version, 1, FIRST_READ_BYTES)
        peak, resident = server.memory_kib()
        most = read(server, version, 2, READ_BYTES)
        peak_after, resident_after = server.memory_kib()
        most = max(most, resident_after)
        print(f"{version}: peak {peak} KiB, then {peak_after}; in RAM {resident} KiB, then at most {most}", flush=True)
        server.end()
        return max(peak_after - peak, most - resident)
    finally:
        server.process.kill()


def through_little(command: list[str], version: str) -> None:
    growth = growth_kib(command, version, TX_BYTES)
    if growth >= GROWTH_KIB:
        raise AssertionError(f"the server grew by {growth} KiB, limit {GROWTH_KIB} KiB")


def through_much(command: list[str], version: str) -> None:
    """A buffer of 1 MiB is filled: its memory must show, or a server that collects its answer would not show either."""
    growth = growth_kib(command, version, MUCH_BYTES)
    if growth < MUCH_BYTES // 2048:
        raise AssertionError(f"a buffer of {MUCH_BYTES} bytes shows as {growth} KiB: the measurement is blind")


def main() -> int:
    command = sys.argv[1:]
    if not command:
        print("usage: stream.py SERVER_COMMAND...", file=sys.stderr)
        return 2
    size = f"{READ_BYTES >> 20} MiB"
    checks = [(f"{version}: {size} through {TX_BYTES} bytes", through_little, version) for version in VERSIONS]
    checks.append((f"{HANDSHAKE}: {size} through {MUCH_BYTES} bytes, seen to grow", through_much, HANDSHAKE))
    failed = 0
    for name, check, version in checks:
        try:
            check(command, version)
        except (AssertionError, OSError, ValueError, KeyError, subprocess.TimeoutExpired) as error:
            failed += 1
            print(f"FAIL {name}: {type(error).__name__}: {error}")
        else:
            print(f"ok {name}")
    print(f"{len(checks) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
