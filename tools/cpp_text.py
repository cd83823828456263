"""C++ text for the checks: finds the files, and blanks comments and literals without moving a line."""

import re
from pathlib import Path

_TOKEN = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?\*/)"
    r"|(?P<literal>"
    r'R"(?P<delimiter>[^()\s\\]*)\(.*?\)(?P=delimiter)"'  # raw string
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<!\w)'(?:\\.|[^'\\\n])+'"  # a character; in 1'000 the quote follows a digit
    r")",
    re.DOTALL,
)


def sources(folder: Path) -> list[Path]:
    """Every header and source file below `folder`, in a stable order."""
    return sorted(p for p in folder.rglob("*") if p.suffix in (".h", ".cc"))


def is_test(path: Path) -> bool:
    """Tests, fuzzers and benchmarks may do what the code they try must not."""
    return path.stem.endswith(("_test", "_fuzz", "_bench"))


def without_comments(text: str) -> str:
    return _TOKEN.sub(lambda m: blank(m) if m["comment"] else m[0], text)


def without_comments_and_literals(text: str) -> str:
    return _TOKEN.sub(blank, text)


def blank(match: re.Match) -> str:
    """As many blanks as there were characters, on as many lines."""
    text = match[0]
    return re.sub(r"[^\n]", " ", text) if "\n" in text else " " * len(text)
