"""counts.py STEP OK LOG: prints how many checks passed, failed and were skipped in a step's output."""

import re
import sys

ok, log = sys.argv[2] == "1", sys.argv[3]
with open(log, encoding="utf-8", errors="replace") as file:
    text = file.read()
cargo = re.findall(r"^test result: \w+\. (\d+) passed; (\d+) failed; \d+ ignored", text, re.M)
plain = re.findall(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", text, re.M)
if cargo:
    counts = [sum(int(row[i]) for row in cargo) for i in (0, 1)] + [0]
elif plain:
    counts = [int(n or 0) for n in plain[-1]]
else:
    counts = [int(ok), int(not ok), 0]
counts[2] += len(set(re.findall(r"^left out: .*$", text, re.M)))
if not ok and counts[1] == 0:
    counts[1] = 1
print(*counts)
