"""For the tests of the checks: a throw-away project tree, and a way to run a tool and see what it says."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class TreeTest(unittest.TestCase):
    """A test with an empty project in self.tree."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = Path(folder.name)

    def write(self, path: str, text: str, mode: int = 0o644) -> Path:
        file = self.tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        file.chmod(mode)
        return file

    def check(self, tool: str) -> list[str]:
        """Runs a check on the tree; the lines it prints. Exit code and output must agree."""
        done = run([sys.executable, str(ROOT / "tools" / tool), str(self.tree)])
        lines = done.stdout.splitlines()
        self.assertEqual(done.returncode, 1 if lines else 0, done.stdout)
        return lines


def run(command: list[str], **environment: str) -> subprocess.CompletedProcess:
    """Runs a command; output and errors come back in one text."""
    return subprocess.run(command, check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**os.environ, **environment})
