"""Where the parts of `make bench` leave their figures: one line of JSON each, in the file that GS_BENCH_RESULTS names.

A row is what a person reads in the table: part, name, unit, the values of each side, and a ratio where two are compared.
"""

import json
import os


def add(part: str, name: str, unit: str, values: dict, **more) -> None:
    """`values`: what was seen of each side; more: `ratio`, `aim`, `spread`, whatever explains it."""
    path = os.environ.get("GS_BENCH_RESULTS")
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps({"part": part, "name": name, "unit": unit, "values": values, **more}) + "\n")
