"""Every dependency of the published crates declares a Rust version no newer than theirs."""

import json
import subprocess
import sys

OURS = (1, 88, 0)
run = subprocess.run(
    ["cargo", "metadata", "--format-version", "1", "--locked", "--all-features"], capture_output=True, text=True, check=True
)
data = json.loads(run.stdout)
packages = {p["id"]: p for p in data["packages"]}
nodes = {n["id"]: n for n in data["resolve"]["nodes"]}
todo = [i for i, p in packages.items() if p["name"] in ("midge", "midge-macros", "midge-host")]
seen, bad = set(), []
while todo:
    package = todo.pop()
    if package in seen:
        continue
    seen.add(package)
    version = packages[package].get("rust_version")
    if version and tuple(int(n) for n in (version + ".0.0").split(".")[:3]) > OURS:
        bad.append(f"{packages[package]['name']} needs Rust {version}")
    for dep in nodes[package]["deps"]:
        if any(kind["kind"] in (None, "build") for kind in dep["dep_kinds"]):
            todo.append(dep["pkg"])
print("\n".join(bad) or f"{len(seen)} packages build with Rust {'.'.join(map(str, OURS))} as they declare")
sys.exit(bool(bad))
