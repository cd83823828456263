#!/usr/bin/env python3
"""Writes the table of values in the README of each chart from the comments in its values.yaml.

Usage: chart_readme.py [--check] [root of the project]; with --check nothing is written, and a table that is out of date is
named.
"""

import json
import re
import sys
from pathlib import Path

import yaml

BEGIN, END = "<!-- values: written by tools/chart_readme.py -->", "<!-- end of values -->"
KEY = re.compile(r"^( *)([\w./-]+):")


def value_at(values, path: list[str]):
    for name in path:
        values = values[name]
    return values


def keys_with_comments(text: str, values: dict):
    """Every key with its path and the comment above it, in the order of the file. Lists are not looked into."""
    path: list[tuple[int, str]] = []
    comment: list[str] = []
    list_at = None
    for line in text.splitlines():
        indent, word = len(line) - len(line.lstrip()), line.strip()
        if list_at is not None and (word.startswith("- ") or indent > list_at):
            continue
        list_at = None
        match = KEY.match(line)
        if word.startswith("#"):
            comment.append(word.lstrip("# "))
        elif not match:
            comment = []  # an empty line: what stood above was about the file
        else:
            path = [*[step for step in path if step[0] < indent], (indent, match[2])]
            names = [name for _, name in path]
            yield names, " ".join(comment)
            comment = []
            list_at = indent if isinstance(value_at(values, names), list) else None


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def table(text: str) -> str:
    """A row per value; what a group of values is about stands in front of them."""
    values = yaml.safe_load(text)
    rows = ["| value | default | meaning |", "|---|---|---|"]
    for path, comment in keys_with_comments(text, values):
        value = value_at(values, path)
        is_group = isinstance(value, dict) and value != {}
        if is_group and not comment:
            continue
        default = "" if is_group else f"`{cell(json.dumps(value))}`"
        rows.append(f"| `{'.'.join(path)}` | {default} | {cell(comment)} |")
    return "\n".join(rows)


def with_table(readme: str, values: str) -> str:
    before, _, rest = readme.partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        raise ValueError(f"has no lines '{BEGIN}' and '{END}' to write the table between")
    return f"{before}{BEGIN}\n{table(values)}\n{END}{after}"


def main(words: list[str]) -> int:
    is_check = "--check" in words
    [root] = [Path(word) for word in words if word != "--check"] or [Path(".")]
    failed = False
    for chart in sorted((root / "charts").iterdir()):
        readme = chart / "README.md"
        try:
            wanted = with_table(readme.read_text(encoding="utf-8"), (chart / "values.yaml").read_text(encoding="utf-8"))
        except (OSError, ValueError) as problem:
            print(f"{readme.relative_to(root)}:1: {problem}")
            failed = True
            continue
        if not is_check:
            readme.write_text(wanted, encoding="utf-8")
        elif wanted != readme.read_text(encoding="utf-8"):
            print(f"{readme.relative_to(root)}:1: the table is not that of values.yaml; run tools/chart_readme.py")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
