#!/usr/bin/env python3
"""Checks that CHANGELOG.md has the shape of Keep a Changelog and says something about what comes next.

Usage: check_changelog.py [root of the project]
"""

import re
import sys
from pathlib import Path

KINDS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
RELEASE = re.compile(r"^## \[?(?:Unreleased|\d+\.\d+\.\d+[\w.+-]*\]? - \d{4}-\d{2}-\d{2})\]?$")


def check(text: str) -> list[tuple[int, str]]:
    """What is wrong with a changelog as (line, sentence)."""
    lines = text.split("\n")
    found = []
    if not lines[0].startswith("# Changelog"):
        found.append((1, "the first line must be '# Changelog'"))
    releases = [n for n, line in enumerate(lines, 1) if line.startswith("## ")]
    for number, line in enumerate(lines, 1):
        if line.startswith("## ") and not RELEASE.match(line):
            found.append((number, "a release is '## [Unreleased]' or '## [1.2.3] - 2024-01-31'"))
        if line.startswith("### ") and line[4:] not in KINDS:
            found.append((number, f"'{line[4:]}' is no kind of change; use one of {', '.join(KINDS)}"))
    if not releases or "Unreleased" not in lines[releases[0] - 1]:
        found.append((releases[0] if releases else 1, "the first release must be '## [Unreleased]'"))
        return found
    end = releases[1] - 1 if len(releases) > 1 else len(lines)
    if not any(line.startswith("- ") for line in lines[releases[0]:end]):
        found.append((releases[0], "Unreleased has no line yet: say in one what the change means to a user"))
    return found


def main() -> int:
    path = Path(sys.argv[1] if len(sys.argv) > 1 else ".") / "CHANGELOG.md"
    if not path.exists():
        print("CHANGELOG.md:1: there is no changelog; every change that a user notices has a line in it")
        return 1
    found = check(path.read_text(encoding="utf-8"))
    for line, sentence in found:
        print(f"CHANGELOG.md:{line}: {sentence}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
