#!/usr/bin/env python3
"""Refuses C++ files that use what no header they reach declares. Usage: check_includes.py [root of the project]

Such files compile all the same where headers are precompiled. A file reaches what it includes itself or through headers of
the project. The check knows the names of the standard library, those of other libraries by their namespaces, and those that
headers of the project declare in namespaces. Where a name could be another one of the same text, it says nothing.
"""

import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from cpp_text import blank
from declared_names import NAME, declared_in
from include_graph import SourceGraph
from other_headers import GOOGLETEST, MATCHER, RULES
from standard_headers import MACROS, declared_by, providers

Finding = tuple[int, str]  # line and sentence

STANDARD = re.compile(r"\bstd::(\w+)")
MACRO = {name: re.compile(rf"(?<![\w.:>]){name}\b(?!::)") for name in MACROS}
STREAM = re.compile(r"\bstd::([oi]stream)& (\w+)\b")
# What follows the lower-case qualifiers: in model::Pod::Phase that is Pod.
PROJECT = re.compile(rf"(?<![\w:.])(?<!->)((?:::)?(?:[a-z_]\w*::)*)({NAME})\b")
# The names of tests are words, whatever else they may name.
TEST_NAMES = re.compile(r"\b(?:TEST|TEST_F|TEST_P|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP|INSTANTIATE_TEST_SUITE_P)\([^,)]*,\s*\w+")
OTHER_LIBRARY = re.compile(r"(?:::)?(?:boost|simdjson|std)::")


def first_uses(pattern: re.Pattern, text: str) -> Iterator[re.Match]:
    """The first match of each text."""
    seen = set()
    for match in pattern.finditer(text):
        if match[0] not in seen:
            seen.add(match[0])
            yield match


def line_of(text: str, match: re.Match) -> int:
    return text.count("\n", 0, match.start()) + 1


def either(headers: set[str] | list[str]) -> str:
    return " or ".join(f"<{name}>" for name in sorted(headers))


def enclosing(namespace: str) -> list[str]:
    """gs::cache, gs and the global namespace for gs::cache."""
    parts = namespace.split("::") if namespace else []
    return ["::".join(parts[:count]) for count in range(len(parts), -1, -1)]


class Checker:
    """Knows what the whole project declares, and looks at one file at a time."""

    def __init__(self, root: Path):
        self.graph = SourceGraph(root)
        self.standard = providers()
        self.declared = {path: declared_in(source.text) for path, source in self.graph.files.items()}
        # The headers that declare a name in a namespace, and all such names.
        self.headers: dict[tuple[str, str], set[str]] = {}
        for path, declared in self.declared.items():
            for key in declared.in_namespaces if path.endswith(".h") else ():
                self.headers.setdefault(key, set()).add(path)
        self.names = {name for _, name in self.headers}

    def check(self, path: str) -> list[Finding]:
        outside = self.graph.outside(path)
        return sorted({*self.standard_library(self.graph.files[path].text, declared_by(outside)),
                       *self.other_libraries(path, outside), *self.project(path)})

    def standard_library(self, text: str, reached: set[str]) -> Iterator[Finding]:
        for match in first_uses(STANDARD, text):
            headers = self.standard.get(match[1])
            if headers is None:
                yield line_of(text, match), f"{match[0]} is not in tools/standard_headers.py: add it there"
            elif not headers & reached:
                yield line_of(text, match), f"{match[0]} needs {either(headers)}"
        for name, headers in MACROS.items():
            if name in text and not reached.intersection(headers) and (match := MACRO[name].search(text)):
                yield line_of(text, match), f"{name} needs {either(headers)}"
        for match in first_uses(STREAM, text):  # <iosfwd> is enough to pass a stream on, but not to use it
            use = re.search(rf"\b{match[2]} (?:<<|>>) ", text)
            if use and match[1] not in declared_by(reached):
                yield line_of(text, use), f"a std::{match[1]} that is used needs <{match[1]}>"

    def other_libraries(self, path: str, outside: set[str]) -> Iterator[Finding]:
        text = self.with_full_namespaces(path)
        for rule in RULES:
            match = rule.broken(path, text, outside)
            if match and not self.is_declared_here(path, match[0]):
                yield line_of(text, match), f"{match[0].strip('(')} needs {rule.sentence}"
        if any(name.startswith("gmock/") for name in outside):
            return
        for match in first_uses(MATCHER, text):
            if match[1] not in GOOGLETEST and match[1] not in self.names:
                yield line_of(text, match), f"{match[0]} needs <gmock/gmock.h>"

    def with_full_namespaces(self, path: str) -> str:
        """The text of a file where namespaces of other libraries have their full name instead of an alias."""
        text = self.graph.files[path].text
        for alias, namespace in self.aliases(path):
            if OTHER_LIBRARY.match(namespace):
                text = re.sub(rf"(?<![\w:]){alias}::", f"{namespace}::", text)
        return text

    @cache
    def aliases(self, path: str) -> list[tuple[str, str]]:
        return sorted({item for file in self.graph.reached(path) for item in self.declared[file].aliases.items()})

    def is_declared_here(self, path: str, use: str) -> bool:
        """Whether the file declares it forward, in the namespace of the other library."""
        return any(namespace and f"{use}::".startswith(f"{namespace}::") for _, _, namespace in self.declared[path].regions)

    @cache
    def declared_around(self, path: str) -> set[str]:
        """What the file and the headers that it reaches declare anywhere."""
        return set().union(*(self.declared[file].anywhere for file in self.graph.reached(path)))

    def project(self, path: str) -> Iterator[Finding]:
        text = TEST_NAMES.sub(blank, self.declared[path].text)
        seen = set()
        for match in PROJECT.finditer(text):
            if match[2] not in self.names:
                continue
            namespace = self.declared[path].namespace_at(match.start())
            if (use := (namespace, match[1], match[2])) in seen:
                continue
            seen.add(use)
            if headers := self.missing(path, *use):
                yield line_of(text, match), f"{match[1]}{match[2]} needs " + " or ".join(f'"{name}"' for name in headers)

    def missing(self, path: str, namespace: str, qualifier: str, name: str) -> list[str]:
        """The headers of which the file must reach one for this name, and reaches none."""
        own, reached = self.declared[path], self.graph.reached(path)
        headers = self.candidates(path, namespace, qualifier, name)
        if not headers or headers & reached or name in own.anywhere or name in own.forward:
            return []
        if not qualifier and (len(headers) > 1 or name in self.declared_around(path)):
            return []
        return sorted(header.removeprefix("src/") for header in headers)

    def candidates(self, path: str, namespace: str, qualifier: str, name: str) -> set[str]:
        """The headers that declare what `qualifier``name` can mean in `namespace`."""
        inner = [""] if qualifier.startswith("::") else enclosing(namespace)
        inside = qualifier.strip(":")
        first, _, rest = inside.partition("::")
        insides = [inside] + ["::".join(filter(None, [whole, rest])) for alias, whole in self.aliases(path) if alias == first]
        names = {"::".join(filter(None, [outer, inside])) for outer in inner for inside in insides}
        return set().union(*(self.headers.get((whole, name), ()) for whole in names))


def main() -> int:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    checker = Checker(root)
    failed = False
    for path in checker.graph.files:
        for line, sentence in checker.check(path):
            print(f"{path}:{line}: {sentence}")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
