#!/usr/bin/env python3
"""Says which source files of a folder may be compiled as one: tools/unity_groups.py OUTPUT.cmake [ROOT].

Files compiled as one share the headers they read, which halves the time. But they also see each other's private names: what stands
in an unnamed namespace, is static, or is a macro. So two files of a folder share a group only if no private name of one
is so much as written in the other, or declared in a header that only the other includes: neither an error in another file nor
another meaning can come of it. Whoever adds a helper function need not know; the groups follow at the next configure.

Writes `set(GS_UNITY_GROUP_<path> <number>)` for every file, for cmake/gs_unity.cmake. What was read of a file is kept beside
the output until the file changes.
"""

import json
import re
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import declared_names
import include_graph
from cpp_text import sources

BRACKET = re.compile(r"[(){}]")
KEYWORDS = frozenset("const noexcept override requires decltype sizeof alignas return if for while switch auto explicit final "
                     "mutable operator default delete nodiscard public private class struct enum union".split())
DECLARED = [re.compile(pattern) for pattern in (
    r"\b(\w+)\s*\(\)",  # a function, or a variable made by its constructor
    r"\b(\w+)\s*(?:=(?!=)|;|\{\}|\[)",  # a variable, or a type without a base
    r"\b(?:class|struct|union|enum)\s+(?:\[\[\w+\]\]\s*)?(\w+)",
    r"\b(operator[^\w\s]+)\s*\(\)")]
MATCHER = re.compile(r"\bMATCHER(?:_P\d*)?\(\s*(\w+)")  # GoogleMock declares a function of this name
USED_MACRO = re.compile(r"[A-Z][A-Z0-9_]*")
MACRO = re.compile(r"^\s*#\s*define\s+(\w+)", re.MULTILINE)
STATIC = re.compile(r"^(?:inline |constexpr )*static\s[^;{}]*", re.MULTILINE)
BROUGHT_IN = re.compile(r"\busing\s+[\w:]*::(\w+)\s*;|^namespace\s+(\w+)\s*=[^;]*;", re.MULTILINE)
DIRECTIVE = re.compile(r"\busing\s+namespace\s+(?!std::)[\w:]+;")
UNSCOPED_ENUM = re.compile(r"\benum\s+(?!class|struct)\w*[^{;]*\{([^}]*)\}")


def closing(text: str, start: int) -> int:
    """The place behind the bracket that closes the one at `start`."""
    depth = 0
    for found in BRACKET.finditer(text, start):
        depth += 1 if found[0] in "({" else -1
        if depth == 0:
            return found.end()
    return len(text)


def outermost(text: str) -> str:
    """The text with everything inside brackets left out."""
    kept, place = [], 0
    while found := BRACKET.search(text, place):
        kept.append(text[place:found.start()] + ("()" if found[0] == "(" else "{}"))
        place = closing(text, found.start())
    return "".join(kept) + text[place:]


def unnamed_namespaces(text: str) -> list[str]:
    return [text[found.end():closing(text, found.end() - 1) - 1]
            for found in re.finditer(r"\bnamespace\s*\{", text)]


def declared_in(text: str) -> set[str]:
    names = {name for pattern in DECLARED for name in pattern.findall(outermost(text))}
    for enumerators in UNSCOPED_ENUM.findall(text):
        names |= set(re.findall(r"\b[A-Za-z_]\w*", enumerators))
    names |= set(MATCHER.findall(text))
    return {name for name in names - KEYWORDS if not USED_MACRO.fullmatch(name)}


def private_names(text: str) -> set[str]:
    names = set(MACRO.findall(text))
    for part in unnamed_namespaces(text):
        names |= declared_in(part)
    for found in STATIC.findall(outermost(text)):
        names |= declared_in(found + ";")
    return names


def facts_of(source: include_graph.Source) -> dict:
    """What the groups depend on, in values that JSON can hold."""
    if source.path.endswith(".h"):
        declared = declared_names.declared_in(source.text).in_namespaces
        return {"quoted": source.quoted, "declared": sorted({name for _, name in declared})}
    text = source.text
    words = set(re.findall(r"[A-Za-z_]\w*", text)) | {f"operator{sign}" for sign in re.findall(r"\boperator\s*([^\w\s(]+)", text)}
    brought_in = {found[1] or found[2]: " ".join(found[0].split()) for found in BROUGHT_IN.finditer(text)}
    return {"quoted": source.quoted, "declared": [], "words": sorted(words), "brought_in": brought_in,
            "private": sorted(private_names(text) - set(brought_in)), "is_alone": bool(DIRECTIVE.search(text))}


def read_facts(root: Path, kept: Path) -> dict[str, dict]:
    """The facts of every file, by its path. Those that were kept count while size and time of the file are the same."""
    known = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    facts = {}
    for path in (path for folder in include_graph.FOLDERS for path in sources(root / folder)):
        name, stamp = path.relative_to(root).as_posix(), [path.stat().st_mtime_ns, path.stat().st_size]
        facts[name] = known[name] if known.get(name, {}).get("stamp") == stamp else (
            facts_of(include_graph.read_source(root, path)) | {"stamp": stamp})
    if facts != known:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(facts), encoding="utf-8")
    return facts


@dataclass
class Source:
    facts: dict
    visible: set[str]  # what the headers that it reaches declare

    @cached_property
    def private(self) -> set[str]:
        return set(self.facts["private"])

    @cached_property
    def words(self) -> set[str]:
        return set(self.facts["words"])


def disturbs(one: Source, other: Source) -> bool:
    """Whether a private name of one may mean something in the other, or what only the other includes in the one."""
    if one.private & other.words or one.private & other.visible - one.visible:
        return True
    theirs = other.facts["brought_in"]
    return any(theirs.get(name, declaration) != declaration for name, declaration in one.facts["brought_in"].items())


def can_share(one: Source, other: Source) -> bool:
    return not (one.facts["is_alone"] or other.facts["is_alone"] or disturbs(one, other) or disturbs(other, one))


def group(members: dict[str, Source], most: int) -> dict[str, int]:
    """A group for each file: the first with room whose members it can stand beside."""
    groups: list[list[Source]] = []
    result = {}
    for path, source in members.items():
        number = next((n for n, others in enumerate(groups)
                       if len(others) < most and all(can_share(source, each) for each in others)), len(groups))
        if number == len(groups):
            groups.append([])
        groups[number].append(source)
        result[path] = number
    return result


def read_sources(root: Path, kept: Path) -> dict[str, Source]:
    """Every .cc file of the project, by its path. What was read of a file is kept until the file changes."""
    facts = read_facts(root, kept)
    graph = include_graph.IncludeGraph({path: each["quoted"] for path, each in facts.items()})
    return {path: Source(facts[path], {name for header in graph.reached(path) for name in facts[header]["declared"]})
            for path in facts if path.endswith(".cc")}


def main(output: Path, root: Path) -> int:
    folders: dict[str, dict[str, Source]] = {}
    for path, source in read_sources(root, output.with_suffix(".json")).items():
        folders.setdefault(path.rpartition("/")[0], {})[path] = source
    text = "".join(f"set(GS_UNITY_GROUP_{path} {number})\n"
                   for members in folders.values() for path, number in group(members, len(members)).items())
    if not output.exists() or output.read_text(encoding="utf-8") != text:
        output.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else Path(__file__).resolve().parent.parent))
