"""Whether an answer is what a case expects.

An object must have what is expected and may have more; a list must have as many elements, each as expected. A string of
the form <word> stands for something that differs from run to run: <any>, <absent>, <number>, <time>, <uid>,
<re: pattern>, and <has> as the first element of a list that
must have at least the others, in any order.
"""

import re


class Mismatch(Exception):
    """What was found is not what was expected."""


PATTERNS = {
    "<number>": r"\d+",
    "<time>": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z",
    "<uid>": r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
}


def look_up(value, path: str):
    """The value at a path such as metadata.labels.a, items.0.metadata.name or annotations['a.b/c']."""
    for step in re.findall(r"\['([^']*)'\]|([^.\[\]]+)", path):
        key = step[0] or step[1]
        try:
            value = value[int(key)] if isinstance(value, list) else value[key]
        except (KeyError, IndexError, ValueError, TypeError):
            raise Mismatch(f"there is no {path}") from None
    return value


def check(found, expected, where: str) -> None:
    if expected == "<any>":
        return
    if isinstance(expected, dict):
        check_object(found, expected, where)
    elif isinstance(expected, list):
        check_list(found, expected, where)
    elif isinstance(expected, str) and expected.startswith("<") and expected.endswith(">"):
        check_pattern(found, expected, where)
    elif found != expected or isinstance(found, bool) != isinstance(expected, bool):
        raise Mismatch(f"{where} is {found!r} and not {expected!r}")


def check_object(found, expected: dict, where: str) -> None:
    if not isinstance(found, dict):
        raise Mismatch(f"{where} is {found!r} and no object")
    for key, value in expected.items():
        if value == "<absent>":
            if key in found:
                raise Mismatch(f"{where} has {key}: {found[key]!r}")
        elif key not in found:
            raise Mismatch(f"{where} has no {key}, only {', '.join(found)}")
        else:
            check(found[key], value, f"{where}.{key}")


def check_list(found, expected: list, where: str) -> None:
    if not isinstance(found, list):
        raise Mismatch(f"{where} is {found!r} and no list")
    if expected[:1] == ["<has>"]:
        for each in expected[1:]:
            if not any(matches(one, each) for one in found):
                raise Mismatch(f"{where} has no element like {each!r}: {found!r}")
        return
    if len(found) != len(expected):
        raise Mismatch(f"{where} has {len(found)} elements and not {len(expected)}: {found!r}")
    for number, each in enumerate(expected):
        check(found[number], each, f"{where}.{number}")


def matches(found, expected) -> bool:
    try:
        check(found, expected, "")
        return True
    except Mismatch:
        return False


def check_pattern(found, expected: str, where: str) -> None:
    pattern = expected[5:-1] if expected.startswith("<re: ") else PATTERNS.get(expected)
    if pattern is None:
        if found != expected:
            raise Mismatch(f"{where} is {found!r} and not {expected!r}")
    elif not re.fullmatch(pattern, str(found)):
        raise Mismatch(f"{where} is {found!r}, which is not {expected}")
