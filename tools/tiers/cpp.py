"""Tiers of the C++ code: static checks, builds with several compilers, unit tests, sanitizers, fuzzers."""

import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

from tiers.count import Count, count_ctest, run_and_count
from tiers.project import RESULTS, ROOT, build

FUZZ_SMOKE_SECONDS = 3
TIDY_SECONDS = 180
# Labels of tests that a tier leaves out: other tiers run them.
ALL_BUT_CLUSTER = ["--label-exclude", "static|cluster"]
ALL_QUICK = ["--label-exclude", "static|cluster|property"]


class StopTesting(Exception):
    """What follows would only repeat this failure."""


def static_tier(count: Count) -> None:
    """Checks that need no compiler, side by side."""
    commands = [["tools/format", "--check"]]
    commands += [["tools/lint", language] for language in ("python", "yaml", "shell")]
    commands += [[f"tools/check_{name}.py"] for name in ("layers", "purity", "includes", "changelog", "text")]
    python_tests = [*ROOT.glob("tests/static/*_test.py"), *ROOT.glob("tests/crash/units/*_test.py")]
    commands += [["python3", str(p.relative_to(ROOT))] for p in sorted(python_tests)]

    def check(command: list[str]) -> subprocess.CompletedProcess:
        if not shutil.which(command[0], path=f"{os.environ['PATH']}:{ROOT}"):
            return subprocess.CompletedProcess(command, 127, "not installed; tools/setup test installs it\n")
        return subprocess.run(command, cwd=ROOT, check=False, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for command, done in zip(commands, pool.map(check, commands)):
            if done.returncode == 0:
                count.passed += 1
                print(f"passed {' '.join(command[:2])}")
            else:
                print(done.stdout, end="")
                count.fail(" ".join(command[:2]), " ".join(command))


def programs_tier(count: Count) -> None:
    """The programs, with clang-16, where a warning is an error; tests that start programs begin once they are there."""
    if not build(count, "dev", "all_programs"):
        raise StopTesting("nothing else can run before the programs build")
    count.passed += 1


def build_tier(count: Count) -> None:
    """The rest of the tree with clang-16: unit, property and scenario tests."""
    if not build(count, "dev"):
        raise StopTesting("nothing else can run before preset dev builds")
    count.passed += 1


def headers_tier(count: Count) -> None:
    """Every header compiles alone."""
    count.passed += build(count, "dev", "check_headers")


def gcc_tier(count: Count) -> None:
    """base and core with g++, as a second opinion."""
    count.passed += build(count, "gcc")


def ctest(count: Count, preset: str, labels: list[str], prefix: tuple[str, ...] = (), target: str = "all") -> None:
    """Builds a preset, or a target of it, and runs the tests whose labels ctest's own options choose."""
    if not build(count, preset, target):
        return
    reports = ROOT / "build" / preset / "gtest"
    shutil.rmtree(reports, ignore_errors=True)
    junit = RESULTS / f"{preset}.xml"
    run_and_count(count, preset, [*prefix, "ctest", "--preset", preset, "-j", str(os.cpu_count()), *labels,
                                  "--output-junit", str(junit)], junit,
                  add=lambda count, preset, junit, _: count_ctest(count, preset, junit, reports))


def quick_tier(count: Count) -> None:
    """Unit and scenario tests."""
    ctest(count, "dev", ALL_QUICK)


def tests_tier(count: Count) -> None:
    """Unit, scenario and property tests."""
    ctest(count, "dev", ALL_BUT_CLUSTER)


def asan_tier(count: Count) -> None:
    """Scenarios, and tests of what takes bytes apart, under AddressSanitizer and UndefinedBehaviorSanitizer."""
    ctest(count, "asan", ["--label-regex", "^address$"], target="address_tests")


def asan_all_tier(count: Count) -> None:
    """All tests under AddressSanitizer and UndefinedBehaviorSanitizer."""
    ctest(count, "asan", ALL_BUT_CLUSTER)


def without_randomisation() -> tuple[str, ...]:
    """ThreadSanitizer starts on some kernels only when addresses are not randomised, where that is allowed."""
    fixed = ("setarch", "--addr-no-randomize")
    allowed = shutil.which("setarch") and subprocess.run([*fixed, "true"], check=False, capture_output=True)
    return fixed if allowed and allowed.returncode == 0 else ()


def tsan_tier(count: Count) -> None:
    """Tests of what has threads, under ThreadSanitizer."""
    ctest(count, "tsan", ["--label-regex", "^thread$"], without_randomisation(), "thread_tests")


def tsan_all_tier(count: Count) -> None:
    """All tests under ThreadSanitizer."""
    ctest(count, "tsan", ALL_BUT_CLUSTER, without_randomisation())


def fuzz_tier(count: Count) -> None:
    """Every fuzzer for a few seconds on its seeds."""
    if not build(count, "asan", "fuzzers"):
        return
    done = subprocess.run(["tools/fuzz", str(FUZZ_SMOKE_SECONDS)], cwd=ROOT, check=False, text=True,
                          stdout=subprocess.PIPE, env={**os.environ, "GS_FUZZ_PRESET": "asan"})
    print(done.stdout, end="", flush=True)
    before = len(count.failures)
    for line in done.stdout.splitlines():
        name, _, outcome = line.removeprefix("fuzz ").partition(": ")
        if outcome == "passed":
            count.passed += 1
        elif outcome.startswith("FAILED"):
            count.fail(name, f"tools/fuzz {FUZZ_SMOKE_SECONDS} {name}")
    if done.returncode != 0 and len(count.failures) == before:
        count.fail(f"tools/fuzz ended with {done.returncode}", f"tools/fuzz {FUZZ_SMOKE_SECONDS}")


def tidy_tier(count: Count) -> None:
    """clang-tidy over what changed and what includes it; what is not reached in time is counted as not run."""
    done = subprocess.run(["tools/tidy", "--changed", "--seconds", str(TIDY_SECONDS)], cwd=ROOT, check=False, text=True,
                          stdout=subprocess.PIPE)
    print(done.stdout, end="", flush=True)
    found = re.search(r"^tidy: (\d+) passed, \d+ failed, (\d+) not reached", done.stdout, re.MULTILINE)
    if done.returncode != 0 or not found:
        count.fail("tools/tidy", "tools/tidy --changed")
        return
    count.passed += 1
    if int(found[2]):
        count.leave_out("tidy", f"{found[2]} files were not reached in {TIDY_SECONDS} s; make tidy")
