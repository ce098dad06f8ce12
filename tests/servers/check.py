"""check.py MIDGE_BINARY [SERVER...]: what a user of `midge` sees of six real servers. See README.md."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from midge import Report, adopt_orphans
from npm import everything, filesystem, memory
from pypi import fetch, git, time

SERVERS = {
    "everything": everything,
    "filesystem": filesystem,
    "memory": memory,
    "git": git,
    "fetch": fetch,
    "time": time,
}
SERVER_S = 900
LAST = re.compile(r"(\d+) passed, (\d+) failed")


def one(binary: str, name: str) -> int:
    """The checks of one server, in a process that has no other children."""
    adopt_orphans()
    report = Report()
    # Its real name, since servers compare paths with theirs.
    folder = Path(tempfile.mkdtemp(prefix="midge-servers-")).resolve()
    try:
        SERVERS[name](report, binary, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return report.finish()


def apart(binary: str, name: str) -> tuple[str, int, int]:
    """The same in a process of its own: what it printed, and how many checks passed and failed."""
    command = [sys.executable, __file__, binary, name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SERVER_S)
    except subprocess.TimeoutExpired:
        return f"FAIL {name}: its checks did not end within {SERVER_S} s\n", 0, 1
    *lines, last = done.stdout.splitlines() or [""]
    counts = LAST.fullmatch(last)
    if not counts:
        return f"{done.stdout}FAIL {name}: its checks ended before their last line: {done.stderr[-500:]!r}\n", 0, 1
    return "".join(line + "\n" for line in lines), int(counts[1]), int(counts[2])


def main() -> int:
    if len(sys.argv) < 2:
        print(f"usage: {sys.argv[0]} MIDGE_BINARY [SERVER...]", file=sys.stderr)
        return 2
    binary, names = str(Path(sys.argv[1]).resolve()), sys.argv[2:] or list(SERVERS)
    unknown = [name for name in names if name not in SERVERS]
    if unknown:
        print(f"there is no server '{unknown[0]}'; there are {', '.join(SERVERS)}", file=sys.stderr)
        return 2
    if len(names) == 1:
        return one(binary, names[0])
    passed = failed = 0
    # Most of the time goes into servers that start.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for text, good, bad in pool.map(lambda name: apart(binary, name), names):
            print(text, end="", flush=True)
            passed, failed = passed + good, failed + bad
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
