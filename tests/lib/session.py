"""session.py PAGE BIN_DIR: runs the commands of a page's `console` blocks on a terminal of 100 columns and compares what
they show with what stands there; MIDGE_BLESS=1 writes it anew. Last line: `N passed, N failed`.

A line that begins with `$ ` is a command, for bash, with BIN_DIR first on the PATH; the lines up to the next one are what it
shows. What a person types stands before the block, in a comment: `<!-- types: 22 | yes -->` is two lines, each typed when the
command waits for one.
"""

import difflib
import os
import pty
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
from fcntl import ioctl

COLUMNS, ROWS, LIMIT_S, QUIET_S = 100, 40, 60, 0.4
BLOCK = re.compile(r"(?:<!-- types: (?P<typed>.*?) -->\n)?```console\n(?P<text>.*?)```\n", re.S)
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\x00-\x08\x0b-\x1f]")


def waits(shown):
    """Whether the last line is a prompt: it does not end, and it asks."""
    last = CONTROL.sub("", shown.rsplit("\n", 1)[-1])
    return last.rstrip().endswith((":", ">", "?", "]"))


def run(command, typed, folder, path):
    """What `command` shows on a terminal, line by line."""
    main, side = pty.openpty()
    ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    env = {
        "PATH": path + ":" + os.environ["PATH"],
        "HOME": folder,
        "TERM": "xterm",
        "NO_COLOR": "1",
        "LANG": "C.UTF-8",
    }
    child = subprocess.Popen(["bash", "-c", command], stdin=side, stdout=side, stderr=side, cwd=folder, env=env, start_new_session=True)
    os.close(side)
    shown, typed, ends = "", list(typed), time.monotonic() + LIMIT_S
    while time.monotonic() < ends:
        ready = select.select([main], [], [], QUIET_S)[0]
        if ready:
            try:
                piece = os.read(main, 65536)
            except OSError:
                piece = b""
            if not piece:
                break
            shown += piece.decode("utf-8", "replace")
        elif typed and waits(shown):
            os.write(main, typed.pop(0).encode() + b"\n")
    else:
        child.kill()
        shown += f"\n({command} did not end within {LIMIT_S} s)"
    child.wait()
    os.close(main)
    return clean(shown)


def clean(shown):
    """The lines as they stand on the screen at the end: what was drawn over is gone."""
    lines = []
    for line in shown.replace("\r\n", "\n").split("\n"):
        line = CONTROL.sub("", line.rsplit("\r", 1)[-1] if "\r" in line.rstrip("\r") else line)
        lines.append(line.rstrip())
    while lines and not lines[-1]:
        lines.pop()
    return lines


def main():
    page, path = sys.argv[1], os.path.abspath(sys.argv[2])
    with open(page, encoding="utf-8") as file:
        text = file.read()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:

        def again(block):
            nonlocal passed, failed
            typed = [word.strip() for word in (block["typed"] or "").split("|")] if block["typed"] else []
            lines, out, wanted = block["text"].rstrip("\n").split("\n"), [], []
            commands = [line[2:] for line in lines if line.startswith("$ ")]
            for command in commands:
                out += [f"$ {command}"] + run(command, typed, folder, path)
            if out == lines or os.environ.get("MIDGE_BLESS"):
                passed += 1
            else:
                failed += 1
                print("\n".join(difflib.unified_diff(lines, out, page, "shown", lineterm="", n=2)))
            start = block["text"]
            return block[0].replace(start, "\n".join(out) + "\n")

        new = BLOCK.sub(again, text)
    if os.environ.get("MIDGE_BLESS") and new != text:
        with open(page, "w", encoding="utf-8") as file:
            file.write(new)
    if passed + failed == 0:
        print(f"{page} has no console block")
        failed = 1
    print(f"{passed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
