"""check.py MIDGE_BINARY [SERVER...]: what a user of `midge` sees of six real servers. See README.md."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from midge import Report, adopt_orphans
from npm import everything, filesystem, memory
from pypi import fetch, git, time

SERVERS = {"everything": everything, "filesystem": filesystem, "memory": memory, "time": time, "git": git, "fetch": fetch}


def main() -> int:
    binary, names = str(Path(sys.argv[1]).resolve()), sys.argv[2:] or list(SERVERS)
    for name in names:
        if name not in SERVERS:
            print(f"there is no server '{name}'; there are {', '.join(SERVERS)}", file=sys.stderr)
            return 2
    adopt_orphans()
    report = Report()
    # Its real name, since servers compare paths with theirs.
    folder = Path(tempfile.mkdtemp(prefix="midge-servers-")).resolve()
    try:
        for name in names:
            SERVERS[name](report, binary, folder)
    finally:
        shutil.rmtree(folder)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
