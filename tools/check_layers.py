#!/usr/bin/env python3
"""Refuses `#include "..."` lines that point against the layers; cmake refuses the same for libraries.

A library uses itself, base, and what the table below names. Tests, fuzzers and benchmarks may use everything
in their layer and below, and tests/support. Usage: check_layers.py [root of the project]
"""

import re
import sys
from pathlib import Path

from cpp_text import is_test, sources, without_comments

LAYERS = ["base", "core", "adapters", "programs"]

# Inside core: the libraries each library may use, besides base.
CORE = {
    "model": [],
    "health": ["model"],
    "agent": ["model", "health"],
    "devices": ["model"],
    "cache": ["model"],
    "pending": ["model"],
    "admit": ["model"],
    "machinesets": ["model"],
    "commit": ["model"],
    "filter": ["model", "cache", "devices"],
    "score": ["model", "cache", "devices", "filter"],
    "decide": ["model", "cache", "devices", "filter", "score"],
    "explain": ["model", "cache", "pending", "devices", "filter", "score", "decide"],
    "cycle": ["model", "cache", "pending", "devices", "score", "decide", "commit", "explain"],
}

# The adapters each adapter may use, besides base and all of core.
ADAPTERS = {
    "runtime": [],
    "json": [],
    "metrics": ["runtime"],
    "yaml": ["json"],
    "certificates": [],
    "http": ["runtime", "certificates"],
    "config": ["yaml", "json", "runtime"],
    "gpu": ["yaml", "json", "runtime"],
    "kubelet": ["runtime"],
    "answers": ["kube", "yaml"],
    "recording": [],
    "kube": ["http", "json", "yaml", "runtime"],
    "admission": ["json", "kube", "localcluster"],
    "machinesets": ["json", "yaml", "runtime", "localcluster"],
    "localcluster": ["http", "certificates", "json", "yaml", "runtime", "kube"],
}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)


def library_of(path: str) -> tuple[str, str]:
    """Layer and library of a path below src, e.g. core/decide/devices/choose.h -> (core, devices)."""
    parts = path.split("/")
    if parts[0] == "base":
        return "base", "base"
    if parts[:2] == ["core", "decide"] and len(parts) > 3:
        return "core", parts[2]
    return parts[0], parts[1] if len(parts) > 2 else ""


def refusal(layer: str, library: str, test: bool, used_layer: str, used: str) -> str | None:
    """Why `library` must not include from `used`, or None when it may."""
    if LAYERS.index(used_layer) > LAYERS.index(layer):
        return (f"{layer} must not include from {used_layer}: a layer uses only itself and those below it; "
                "move the shared part down or pass it in")
    if (used_layer, used) == (layer, library) or test or used_layer != layer:
        return None
    if layer == "programs":
        return None if library == "local" else f"programs/{library} must not include programs/{used}: only local may"
    allowed = (CORE if layer == "core" else ADAPTERS).get(library)
    if allowed is None:
        return f"{layer}/{library} has no line in tools/check_layers.py: write down there what it may use"
    if used in allowed:
        return None
    return f"{library} must not include from {used}: it may use base{''.join(', ' + name for name in allowed)}"


def check_file(src: Path, path: Path) -> list[tuple[int, str]]:
    """The broken rules of one file as (line, sentence)."""
    layer, library = library_of(path.relative_to(src).as_posix())
    if layer not in LAYERS:
        return [(1, f"src/{layer} is no layer; the layers are {', '.join(LAYERS)}")]
    text = without_comments(path.read_text(encoding="utf-8"))
    found = []
    for match in INCLUDE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        used_layer, used = library_of(match[1])
        if used_layer == "tests" and is_test(path):
            continue
        if used_layer not in LAYERS:
            found.append((line, f'"{match[1]}": include project headers by their full path from src/'))
        elif sentence := refusal(layer, library, is_test(path), used_layer, used):
            found.append((line, sentence))
    return found


def main() -> int:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    failed = False
    for path in sources(root / "src"):
        for line, sentence in check_file(root / "src", path):
            print(f"{path.relative_to(root)}:{line}: {sentence}")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
