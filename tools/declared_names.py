"""What C++ text declares: the namespaces in a file, what its namespaces declare, and which names it declares anywhere.

This reads the style of this project, not all of C++: types, functions and constants begin with a capital letter or with k
and a capital letter, and only these count. Where the text leaves a doubt, names are declared rather than not.
"""

import re
from dataclasses import dataclass, field
from functools import cached_property

from cpp_text import blank

NAME = r"(?:k?[A-Z]\w*)"
PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", re.MULTILINE)
NAMESPACE = re.compile(r"^(?:inline\s+)?namespace(?:\s+([\w:]+))?$")
ATTRIBUTE = re.compile(r"\[\[.*?\]\]|\balignas\s*\([^)]*\)|\bGS_\w+\s*(?:\([^()]*\))?", re.DOTALL)
INNERMOST_ANGLES = re.compile(r"<[^<>]*>")
TYPE = re.compile(rf"^(?:enum\s+class|enum\s+struct|enum|class|struct|union)\s+({NAME})\s*(?:final\s*)?(?::(?!:)|$)")
ALIAS = re.compile(rf"^using\s+({NAME})\s*=")
USING = re.compile(rf"^using\s+(?:enum\s+)?[\w:]*::({NAME})$")
TEMPLATE = re.compile(r"^(?:template\s*(?:requires\s+[\w:\s&|]+?(?=\b(?:class|struct|using|constexpr|inline)\b))?)+")
CONCEPT = re.compile(rf"^concept\s+({NAME})\s*=")
FUNCTION = re.compile(rf"[\w>&*]\s*[\s&*]({NAME})\s*\(")
CONSTANT = re.compile(rf"[\w>&*]\s*[\s&*]({NAME})\s*(?:\[[^\]]*\]\s*)*(?:=|$)")
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)

# Anywhere in a file; the second group of TYPE_ANYWHERE tells a forward declaration.
TYPE_ANYWHERE = re.compile(rf"\b(?:class|struct|union|enum|typename|concept)\s+(?:(?:class|struct)\s+)?"
                           rf"(?:\[\[[^\]]*\]\]\s*|GS_\w+(?:\([^()]*\))?\s*)*(?:\w+::)*({NAME})\s*(;?)")
FUNCTION_ANYWHERE = re.compile(rf"(?<![\w.])(\w+)(?:>*[&*]*|\s*\]\])\s+({NAME})\s*\(|>[&*]*\s({NAME})\(")
CONSTANT_ANYWHERE = re.compile(r"[\w>&*\]]\s+(k[A-Z]\w*)\s*(?:=(?!=)|\{|\[|;)")
USING_ANYWHERE = re.compile(rf"\busing\s+(?:enum\s+)?(?:[\w:]*::)?({NAME})\s*[=;]")
ENUM_ANYWHERE = re.compile(r"\benum\b[^;{}()]*\{([^}]*)\}")
ENUMERATOR = re.compile(r"(?:^|,)\s*(\w+)")
ALIAS_OF_NAMESPACE = re.compile(r"\bnamespace\s+(\w+)\s*=\s*([\w:]+)\s*;")
NOT_TYPES = {"return", "co_return", "co_await", "co_yield", "else", "throw", "new", "case", "not", "and", "or", "do", "operator"}


