"""Files of at most 500 lines (aim 400) and functions of 40: names those above. Only files over 500 lines fail.

Test data and locks do not count, and neither do the functions of tests, which are as long as what they tell."""

import re
import subprocess
import sys

LIMIT, AIM, FUNCTION = 500, 400, 40
START = re.compile(r"( *)(?:pub(?:\([a-z]+\))? )?(?:const |async |unsafe |extern \"C\" )*fn (\w+)")


def functions(lines):
    """(name, first line, length) of each function: rustfmt closes it at the indent it began with."""
    for at, line in enumerate(lines):
        begin = START.match(line)
        if not begin or line.rstrip().endswith(("}", ";")):
            continue
        for end in range(at + 1, len(lines)):
            if lines[end].startswith(begin[1] + "}"):
                yield begin[2], at + 1, end - at + 1
                break
            if lines[end].rstrip() == begin[1] + ");":
                break


def without_tests(lines):
    for at, line in enumerate(lines):
        if line.startswith("#[cfg(test)]"):
            return lines[:at]
    return lines


files = subprocess.run(["git", "ls-files", "*.rs", "*.py", "*.sh", "*.mjs"], capture_output=True, text=True, check=True)
failed = 0
for name in files.stdout.split():
    try:
        with open(name, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except FileNotFoundError:
        continue
    if len(lines) > AIM:
        print(f"{name}: {len(lines)} lines", "(too long: split it by verb)" if len(lines) > LIMIT else "")
    failed += len(lines) > LIMIT
    if name.endswith(".rs") and "/tests/" not in f"/{name}":
        for function, line, length in functions(without_tests(lines)):
            if length > FUNCTION:
                print(f"{name}:{line}: fn {function} has {length} lines")
sys.exit(failed > 0)
