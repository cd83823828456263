"""docs/configuration.md, which needs Helm and no cluster."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from shell_blocks import ROOT, Shell, blocks_of  # noqa: E402

CLUSTER = ROOT / "tools" / "cluster" / "cluster"


class Configuration(unittest.TestCase):
    def follow(self, tool: str) -> None:
        path = subprocess.run([CLUSTER, "path", tool], text=True, capture_output=True, check=True).stdout.strip()
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "helm").symlink_to(path)
            shell = Shell(PATH=f"{folder}:/usr/bin:/bin", KUBECONFIG="/dev/null")
            self.addCleanup(shell.close)
            blocks = blocks_of((ROOT / "docs" / "configuration.md").read_text(encoding="utf-8"))
            self.assertGreater(len(blocks), 4)
            for block in blocks:
                wrong = shell.follow(block)
                self.assertFalse(wrong, wrong)

    def test_every_command_works_with_helm_3(self):
        self.follow("helm3")

    def test_every_command_works_with_helm_4(self):
        self.follow("helm4")
