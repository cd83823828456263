#!/usr/bin/env python3
"""Says which source files of a folder may be compiled as one: tools/unity_groups.py OUTPUT.cmake [ROOT].

Files compiled as one share the headers they read, which halves the time. But they also see each other's private names: what stands
in an unnamed namespace, is static, or is a macro. So two files of a folder share a group only if no private name of one
is so much as written in the other: neither an error in another file nor another meaning can come of it. Whoever adds a helper
function need not know; the groups follow at the next configure.

Writes `set(GS_UNITY_GROUP_<path> <number>)` for every file, for cmake/gs_unity.cmake.
"""

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

from cpp_text import without_comments_and_literals

FOLDERS = ("src", "tests", "bench")
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


@dataclass
class Source:
    words: set[str]
    private: set[str] = field(default_factory=set)
    brought_in: dict[str, str] = field(default_factory=dict)  # a name, and the declaration that brought it in
    is_alone: bool = False


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


def read_source(path: Path) -> Source:
    text = without_comments_and_literals(path.read_text(encoding="utf-8"))
    source = Source(set(re.findall(r"[A-Za-z_]\w*", text)), is_alone=bool(DIRECTIVE.search(text)))
    source.words |= {f"operator{sign}" for sign in re.findall(r"\boperator\s*([^\w\s(]+)", text)}
    for found in BROUGHT_IN.finditer(text):
        source.brought_in[found[1] or found[2]] = " ".join(found[0].split())
    for part in unnamed_namespaces(text):
        source.private |= declared_in(part)
    for found in STATIC.findall(outermost(text)):
        source.private |= declared_in(found + ";")
    source.private |= set(MACRO.findall(text))
    source.private -= set(source.brought_in)
    return source


def disturbs(one: Source, other: Source) -> bool:
    """Whether a private name of one may mean something in the other."""
    if one.private & other.words:
        return True
    return any(other.brought_in.get(name, declaration) != declaration for name, declaration in one.brought_in.items())


def group_folder(paths: list[Path]) -> dict[Path, int]:
    """A group for each file: the first whose members it can stand beside."""
    groups: list[list[Source]] = []
    result = {}
    for path in paths:
        source = read_source(path)
        number = next((n for n, members in enumerate(groups) if not source.is_alone and not any(
            member.is_alone or disturbs(source, member) or disturbs(member, source) for member in members)), len(groups))
        if number == len(groups):
            groups.append([])
        groups[number].append(source)
        result[path] = number
    return result


def main(output: Path, root: Path) -> int:
    folders: dict[Path, list[Path]] = {}
    for path in sorted(path for folder in FOLDERS for path in (root / folder).rglob("*.cc")):
        folders.setdefault(path.parent, []).append(path)
    lines = [f"set(GS_UNITY_GROUP_{path.relative_to(root)} {number})\n"
             for paths in folders.values() for path, number in group_folder(paths).items()]
    text = "".join(lines)
    if not output.exists() or output.read_text(encoding="utf-8") != text:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else Path(__file__).resolve().parent.parent))
