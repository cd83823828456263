#!/usr/bin/env python3
"""Refuses threads, clocks, files, sockets, the environment and exceptions in src/base and src/core.

There, the same input must give the same output; whatever touches the world is an adapter. Tests, fuzzers and
benchmarks are exempt. Usage: check_purity.py [root of the project]
"""

import re
import sys
from pathlib import Path

from cpp_text import is_test, sources, without_comments_and_literals

PURE = ["src/base", "src/core"]


def header(names: str) -> str:
    return rf"#[ \t]*include[ \t]*<(?:{names})>"


# What must not appear, and what to do instead.
RULES = [
    (header(r"thread|mutex|shared_mutex|atomic|condition_variable|future|stop_token|semaphore|latch|barrier"),
     "threads belong into src/adapters/runtime; this code runs on one thread and needs no lock"),
    (header(r"iostream|fstream|filesystem|syncstream"),
     "input and output belong into an adapter; take the content as an argument, return the text"),
    (header(r"sys/[\w/]+\.h|netinet/[\w/]+\.h|arpa/[\w/]+\.h|net/[\w/]+\.h|netdb\.h|unistd\.h|poll\.h|fcntl\.h|dlfcn\.h"),
     "sockets and system calls belong into an adapter; take what they answer as an argument"),
    (header(r"(?:boost|yaml-cpp|CLI|grpcpp|grpc|nghttp2|openssl|spdlog|prometheus)/[\w/.]+|simdjson\.h"),
     "this library belongs into an adapter; base and core know only their own types"),
    (r"\b(?:system|steady|high_resolution|utc|tai|gps|file)_clock\b|::now\s*\(|\btime\s*\(\s*(?:nullptr|NULL|0|&)|"
     r"\b(?:gettimeofday|clock_gettime)\s*\(",
     "the time is an argument here; let the caller pass it in"),
    (r"\b(?:secure_)?getenv\s*\(", "the environment is read in src/programs; take the value as an argument"),
    (r"\brandom_device\b|\bs?rand\s*\(", "randomness is an argument here; take a seed or a generator"),
    (r"\bthrow\b", "no exceptions here; return a gs::Result, or use GS_CHECK for a bug of our own"),
]
RULES = [(re.compile(pattern), instead) for pattern, instead in RULES]
# They count their owners, as std::shared_ptr does, and are half as large; nobody can tell by their values.
EXEMPT = {"src/base/shared.h": "#include <atomic>", "src/base/shared_text.h": "#include <atomic>"}


def check_file(path: Path, exempt: str) -> list[tuple[int, str]]:
    """The broken rules of one file as (line, sentence); what is exempt breaks none."""
    text = without_comments_and_literals(path.read_text(encoding="utf-8"))
    found = []
    for number, line in enumerate(text.split("\n"), start=1):
        for pattern, instead in RULES:
            if (match := pattern.search(line)) and match[0] != exempt:
                found.append((number, f"'{match[0].strip()}' is not allowed in base and core: {instead}"))
    return found


def main() -> int:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    failed = False
    for path in (p for folder in PURE for p in sources(root / folder) if not is_test(p)):
        for line, sentence in check_file(path, EXEMPT.get(path.relative_to(root).as_posix(), "")):
            print(f"{path.relative_to(root)}:{line}: {sentence}")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
