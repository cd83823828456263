"""Folders of unittest tests, run as one suite whose results tools/run-tests can count.

Tests in the folder `units` always run. The others need tools of tools/cluster: when these cannot be had, the suite
says so and exits with 77.
"""

import argparse
import signal
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

PROGRAM = Path(__file__).resolve().parent.parent / "tools" / "cluster" / "cluster"
SKIP_EXIT_CODE = 77


class Recording(unittest.TextTestResult):
    """Keeps how each test ended. A module that cannot be loaded or set up counts as a test that failed."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.passed, self.failed, self.reasons = set(), set(), {}

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed.add(test.id())

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.reasons[test.id()] = reason

    def addError(self, test, err):
        super().addError(test, err)
        self.failed.add(test.id())

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.failed.add(test.id())

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.failed.add(test.id())


def run_folder(here: Path, name: str, pattern: str | None) -> Recording:
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{pattern}*"] if pattern else None
    suite = loader.discover(str(here / name), "*_test.py", str(here))
    return unittest.TextTestRunner(verbosity=2, resultclass=Recording).run(suite)


def write_junit(path: str, title: str, results: list[Recording], missing: str) -> None:
    """In the words of ctest, so that both are counted in the same way."""
    top = ElementTree.Element("testsuite", name=title)
    for result in results:
        for name in sorted(result.passed - result.failed):
            ElementTree.SubElement(top, "testcase", name=name, status="run")
        for name in sorted(result.failed):
            ElementTree.SubElement(top, "testcase", name=name, status="fail")
    reasons = {name: reason for result in results for name, reason in result.reasons.items()}
    for name, reason in sorted((reasons | ({"planes": missing} if missing else {})).items()):
        case = ElementTree.SubElement(top, "testcase", name=name, status="notrun")
        ElementTree.SubElement(case, "skipped", message=f"SKIP_REASON {reason}")
    ElementTree.ElementTree(top).write(path, encoding="utf-8")


def main(here: Path, folders: list[str], description: str, more_options: argparse.ArgumentParser | None = None,
         prepare=lambda arguments: None) -> int:
    """Runs the units of `here`, and the folders, if any, once the tools are built. `prepare` hears of the options before."""
    title = f"tests/{here.name}"
    parser = argparse.ArgumentParser(prog=f"{title}/run", description=description.splitlines()[0],
                                     parents=[more_options] if more_options else [])
    parser.add_argument("--junit", metavar="FILE", help="also write down how each test ended")
    parser.add_argument("-k", dest="pattern", metavar="PATTERN", help="only tests whose name contains this")
    arguments = parser.parse_args()
    prepare(arguments)
    # A shell without job control ignores SIGINT in what it starts in the background. Children inherit that, and sh cannot
    # undo it with trap; a Python handler is not inherited, so they begin with the default.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    results = [run_folder(here, "units", arguments.pattern)] if (here / "units").is_dir() else []
    build = subprocess.run([PROGRAM, "build", "--for-tests"], check=False).returncode if folders else 0
    if build == 0:
        results += [run_folder(here, name, arguments.pattern) for name in folders]
    if arguments.junit:
        missing = "the tools cannot be had here" if build == SKIP_EXIT_CODE else ""
        write_junit(arguments.junit, title, results, missing)
    failed = not all(result.wasSuccessful() for result in results)
    return 1 if failed else build
