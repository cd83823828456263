"""Where the parts of `make bench` leave their figures: one line of JSON each, in the file that GS_BENCH_RESULTS names.

A row is what a person reads in the table: part, name, unit, the values of each side, and a ratio where two are compared.
Shell scripts call it: results_file.py PART NAME UNIT AIM SIDE=VALUE..., where of two sides the first is compared with the second.
"""

import json
import os
import sys


def add(part: str, name: str, unit: str, values: dict, **more) -> None:
    """`values`: what was seen of each side; more: `ratio`, `aim`, `spread`, whatever explains it."""
    path = os.environ.get("GS_BENCH_RESULTS")
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps({"part": part, "name": name, "unit": unit, "values": values, **more}) + "\n")


def main(part: str, name: str, unit: str, aim: str, *sides: str) -> None:
    values = {side: float(value) for side, _, value in (word.partition("=") for word in sides)}
    first, *others = values.values()
    compared = {"ratio": first / others[0]} if others and others[0] else {}
    add(part, name, unit, values, aim=aim, **compared)


if __name__ == "__main__":
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    main(*sys.argv[1:])
