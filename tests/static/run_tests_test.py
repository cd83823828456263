"""tools/run-tests must count what ctest reports, lose nothing that runs beside it, and know which partner tiers are due."""

import contextlib
import io
import json
import subprocess
import sys
import unittest
import unittest.mock
from pathlib import Path

from support import ROOT, TreeTest

sys.path.insert(0, str(ROOT / "tools"))

from tiers import breakdown, count as counting, lanes, partners  # noqa: E402
from tiers.count import Count  # noqa: E402

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


class Counting(TreeTest):
    def test_junit(self):
        count = Count()
        with contextlib.redirect_stdout(io.StringIO()) as said:
            counting.count_junit(count, "dev", self.write("dev.xml", JUNIT))
        self.assertEqual(count.summary(), "2 passed, 2 failed, 2 skipped")
        self.assertIn("ctest --test-dir build/dev --output-on-failure -R '^A.Fails$'", said.getvalue())
        self.assertIn("b_NOT_BUILT", said.getvalue())

    def test_another_suite_says_how_to_run_its_tests_again(self):
        count = Count()
        with contextlib.redirect_stdout(io.StringIO()):
            counting.count_junit(count, "x", self.write("x.xml", JUNIT), "run -k {name}")
        self.assertIn("again: run -k A.Fails", count.failures[0])

    def run_and_count(self, script: str):
        count = Count()
        junit = self.write("x.xml", JUNIT)
        with contextlib.redirect_stdout(io.StringIO()):
            code = counting.run_and_count(count, "x", ["sh", "-c", script, str(junit)], junit)
        return code, count.summary()

    GTEST = """<testsuites><testsuite name="A">
  <testcase name="Passes" classname="A" status="run" result="completed"/>
  <testcase name="Fails" classname="A" status="run" result="completed"><failure message="x"/></testcase>
  <testcase name="Skips" classname="A" status="run" result="skipped"><skipped message="x"/></testcase>
</testsuite></testsuites>"""

    def count_ctest(self, status: str):
        count = Count()
        junit = self.write("dev.xml", f'<testsuite><testcase name="a_test" status="{status}"/>'
                           '<testcase name="B.Passes" status="run"/></testsuite>')
        with contextlib.redirect_stdout(io.StringIO()):
            counting.count_ctest(count, "dev", junit, self.tree / "gtest")
        return count

    def test_a_program_of_many_tests_counts_each_of_them_once(self):
        self.write("gtest/a_test.xml", self.GTEST)
        count = self.count_ctest("fail")
        self.assertEqual(count.summary(), "2 passed, 1 failed, 1 skipped")
        self.assertIn("again: build/dev/bin/a_test --gtest_filter=A.Fails", count.failures[0])

    def test_a_program_that_died_is_a_failure_with_and_without_a_report(self):
        self.assertEqual(self.count_ctest("fail").summary(), "1 passed, 1 failed")
        self.write("gtest/a_test.xml", self.GTEST.replace("<failure message=\"x\"/>", ""))
        self.assertEqual(self.count_ctest("fail").summary(), "3 passed, 1 failed, 1 skipped")

    def test_a_command_that_writes_no_report_has_failed(self):
        self.assertEqual(self.run_and_count("exit 3"), (3, "0 passed, 1 failed"))

    def test_a_command_that_skips_everything_has_not_failed(self):
        case = '<testcase name="a" status="notrun"><skipped message="SKIP_REASON b"/></testcase>'
        done = self.run_and_count(f"echo '<testsuite>{case}</testsuite>' >$0; exit 77")
        self.assertEqual(done, (77, "0 passed, 0 failed, 1 skipped"))

    def test_nothing_skipped_is_not_mentioned(self):
        self.assertEqual(Count(passed=3).summary(), "3 passed, 0 failed")


class Lanes(TreeTest):
    """Tiers that run beside others must not lose a failure on the way."""

    def join(self, script: str) -> str:
        count = Count(passed=1)
        with contextlib.redirect_stdout(io.StringIO()) as said:
            lanes.Lane(["slow", "slower"], self.write("tiers.py", script), self.tree).join(count)
        return count.summary() + "\n" + said.getvalue()

    def test_what_they_count_and_print_arrives(self):
        said = self.join("""import json, os, sys
print("running", *sys.argv[1:])
with open(os.environ["GS_TEST_COUNT_FILE"], "w") as file:
    json.dump({"passed": 2, "skipped": 1, "failures": ["a test"], "not_run": []}, file)
""")
        self.assertIn("3 passed, 1 failed, 1 skipped\n", said)
        self.assertIn("running slow slower", said)

    def test_an_end_without_a_count_is_a_failure(self):
        self.assertIn("1 passed, 1 failed\n", self.join("raise SystemExit(1)"))


