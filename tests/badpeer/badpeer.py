"""badpeer.py SCENARIO: a server on stdio that misbehaves in one chosen way. `--list` names the ways; see README.md."""

from __future__ import annotations

import os
import sys
import threading

sys.dont_write_bytecode = True

import asking
import calls
import framing
import tasks
from peer import Peer

# Long enough for any test, short enough that a test that was killed leaves nothing behind for long.
LIMIT_S = float(os.environ.get("BADPEER_LIMIT_S", "120"))


class echo(Peer):
    """Nothing is wrong with it: what the other scenarios are compared with."""


def scenarios() -> dict[str, type[Peer]]:
    """Every scenario by its name: classes whose names begin with a capital are what they share."""
    found = {"echo": echo}
    for module in (framing, calls, asking, tasks):
        for name, value in vars(module).items():
            mine = isinstance(value, type) and issubclass(value, Peer) and value.__module__ == module.__name__
            if mine and name[0].islower():
                found[name] = value
    return found


def main() -> int:
    known = scenarios()
    if sys.argv[1:] == ["--list"]:
        for name, scenario in known.items():
            print(f"{name:22} {scenario.__doc__}")
        return 0
    if len(sys.argv) != 2 or sys.argv[1] not in known:
        print("usage: badpeer.py SCENARIO | --list", file=sys.stderr)
        return 2
    if "BADPEER_PID_FILE" in os.environ:
        with open(os.environ["BADPEER_PID_FILE"], "w", encoding="ascii") as file:
            file.write(f"{os.getpid()}\n")
    limit = threading.Timer(LIMIT_S, os._exit, (97,))
    limit.daemon = True
    limit.start()
    try:
        known[sys.argv[1]]().serve()
    except BrokenPipeError:
        pass
    return 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    # Answers that are still to come later have nobody to come to.
    os._exit(status)
