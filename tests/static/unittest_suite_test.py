"""tests/unittest_suite.py must give tests the same start however the suite itself was started."""

import shutil
import sys
import unittest

from support import ROOT, TreeTest, run

RUN = """import sys
from pathlib import Path
from unittest_suite import main
sys.exit(main(Path(__file__).resolve().parent / "some", [], "Some tests."))
"""
INTERRUPTED = """import signal, subprocess, unittest
class Interrupted(unittest.TestCase):
    def test_a_child_ends_on_ctrl_c(self):
        self.assertEqual(subprocess.run(["sh", "-c", "kill -INT $$"]).returncode, -signal.SIGINT)
"""


class Suite(TreeTest):
    def test_children_can_be_interrupted_when_the_suite_runs_in_the_background(self):
        """A shell without job control starts what stands before & with SIGINT ignored, and children inherit that."""
        (self.tree / "tests").mkdir()
        shutil.copy(ROOT / "tests" / "unittest_suite.py", self.tree / "tests")
        script = self.write("tests/run.py", RUN)
        self.write("tests/some/units/__init__.py", "")
        self.write("tests/some/units/interrupted_test.py", INTERRUPTED)
        done = run(["sh", "-c", 'trap "" INT; exec "$@"', "sh", sys.executable, str(script)])
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("Ran 1 test", done.stdout)


if __name__ == "__main__":
    unittest.main()
