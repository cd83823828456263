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
            # A Helm built from source believes in a Kubernetes of years ago.
            program = Path(folder) / "helm"
            program.write_text(f'#!/bin/sh\ncase $1 in template|lint) exec {path} "$@" --kube-version=1.36.4;; esac\n'
                               f'exec {path} "$@"\n', encoding="utf-8")
            program.chmod(0o755)
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