class Partners(TreeTest):
    """A partner tier runs when its inputs changed, when it was red, and in every third run at the latest."""

    def setUp(self):
        super().setUp()
        self.write("charts/values.yaml", "a: 1\n")
        self.write("tests/README.md", "x\n")
        self.write("other.txt", "other\n")
        self.git("init", "-q")
        self.commit()
        self.partner = partners.Partner(self.pass_a_test, (), ("charts",))
        patched = unittest.mock.patch.dict(partners.PARTNERS, {"charts": self.partner}, clear=True)
        patched.start()
        self.addCleanup(patched.stop)

    def git(self, *words: str) -> None:
        subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x", *words], cwd=self.tree, check=True, capture_output=True)

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x")

    @staticmethod
    def pass_a_test(count: Count) -> None:
        count.passed += 1

    @staticmethod
    def fail_a_test(count: Count) -> None:
        count.failures.append("a test")

    def records(self, cache: str = "cache") -> partners.Records:
        return partners.Records(self.tree, Path(self.tree, ".git", cache))

    def is_due(self, cache: str = "cache") -> bool:
        return partners.due(self.records(cache))[0] == ["charts"]

    def test_without_a_record_it_is_due(self):
        self.assertTrue(self.is_due())

    def test_after_a_green_run_it_rests_for_two_runs(self):
        partners.run_partner("charts", Count(), self.records())
        seen = []
        for _ in range(3):
            due, resting = partners.due(self.records())
            seen.append(due)
            with contextlib.redirect_stdout(io.StringIO()):
                lanes.leave_out_resting(Count(), resting, self.records())
        self.assertEqual(seen, [[], [], ["charts"]])

    def test_changed_inputs_make_it_due_and_other_changes_do_not(self):
        partners.run_partner("charts", Count(), self.records())
        self.write("other.txt", "changed\n")
        self.assertFalse(self.is_due())
        self.write("charts/new.yaml", "b: 2\n")
        self.assertTrue(self.is_due())

    def test_a_failure_makes_it_due(self):
        partners.run_partner("charts", Count(), self.records())
        partners.PARTNERS["charts"] = partners.Partner(self.fail_a_test, (), ("charts",))
        count = Count()
        partners.run_partner("charts", count, self.records())
        self.assertEqual(count.summary(), "0 passed, 1 failed")
        self.assertTrue(self.is_due())

    def test_a_tier_whose_tools_cannot_be_had_stays_due(self):
        def leave_out(count: Count) -> None:
            count.passed += 1
            with contextlib.redirect_stdout(io.StringIO()):
                count.leave_out("tests/charts", "no tools")
        partners.PARTNERS["charts"] = partners.Partner(leave_out, (), ("charts",))
        partners.run_partner("charts", Count(), self.records())
        self.assertTrue(self.is_due())

    def test_a_machine_with_an_empty_cache_believes_the_committed_record_and_takes_turns(self):
        record = partners.run_partner("charts", Count(), self.records())
        self.records().commit_green({"charts": record})
        seen = []
        for _ in range(3):
            self.git("commit", "-q", "--allow-empty", "-m", "x")
            seen.append(self.is_due("empty"))
        self.assertEqual(sorted(seen), [False, False, True])
        self.write("charts/values.yaml", "a: 2\n")
        self.assertTrue(self.is_due("empty"))

    def test_the_summary_names_what_was_not_run_and_when_it_was_green(self):
        record = partners.run_partner("charts", Count(), self.records())
        count = Count()
        with contextlib.redirect_stdout(io.StringIO()):
            lanes.leave_out_resting(count, {"charts": record}, self.records())
        self.assertIn(record["commit"], count.not_run[0])
        self.assertEqual(len(record["commit"]), 12)

    def test_every_input_exists(self):
        declared = subprocess.run([sys.executable, "-c", "from tiers import partners\n"
                                   "print(*(path for each in partners.PARTNERS.values() for path in each.inputs))"],
                                  cwd=ROOT / "tools", check=True, text=True, capture_output=True).stdout.split()
        self.assertEqual([path for path in declared if not (ROOT / path).exists()], [])


class Late(unittest.TestCase):
    def test_a_partner_tier_whose_turn_comes_too_late_is_counted_as_not_run(self):
        count = Count()
        with contextlib.redirect_stdout(io.StringIO()), unittest.mock.patch.dict("os.environ", {lanes.STARTED: "0"}):
            lanes.run_named("charts", count)
        self.assertIn("make partners P=charts", count.not_run[0])
        self.assertEqual(count.summary(), "0 passed, 0 failed")


class Breakdown(TreeTest):
    LOG = ("# ninja log v5\n0\t1500\t5000000000\tsrc/CMakeFiles/gs_a.dir/x.cc.o\t1\n"
           "0\t2500\t6000000000\tsrc/CMakeFiles/gs_a.dir/y.cc.o\t2\n0\t500\t7000000000\tpch/core.pch\t3\n"
           "0\t500\t7000000000\tpch/core.pch.sum\t3\n"
           "0\t9000\t1000000000\tsrc/CMakeFiles/gs_b.dir/old.cc.o\t4\n")

    def test_compile_seconds_are_summed_by_target_and_what_is_older_is_left_out(self):
        found = breakdown.compiled_since(self.write("dev/.ninja_log", self.LOG), started=4.0)
        self.assertEqual(dict(found), {"gs_a": 4.0, "precompiled headers": 0.5})

    def test_tiers_and_tools_are_shown(self):
        times = self.write("times", json.dumps({"kind": "tier", "name": "static", "seconds": 12.0}) + "\n")
        tools = self.write("go", json.dumps({"tool": "etcd", "seconds": 66.0}) + "\n")
        environment = {breakdown.TIMES_FILE: str(times), breakdown.GO_TIMES_FILE: str(tools)}
        with contextlib.redirect_stdout(io.StringIO()) as said, unittest.mock.patch.dict("os.environ", environment):
            breakdown.show(self.tree, 0)
        self.assertIn("tiers: static 12", said.getvalue())
        self.assertIn("Go tools: etcd 66", said.getvalue())


if __name__ == "__main__":
    unittest.main()
