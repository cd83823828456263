"""tools/run-tests must count what ctest reports: a skipped test is skipped, one that could not start has failed."""

import contextlib
import importlib.machinery
import importlib.util
import io
import sys
import time
import unittest
import unittest.mock

from support import ROOT, TreeTest

JUNIT = """<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="x" tests="5" failures="1" skipped="2" disabled="1">
  <testcase name="A.Passes" status="run"/>
  <testcase name="A.AlsoPasses" status="run"/>
  <testcase name="A.Fails" status="fail"><failure message=""/></testcase>
  <testcase name="A.Skips" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/></testcase>
  <testcase name="b_NOT_BUILT" status="notrun"><skipped message="Unable to find executable"/></testcase>
  <testcase name="A.IsDisabled" status="disabled"/>
</testsuite>
"""


def load_run_tests():
    """tools/run-tests as a module, although its name has no ending."""
    loader = importlib.machinery.SourceFileLoader("run_tests", str(ROOT / "tools" / "run-tests"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("run_tests", loader))
    sys.modules["run_tests"] = module
    loader.exec_module(module)
    return module


class Counting(TreeTest):
    def test_junit(self):
        run_tests = load_run_tests()
        count = run_tests.Count()
        with contextlib.redirect_stdout(io.StringIO()) as said:
            run_tests.count_junit(count, "dev", self.write("dev.xml", JUNIT))
        self.assertEqual(count.summary(), "2 passed, 2 failed, 2 skipped")
        self.assertIn("ctest --test-dir build/dev --output-on-failure -R '^A.Fails$'", said.getvalue())
        self.assertIn("b_NOT_BUILT", said.getvalue())

    def test_another_suite_says_how_to_run_its_tests_again(self):
        count = load_run_tests().Count()
        with contextlib.redirect_stdout(io.StringIO()):
            load_run_tests().count_junit(count, "x", self.write("x.xml", JUNIT), "run -k {name}")
        self.assertIn("again: run -k A.Fails", count.failures[0])

    def run_and_count(self, script: str):
        run_tests = load_run_tests()
        count = run_tests.Count()
        junit = self.write("x.xml", JUNIT)
        with contextlib.redirect_stdout(io.StringIO()):
            code = run_tests.run_and_count(count, "x", ["sh", "-c", script, str(junit)], junit)
        return code, count.summary()

    def test_a_command_that_writes_no_report_has_failed(self):
        self.assertEqual(self.run_and_count("exit 3"), (3, "0 passed, 1 failed"))

    def test_a_command_that_skips_everything_has_not_failed(self):
        case = '<testcase name="a" status="notrun"><skipped message="SKIP_REASON b"/></testcase>'
        done = self.run_and_count(f"echo '<testsuite>{case}</testsuite>' >$0; exit 77")
        self.assertEqual(done, (77, "0 passed, 0 failed, 1 skipped"))

    def test_nothing_skipped_is_not_mentioned(self):
        self.assertEqual(load_run_tests().Count(passed=3).summary(), "3 passed, 0 failed")


class Beside(TreeTest):
    """Tiers that run beside others must not lose a failure on the way."""

    def join(self, script: str) -> str:
        run_tests = load_run_tests()
        run_tests.RESULTS = run_tests.ROOT = self.tree
        run_tests.__file__ = str(self.write("tiers.py", script))
        count = run_tests.Count(passed=1)
        with contextlib.redirect_stdout(io.StringIO()) as said:
            run_tests.Beside(["slow", "slower"]).join(count)
        return count.summary() + "\n" + said.getvalue()

    def test_what_they_count_and_print_arrives(self):
        said = self.join("""import json, os, sys
print("running", *sys.argv[1:])
with open(os.environ["GS_TEST_COUNT_FILE"], "w") as file:
    json.dump({"passed": 2, "skipped": 1, "failures": ["a test"]}, file)
""")
        self.assertIn("3 passed, 1 failed, 1 skipped\n", said)
        self.assertIn("running slow slower", said)

    def test_an_end_without_a_count_is_a_failure(self):
        self.assertIn("1 passed, 1 failed\n", self.join("raise SystemExit(1)"))


class ArgoCd(unittest.TestCase):
    """Its build is not begun when a run is old already."""

    def run_tier(self, minutes: float, is_built: bool) -> tuple[list[tuple], str, str]:
        run_tests = load_run_tests()
        ran = []
        run_tests.argocd_is_built = lambda: is_built
        run_tests.unittest_suite = lambda count, *words: ran.append(words)
        count = run_tests.Count()
        with contextlib.redirect_stdout(io.StringIO()) as said:
            with unittest.mock.patch.dict("os.environ", {run_tests.STARTED: str(time.time() - minutes * 60)}):
                run_tests.argocd_tier(count)
        return ran, count.summary(), said.getvalue()

    def test_it_runs_in_time_or_when_nothing_has_to_be_built(self):
        for minutes, is_built in ((0, False), (44, False), (60, True)):
            self.assertEqual(self.run_tier(minutes, is_built)[:2], ([("gitops", "--argocd")], "0 passed, 0 failed"))

    def test_later_it_is_skipped_and_says_how_to_run_it(self):
        ran, summary, said = self.run_tier(46, False)
        self.assertEqual((ran, summary), ([], "0 passed, 0 failed, 1 skipped"))
        self.assertIn("make test-gitops", said)


class Fuzzers(TreeTest):
    def count(self, script: str) -> str:
        run_tests = load_run_tests()
        run_tests.ROOT = self.tree
        run_tests.build = lambda *_: True
        self.write("tools/fuzz", f"#!/bin/sh\n{script}\n", mode=0o755)
        count = run_tests.Count()
        with contextlib.redirect_stdout(io.StringIO()):
            run_tests.fuzz_tier(count)
        return count.summary()

    def test_each_counts(self):
        self.assertEqual(self.count("echo 'fuzz a: passed'; echo 'fuzz b: FAILED (log: c)'; exit 1"), "1 passed, 1 failed")

    def test_an_end_before_the_first_is_a_failure(self):
        self.assertEqual(self.count("exit 1"), "0 passed, 1 failed")


if __name__ == "__main__":
    unittest.main()
