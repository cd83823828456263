#!/usr/bin/env python3
"""Refuses text that has no business in the repository, and source files that no CMakeLists.txt builds.

That is: paths of somebody's machine, hosts of package registries (a machine is configured for its own mirror),
and notes to do something later without the number of an issue. Usage: check_text.py [root of the project]
"""

import os
import re
import sys
from pathlib import Path

SKIPPED_FOLDERS = {".git", "build", "certs", "__pycache__"}

RULES = [
    (re.compile(r"(?<![\w.])/(?:work/(?:main|shared)|root/|home/[a-z])"),
     "this path exists on one machine only; write it relative to the project"),
    (re.compile(r"\b(?:(?:deb|snapshot|security)\.debian|pypi|registry\.npmjs|proxy\.golang|crates|rubygems)"
                r"\.(?:org|io)\b"),
     "name no package registry; the machine knows which mirror it uses"),
]
# Prose may talk about such notes, code may only write them with a number: T.DO(#12).
LATER = re.compile(r"\b(?:TO[D]O|FIX[M]E)\b(?!\(#\d+\))")


def files(root: Path) -> list[Path]:
    """Every file of the project, without what was built."""
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in SKIPPED_FOLDERS]
        found += [Path(folder) / name for name in names if name != ".git"]  # a file in a second worktree
    return sorted(found)


def check_lines(path: Path, text: str) -> list[tuple[int, str]]:
    found = []
    for number, line in enumerate(text.split("\n"), start=1):
        found += [(number, f"'{m[0]}': {sentence}") for pattern, sentence in RULES if (m := pattern.search(line))]
        if path.suffix != ".md" and LATER.search(line):
            found.append((number, "a note to do something later needs the number of its issue, as in (#12)"))
    return found


def check_is_built(path: Path) -> list[tuple[int, str]]:
    """A test that no list names never runs, and nobody notices."""
    list_file = path.parent / "CMakeLists.txt"
    names = list_file.read_text(encoding="utf-8").split() if list_file.exists() else []
    if any(word.strip("()") == path.name for word in names):
        return []
    return [(1, "no CMakeLists.txt beside it names this file, so it is never built")]


def main() -> int:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    failed = False
    for path in files(root):
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # not text
        found = check_lines(path, text)
        if path.suffix == ".cc" and path.relative_to(root).parts[0] == "src":
            found += check_is_built(path)
        for line, sentence in found:
            print(f"{path.relative_to(root)}:{line}: {sentence}")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
