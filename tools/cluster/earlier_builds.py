"""Finds an earlier build of a tool that still is what the wrapper module asks for.

All tools share a module, so its sums change when any of them does. Go writes into a program which modules it was made
of: when the ones of an earlier build, their sums and the recipe are the same now, so is the program.
"""

import re
import subprocess
from pathlib import Path

from tool_table import Tool, tools_folder

Module = tuple[str, ...]  # path and version, and those of its replacement, if any


def pinned_modules(go_mod: str) -> set[Module]:
    replaced = {path: (to, version)
                for path, to, version in re.findall(r"^(?:\t|replace )(\S+) => (\S+) (\S+)$", go_mod, re.MULTILINE)}
    required = re.findall(r"^(?:\t|require )(\S+) (v\S+)(?: // indirect)?$", go_mod, re.MULTILINE)
    return {(path, version, *replaced.get(path, ())) for path, version in required}


def modules_of(program: Path, go: str) -> tuple[set[Module], set[str]]:
    """What it was made of, and the lines of go.sum that vouch for that."""
    said = subprocess.run([go, "version", "-m", str(program)], text=True, capture_output=True, check=False).stdout
    modules, sums = [], set()
    for kind, path, version, *hashed in (line.split("\t")[1:] for line in said.splitlines() if line.count("\t") > 2):
        if kind in ("mod", "dep") and version != "(devel)":
            modules.append((path, version))
        elif kind == "=>":
            modules[-1] += (path, version)
        sums |= {f"{path} {version} {each}" for each in hashed if kind in ("mod", "dep", "=>") and each}
    return set(modules), sums


def is_current(tool: Tool, program: Path, go: str) -> bool:
    go_mod, go_sum = (path.read_text(encoding="utf-8") for path in tool.pins)
    modules, sums = modules_of(program, go)
    return bool(modules) and modules <= pinned_modules(go_mod) and sums <= set(go_sum.splitlines())


def find(tool: Tool, go: str) -> Path | None:
    if not tool.pins:
        return None
    found = tools_folder().glob(f"{tool.name}-{tool.recipe}-*")
    return next((program for program in sorted(found) if is_current(tool, program, go)), None)