@dataclass
class Declared:
    """Of one file."""

    text: str  # without comments, literals and preprocessor lines
    # Namespace and name of what stands in namespaces. Namespaces without a name count as those around them; macros are in the
    # global one.
    in_namespaces: set[tuple[str, str]] = field(default_factory=set)
    aliases: dict[str, str] = field(default_factory=dict)  # of namespaces
    regions: list[tuple[int, int, str]] = field(default_factory=list)  # from, to, namespace; inner ones follow outer ones

    def namespace_at(self, position: int) -> str:
        around = [name for start, end, name in self.regions if start <= position < end]
        return around[-1] if around else ""

    @cached_property
    def anywhere(self) -> set[str]:
        """The names that the file declares in any scope. They are only asked for when something seems to be missing."""
        found = {name for _, name in self.in_namespaces}
        found.update(name for name, semicolon in TYPE_ANYWHERE.findall(self.text) if not semicolon)
        found.update(name or after_angle for before, name, after_angle in FUNCTION_ANYWHERE.findall(self.text)
                     if before not in NOT_TYPES)
        found.update(CONSTANT_ANYWHERE.findall(self.text), USING_ANYWHERE.findall(self.text))
        for body in ENUM_ANYWHERE.findall(self.text):
            found.update(ENUMERATOR.findall(body))
        return found

    @cached_property
    def forward(self) -> set[str]:
        return {name for name, semicolon in TYPE_ANYWHERE.findall(self.text) if semicolon}


def without_preprocessor(text: str) -> str:
    return PREPROCESSOR.sub(blank, text)


def without_angles(text: str) -> str:
    """`text` without template arguments, which hold names and brackets of their own."""
    while (shorter := INNERMOST_ANGLES.sub("", text)) != text:
        text = shorter
    return text


def plain(statement: str) -> str:
    """A statement without attributes, template parameters and arguments."""
    text = ATTRIBUTE.sub(" ", statement)
    text = without_angles(text.replace("->", " ").replace("<=>", " ")).strip()
    return TEMPLATE.sub("", text).strip()


def name_of(text: str) -> str | None:
    """What a plain statement of a namespace declares: its text up to the body or the semicolon."""
    if text.startswith(("friend", "extern", "static_assert", "template")):
        return None
    for pattern in (TYPE, ALIAS, USING, CONCEPT):
        if match := pattern.match(text):
            return match[1]
    if text.startswith(("class ", "struct ", "enum ", "union ", "using ")):
        return None
    head = text.split("=")[0] if "(" not in text.split("=")[0] else text
    match = FUNCTION.search(head) if "(" in head else CONSTANT.search(head)
    return match[1] if match else None


class Scanner:
    """Walks through the braces of a file, and looks at what stands directly in namespaces."""

    BREAK = re.compile(r"[{};]")
    BRACE = re.compile(r"[{}]")

    def __init__(self, text: str):
        self.text = text
        self.declared = Declared(text)
        self.open: list[tuple[int, str]] = []  # namespaces that have begun: where, and the full name

    def namespace(self) -> str:
        return self.open[-1][1] if self.open else ""

    def scan(self) -> Declared:
        start = 0
        while match := self.BREAK.search(self.text, start):
            statement = self.text[start:match.start()].strip()
            start = match.end()
            if match[0] == "}":
                self.close(match.start())
            elif match[0] == "{" and (begun := NAMESPACE.match(statement)):
                inner = "::".join(part for part in (self.namespace(), begun[1] or "") if part)
                self.open.append((match.start(), inner))
            else:
                self.declare(statement, is_forward=match[0] == ";")
                if match[0] == "{":
                    start = self.end_of_body(start)
        return self.declared

    def close(self, end: int) -> None:
        if self.open:
            start, name = self.open.pop()
            self.declared.regions.insert(0, (start, end, name))

    def declare(self, statement: str, is_forward: bool) -> None:
        text = plain(statement)
        if (name := name_of(text)) and not (is_forward and TYPE.match(text)):
            self.declared.in_namespaces.add((self.namespace(), name))

    def end_of_body(self, start: int) -> int:
        """Behind the brace that closes the one before `start`."""
        depth = 1
        for match in self.BRACE.finditer(self.text, start):
            depth += 1 if match[0] == "{" else -1
            if depth == 0:
                return match.end()
        return len(self.text)


def declared_in(text: str) -> Declared:
    """What a file declares; `text` has no comments and literals."""
    macros = MACRO.findall(text)
    text = without_preprocessor(text)
    declared = Scanner(text).scan()
    declared.in_namespaces.update(("", name) for name in macros)
    declared.aliases = dict(ALIAS_OF_NAMESPACE.findall(text))
    return declared
