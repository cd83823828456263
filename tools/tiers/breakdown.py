"""Where the time of a run went: tiers, builds, compile seconds by target and preset, and Go tools one by one.

Every process of a run appends to one file, named by the environment, so that the lanes' times arrive too.
"""

import json
import os
import re
from collections import Counter
from pathlib import Path

TIMES_FILE = "GS_TEST_TIMES_FILE"
GO_TIMES_FILE = "GS_GO_BUILD_TIMES"  # tools/cluster writes one line for every tool that was built
TARGETS_SHOWN = 8


def note(kind: str, name: str, seconds: float) -> None:
    """Nothing is kept outside a run of tools/run-tests."""
    if TIMES_FILE in os.environ:
        with open(os.environ[TIMES_FILE], "a", encoding="utf-8") as file:
            file.write(json.dumps({"kind": kind, "name": name, "seconds": round(seconds, 1)}) + "\n")


def lines_of(path: str) -> list[dict]:
    file = Path(path)
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []


def compiled_since(ninja_log: Path, started: float) -> Counter:
    """Seconds of one processor by target, of what ninja made since `started` (seconds since 1970)."""
    last = {}  # by command: some make several files, which have a line each
    for line in ninja_log.read_text(encoding="utf-8").splitlines()[1:]:
        begin, end, made, output, command = line.split("\t")
        if int(made) >= started * 1e9:
            last[command] = (output, (int(end) - int(begin)) / 1000)
    by_target = Counter()
    for output, spent in last.values():
        found = re.search(r"/CMakeFiles/([^/]+)\.dir/", output)
        by_target[found[1] if found else "precompiled headers" if "pch/" in output else "linking"] += spent
    return by_target


def in_words(seconds_by_name: Counter, shown: int | None = None) -> str:
    rest = len(seconds_by_name) - shown if shown else 0
    words = ", ".join(f"{name} {seconds:.0f}" for name, seconds in seconds_by_name.most_common(shown))
    return words + (f", {rest} others" if rest > 0 else "")


def sums(rows: list[dict], name_key: str) -> Counter:
    total = Counter()
    for row in rows:
        total[row[name_key]] += row["seconds"]
    return total


def show(build_folder: Path, started: float) -> None:
    print("\n== where the time went, in seconds", flush=True)
    noted = lines_of(os.environ.get(TIMES_FILE, ""))
    for kind in ("tier", "build"):
        rows = [row for row in noted if row["kind"] == kind]
        if rows:
            print(f"{kind}s: {in_words(sums(rows, 'name'))}")
    for log in sorted(build_folder.glob("*/.ninja_log")):
        by_target = compiled_since(log, started)
        if by_target:
            print(f"compiled, {log.parent.name}: {sum(by_target.values()):.0f} of one processor: "
                  f"{in_words(by_target, TARGETS_SHOWN)}")
    go_times = sums(lines_of(os.environ.get(GO_TIMES_FILE, "")), "tool")
    if go_times:
        print(f"Go tools: {in_words(go_times)}")
