"""docs/openshift.md, typed as it stands: oc is kubectl, and whoever asks for the Job's log has it run first."""

import re
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs"))

from openshift_case import OnOpenShift  # noqa: E402
from openshift_plane import CLUSTERS, PROGRAMS, ROOT  # noqa: E402
from shell_blocks import Shell, blocks_of  # noqa: E402

PAGE = (ROOT / "docs" / "openshift.md").read_text(encoding="utf-8")
LOG = "oc logs -n openshift-machine-api job/gpu-machineset-generator\n"


class Page(OnOpenShift):
    def a_shell(self) -> Shell:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.log = Path(folder.name) / "log"
        kubectl = f'{self.openshift.plane.folder}/bin/kubectl'
        oc = Path(folder.name) / "oc"
        oc.write_text(f'#!/bin/sh\n[ "$1" = logs ] && exec cat {self.log}\nexec {kubectl} "$@"\n', encoding="utf-8")
        oc.chmod(0o755)
        shell = Shell(PATH=f"{folder.name}:{PROGRAMS}:/usr/bin:/bin",
                      KUBECONFIG=f"{self.openshift.plane.folder}/admin.kubeconfig")
        self.addCleanup(shell.close)
        return shell

    def test_every_command_works_and_prints_what_the_page_says(self):
        self.begin()
        shell = self.a_shell()
        blocks = blocks_of(PAGE)
        self.assertGreater(len(blocks), 9)
        for block in blocks:
            if block.text == LOG:
                self.log.write_text(self.succeed(), encoding="utf-8")
            wrong = shell.follow(block)
            self.assertFalse(wrong, wrong)

    def test_settings_that_it_shows_are_accepted(self):
        found = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
        self.assertEqual(len(found), 1)
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(found[0])
            file.flush()
            done = self.openshift.run("--offline", str(CLUSTERS / "aws-default"), "--settings", file.name)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("Would have created MachineSet: cluster-zpqdx-xxm9n-gpu-p5-48xlarge-us-east-2b", done.stdout)


if __name__ == "__main__":
    unittest.main()
