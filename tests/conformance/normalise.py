"""What kubectl prints, without what differs from run to run: ages, times, random parts of names, addresses, blanks between
columns."""

import re

RULES = [
    (r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "<uid>"),
    (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z\b", "<time>"),
    (r"\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}\b", "<time>"),
    (r"\b(\d+d)?(\d+h)?(\d+m)?\d+s\b", "<age>"),
    (r"(?<=-)[a-z0-9]{8,10}-[bcdfghjklmnpqrstvwxz2456789]{5}\b", "<random>"),
    (r"\b10\.\d+\.\d+\.\d+\b", "<address>"),
    (r'resourceVersion: "\d+"', 'resourceVersion: "<number>"'),
]


def normalise(text: str, namespace: str) -> str:
    text = text.replace(namespace, "<namespace>")
    for pattern, name in RULES:
        text = re.sub(pattern, name, text)
    lines = [re.sub(r"(?<=\S) {2,}", "  ", line).rstrip() for line in text.splitlines()]
    return "\n".join(lines) + ("\n" if lines else "")
