"""Which headers each C++ file of the project includes, itself or through the project headers that it includes.

Only the text of `#include` lines counts: conditions around them and what headers outside the project include do not.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

from cpp_text import sources, without_comments_and_literals

FOLDERS = ["src", "tests", "bench"]
# Where a quoted include is looked for, after the folder of the file.
SEARCH = ["src", "."]

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE)


@dataclass
class Source:
    path: str  # from the root of the project
    raw: str
    text: str  # without comments and literals, line by line as in the file
    quoted: list[str] = field(default_factory=list)
    angled: list[str] = field(default_factory=list)

    def line_of(self, position: int) -> int:
        return self.text.count("\n", 0, position) + 1


def read_source(root: Path, path: Path) -> Source:
    raw = path.read_text(encoding="utf-8")
    source = Source(path.relative_to(root).as_posix(), raw, without_comments_and_literals(raw))
    for match in INCLUDE.finditer(raw):
        if source.text[match.start():match.end()].strip():  # blank: in a comment or a literal
            (source.quoted if match[1] else source.angled).append(match[1] or match[2])
    return source


def normal(path: str) -> str:
    """The path without `.` and `..`."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in (".", ""):
            parts.append(part)
    return "/".join(parts)


def read_all(root: Path) -> dict[str, Source]:
    """The files below FOLDERS of a project, by path."""
    paths = [path for folder in FOLDERS for path in sources(root / folder)]
    return {source.path: source for source in (read_source(root, path) for path in paths)}


class IncludeGraph:
    """Which files of a project reach which, from what each includes in quotes."""

    def __init__(self, quoted: dict[str, list[str]]):
        self._paths = quoted.keys()
        self._by_name: dict[str, list[str]] = {}
        for path in quoted:
            self._by_name.setdefault(path.rpartition("/")[2], []).append(path)
        self._direct = {path: self._resolve_all(path, names) for path, names in quoted.items()}
        self._reached: dict[str, frozenset[str]] = {}

    def _resolve_all(self, path: str, names: list[str]) -> list[str]:
        return [found for found in (self.resolve(path, name) for name in names) if found]

    def resolve(self, path: str, name: str) -> str | None:
        """The file that `#include "name"` in `path` means, or None where it is generated or not there."""
        for folder in [path.rpartition("/")[0], *SEARCH]:
            if (found := normal(f"{folder}/{name}")) in self._paths:
                return found
        # A target may add folders to the search; of those, only its neighbours are likely.
        known = [file for file in self._by_name.get(name, []) if file.split("/")[0] == path.split("/")[0]]
        return known[0] if len(known) == 1 else None

    def direct(self, path: str) -> list[str]:
        """The project headers that the file itself includes."""
        return self._direct[path]

    def reached(self, path: str) -> frozenset[str]:
        """The file itself and every project header that it includes, directly or not."""
        if path not in self._reached:
            found, waiting = {path}, [path]
            while waiting:
                new = [header for header in self._direct[waiting.pop()] if header not in found]
                found.update(new)
                waiting += new
            self._reached[path] = frozenset(found)
        return self._reached[path]


class SourceGraph(IncludeGraph):
    """The same with the files themselves, all of them read."""

    def __init__(self, root: Path):
        self.files = read_all(root)
        super().__init__({path: source.quoted for path, source in self.files.items()})

    def outside(self, path: str) -> set[str]:
        """The headers in angle brackets that are reached."""
        return {name for file in self.reached(path) for name in self.files[file].angled}
