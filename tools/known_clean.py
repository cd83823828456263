"""Which C++ files clang-tidy need not read again, because it has passed the same text before.

What it says of a file depends on the file, on the headers that the file reaches, on .clang-tidy and on the program. Two memories
hold what passed: empty files in a cache folder, named by a hash of all that; and tools/tidy-green, which names commits
at which all files passed, for machines whose cache is empty. What neither knows counts as changed.
"""

import hashlib
import os
import subprocess
from pathlib import Path

from cpp_text import is_test
from include_graph import SourceGraph

SETTINGS = ".clang-tidy"
GREEN = "tools/tidy-green"
GREEN_COMMENT = """\
# Commits at which clang-tidy passed: "all COMMIT" for all files, "src COMMIT" for those of src but tests, fuzzers and
# benchmarks. `tools/tidy` writes it when all files pass and nothing is uncommitted; `tools/tidy --changed` starts from it.
"""
FAR = 1_000_000  # steps of includes to a file that has changed, where there is none


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "gpu-scheduler" / "tidy"


def git(root: Path, *arguments: str) -> list[str] | None:
    """The paths or words that git prints, or None when it cannot answer."""
    try:
        done = subprocess.run(["git", *arguments], cwd=root, check=False, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
    except OSError:
        return None
    return [word for word in done.stdout.replace("\0", "\n").split("\n") if word] if done.returncode == 0 else None


def changed_since(root: Path, commit: str) -> set[str] | None:
    """Files that differ from a commit, those that git does not know included; None when git cannot tell."""
    differing = git(root, "diff", "--name-only", "--no-renames", "--relative", "-z", commit, "--")
    unknown = git(root, "ls-files", "--others", "--exclude-standard", "-z")
    return None if differing is None or unknown is None else {*differing, *unknown}


def fingerprint(path: Path) -> str:
    return hashlib.sha256(path.read_bytes() if path.exists() else b"").hexdigest()


class KnownClean:
    """The memories of one project, for one version of clang-tidy."""

    def __init__(self, root: Path, version: str):
        self.root = root
        self.graph = SourceGraph(root)
        self.folder = cache_folder()
        settings = root / SETTINGS
        self.rules = version.encode() + b"\0" + (settings.read_bytes() if settings.exists() else b"")
        self.prints = {path: fingerprint(root / path) for path in self.graph.files}
        self.changed = self._changed_since_green()

    def _changed_since_green(self) -> dict[str, set[str]]:
        """For each scope of tools/tidy-green what has changed since its commit; without those that git does not know."""
        path = self.root / GREEN
        lines = path.read_text(encoding="ascii").splitlines() if path.exists() else []
        found = {}
        for scope, commit in (line.split() for line in lines if line and not line.startswith("#")):
            if (changed := changed_since(self.root, commit)) is not None and SETTINGS not in changed:
                found[scope] = changed
        return found

    def mark(self, path: str) -> Path:
        """Where the cache remembers that a file passed as it and its headers are now."""
        parts = [f"{file}={self.prints[file]}" for file in sorted(self.graph.reached(path))]
        return self._mark(["passed", path, *parts])

    def own_mark(self, path: str) -> Path:
        """Where the cache remembers that a file was part of something that passed."""
        return self._mark(["seen", path, self.prints[path]])

    def _mark(self, parts: list[str]) -> Path:
        return self.folder / hashlib.sha256(self.rules + b"\0" + "\n".join(parts).encode()).hexdigest()

    def is_clean(self, path: str) -> bool:
        return self.mark(path).exists() or any(not self.graph.reached(path) & changed for changed in self._scopes(path))

    def remember(self, path: str) -> None:
        """Writes down that a file passed, unless it or a header was edited meanwhile."""
        if any(fingerprint(self.root / file) != self.prints[file] for file in self.graph.reached(path)):
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        for mark in [self.mark(path), *map(self.own_mark, self.graph.reached(path))]:
            mark.touch()

    def _scopes(self, path: str) -> list[set[str]]:
        """What has changed since the commits at which this file passed."""
        in_src = path.startswith("src/") and not is_test(Path(path))
        return [changed for scope, changed in self.changed.items() if scope == "all" or (scope == "src" and in_src)]

    def has_changed_itself(self, path: str) -> bool:
        """Whether the file's own text is new, whatever it includes. A header passes with the files that include it."""
        scopes = self._scopes(path) if path.endswith(".cc") else list(self.changed.values())
        return not self.own_mark(path).exists() and not any(path not in changed for changed in scopes)

    def steps_to_change(self, path: str) -> int:
        """0 for a file that has changed, 1 for one that includes such a file, and so on."""
        seen, row, steps = {path}, [path], 0
        while row:
            if any(map(self.has_changed_itself, row)):
                return steps
            row = sorted({header for file in row for header in self.graph.direct(file)} - seen)
            seen.update(row)
            steps += 1
        return FAR

    def unknown(self, paths: list[str]) -> list[str]:
        """Those that are not known to be clean, the most directly changed first."""
        return sorted((path for path in paths if not self.is_clean(path)), key=lambda path: (self.steps_to_change(path), path))

    def write_green(self) -> bool:
        """Writes the commit down, when the files are as they are in it; whether it did."""
        head = git(self.root, "rev-parse", "HEAD")
        if not head or git(self.root, "status", "--porcelain") != []:
            return False
        (self.root / GREEN).write_text(f"{GREEN_COMMENT}all {head[0]}\n", encoding="ascii")
        return True
