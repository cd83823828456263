"""docs/usage.md from top to bottom on a real node: it works, and nothing is left."""

from on_node import OnNode
from real_cluster import wait_until

SYSTEM = "gpu-scheduler-system"
CRDS = ("gpuclaims.gpu.scheduling", "gpunodestatuses.gpu.scheduling")


class Usage(OnNode):
    def test_works_as_written_and_leaves_nothing(self):
        self.kubectl("delete", "crd", "--ignore-not-found", *CRDS)
        plane = self.cluster.plane
        before, most = plane.everything(), set()
        self.addCleanup(self.cluster.remove, SYSTEM, "gpu-scheduler-tests")
        self.cluster.make_machine(SYSTEM)

        def look(heading: str) -> None:
            if heading == "Remove it":
                most.update(plane.everything())

        self.follow("usage.md", before=look)
        self.assertGreater(len(most - before), 60)
        self.assertTrue(wait_until(lambda: plane.everything() == before, 60), plane.everything() ^ before)
