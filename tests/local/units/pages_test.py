"""What README.md, docs/quickstart.md and the pages of the examples tell people to type, in order, on gpu-local."""

import os
import sys
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "docs")]

from local_cluster import DEADLINE, PROGRAMS, ROOT, LocalCluster  # noqa: E402
from shell_blocks import Block, Shell, blocks_of  # noqa: E402

EXAMPLES = sorted((ROOT / "docs" / "examples").glob("*.md"))
# Commands that may be typed again until what is expected has come.
READING = ("pods", "status", "who", "explain", "claims", "topology", "leases", "get", "place")


class PagesTest(unittest.TestCase):
    def follow(self, page: Path, cluster: LocalCluster) -> None:
        shell = Shell(**cluster.environment)
        self.addCleanup(shell.close)
        (shell.folder / "build" / "run").mkdir(parents=True)
        (shell.folder / "build" / "run" / "bin").symlink_to(PROGRAMS)
        blocks = [block for block in blocks_of(page.read_text(encoding="utf-8")) if not block.is_left_out]
        self.assertGreater(len(blocks), 1, page)
        exports = ""
        for block in blocks:
            wrong = self.try_block(shell, Block(block.heading, exports + block.text, block.output, block.is_left_out))
            self.assertFalse(wrong, f"{page.name}: {wrong}")
            exports += "".join(line for line in block.text.splitlines(keepends=True) if line.startswith("export "))

    def try_block(self, shell: Shell, block: Block) -> str:
        commands = [line.split() for line in block.text.splitlines() if not line.startswith("export ")]
        is_reading = all(words[:1] == ["kubectl-gpu"] and words[1] in READING for words in commands)
        end = time.monotonic() + (DEADLINE if is_reading else 0)
        while True:
            wrong = shell.follow(block)
            if not wrong or time.monotonic() > end:
                return wrong
            time.sleep(0.1)

    def empty(self) -> LocalCluster:
        """A place for a cluster that the page starts, and its end if the page does not."""
        cluster = LocalCluster(up=False)
        self.addCleanup(cluster.close)
        return cluster

    def test_the_readme(self):
        self.follow(ROOT / "README.md", self.empty())

    def test_the_quickstart(self):
        self.follow(ROOT / "docs" / "quickstart.md", self.empty())

    def test_every_example(self):
        self.assertGreater(len(EXAMPLES), 3)
        for page in EXAMPLES:
            with self.subTest(page=page.name):
                cluster = LocalCluster()
                self.addCleanup(cluster.close)
                cluster.environment |= {"KUBECONFIG": str(cluster.kubeconfig),
                                        "PATH": f"{PROGRAMS}:{os.environ['PATH']}"}
                self.follow(page, cluster)


if __name__ == "__main__":
    unittest.main()
