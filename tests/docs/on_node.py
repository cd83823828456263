"""What the tests on a real node share: typing commands there, following pages, and releases that are gone afterwards."""

import unittest

import real_cluster
from real_cluster import IMAGE
from shell_blocks import ROOT, Shell, blocks_of


def nothing_more(heading: str) -> None:
    """What follow() does around a heading if it is not told."""


class OnNode(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = real_cluster.shared()
        cls.kubectl = cls.cluster.plane.kubectl

    def setUp(self):
        self.shell = Shell(**self.cluster.environment())
        self.addCleanup(self.shell.close)

    def type(self, text: str) -> str:
        done = self.shell.run(text)
        self.assertEqual(done.returncode, 0, f"{text}\n{done.stdout}{done.stderr}")
        return done.stdout

    def install(self, namespace: str, *options: str) -> None:
        """As a developer does."""
        self.addCleanup(self.cluster.remove, namespace)
        self.cluster.make_machine(namespace)
        self.type(f"NAMESPACE={namespace} IMAGE={IMAGE} hack/dev.sh {' '.join(options)}")

    def wait_for_rollouts(self, namespace: str) -> None:
        self.type(f"for each in $(kubectl -n {namespace} get deploy,daemonset -o name); do "
                  f"kubectl -n {namespace} rollout status $each --timeout=5m; done")

    def follow(self, page: str, before=nothing_more, after=nothing_more, at_least: int = 6) -> None:
        """Types every block of a page and compares what it prints; `before` and `after` hear of every heading with blocks."""
        blocks = [block for block in blocks_of((ROOT / "docs" / page).read_text(encoding="utf-8")) if not block.is_left_out]
        self.assertGreaterEqual(len(blocks), at_least)
        heading = None
        for block, following in zip(blocks, [*blocks[1:], None]):
            if block.heading != heading:
                heading = block.heading
                before(heading)
            self.assertFalse(wrong := self.shell.follow(block), wrong)
            if following is None or following.heading != heading:
                after(heading)
