"""How many tests passed, failed, were skipped or not run, and how a test report of ctest or unittest is counted."""

import json
import subprocess
import xml.etree.ElementTree as ElementTree
from dataclasses import asdict, dataclass, field
from pathlib import Path

SKIPPED_EXIT_CODE = 77
CTEST_AGAIN = "ctest --test-dir build/{suite} --output-on-failure -R '^{name}$'"


@dataclass
class Count:
    passed: int = 0
    skipped: int = 0
    failures: list[str] = field(default_factory=list)
    not_run: list[str] = field(default_factory=list)  # tiers, each with the reason

    def fail(self, what: str, again: str) -> None:
        self.failures.append(f"{what}\n    again: {again}")
        print(f"FAILED {what}\n    again: {again}", flush=True)

    def leave_out(self, tier: str, reason: str) -> None:
        self.not_run.append(f"{tier}: {reason}")
        print(f"not run: {tier}: {reason}", flush=True)

    def add(self, other: "Count") -> None:
        self.passed += other.passed
        self.skipped += other.skipped
        self.failures += other.failures
        self.not_run += other.not_run

    def summary(self) -> str:
        text = f"{self.passed} passed, {len(self.failures)} failed"
        return text + (f", {self.skipped} skipped" if self.skipped else "")

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")

    @staticmethod
    def read(path: Path) -> "Count":
        return Count(**json.loads(path.read_text(encoding="utf-8")))


def count_gtest(count: Count, preset: str, program: str, path: Path) -> None:
    """Adds what a program of GoogleTest wrote about each of its tests."""
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        if case.find("failure") is not None:
            count.fail(f"{name} ({preset})", f"build/{preset}/bin/{program} --gtest_filter={name}")
        elif case.get("result") == "completed":
            count.passed += 1
        else:
            count.skipped += 1


def count_ctest(count: Count, preset: str, junit: Path, reports: Path) -> None:
    """Adds the tests of each program that left a report, and otherwise what ctest says of the program."""
    tree = ElementTree.parse(junit)
    for case in list(tree.getroot().iter("testcase")):
        report = reports / f"{case.get('name')}.xml"
        if report.exists():
            before = len(count.failures)
            count_gtest(count, preset, case.get("name"), report)
            if case.get("status") == "run" or len(count.failures) > before:
                tree.getroot().remove(case)
    tree.write(junit)
    count_junit(count, preset, junit)


def count_junit(count: Count, suite: str, path: Path, again: str = CTEST_AGAIN) -> None:
    """Adds what ctest wrote about each test. A test that could not start is a failure, not a skipped one."""
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        skipped = case.find("skipped")
        reason = skipped.get("message", "") if skipped is not None else ""
        if case.get("status") == "run":
            count.passed += 1
        elif case.get("status") == "disabled" or reason.startswith("SKIP_"):
            count.skipped += 1
        else:
            name = case.get("name")
            count.fail(f"{name} ({suite}) {reason}".strip(), again.format(suite=suite, name=name))


def run_and_count(count: Count, suite: str, command: list[str], junit: Path, again: str = CTEST_AGAIN,
                  add=count_junit) -> int:
    """Runs a command that writes how each test ended into `junit`, for `add`; returns its exit code.

    A command that fails without naming a failed test is one failure.
    """
    junit.parent.mkdir(parents=True, exist_ok=True)
    junit.unlink(missing_ok=True)
    before = len(count.failures)
    code = subprocess.run(command, check=False).returncode
    if junit.exists():
        add(count, suite, junit, again)
    if code not in (0, SKIPPED_EXIT_CODE) and len(count.failures) == before:
        count.fail(f"{suite} ended with {code}", " ".join(command))
    return code
