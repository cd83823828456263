"""kube-scheduler and gpu-scheduler on one real API server: what one places the other does, where both allow it."""

import json
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE.parents[1] / "scheduler"))

from scheduler_process import CRDS, HOME, PlaneUnderTest, Scheduler, wait_until  # noqa: E402
from free_ports import pick  # noqa: E402  # of tools/cluster, which scheduler_process knows the way to
from comparison import CLUSTER, ask_both  # noqa: E402
from generator.case import THEMES_OF_CLUSTERS, case  # noqa: E402
from settings import settings  # noqa: E402
from world import SECONDS, World  # noqa: E402

CASES = 50
SCHEDULERS = ("default-scheduler", "gpu-scheduler")


class BothSchedulers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.plane = PlaneUnderTest("differential").up()
        cls.addClassCleanup(cls.plane.close)
        cls.plane.kubectl("apply", "-f", str(CRDS))
        cls.plane.kubectl("create", "namespace", HOME)
        cls.start_kube_scheduler()
        cls.ours = Scheduler(cls.plane, pick(1)[0])
        cls.addClassCleanup(cls.ours.close)
        if not wait_until(cls.ours.is_ready, SECONDS):
            raise AssertionError(f"gpu-scheduler is not ready: {cls.ours.readiness()}")
        cls.client = cls.plane.client()
        cls.addClassCleanup(cls.client.connection.close)
        cls.world = World(cls.client)
        cls.world.make_namespaces()

    @classmethod
    def start_kube_scheduler(cls) -> None:
        program = subprocess.run([CLUSTER, "path", "kube-scheduler"], check=True, text=True, capture_output=True)
        with open(cls.plane.folder.parent / "kube-scheduler.log", "wb") as log:
            process = subprocess.Popen([program.stdout.strip(), "--kubeconfig", f"{cls.plane.folder}/admin.kubeconfig",
                                        "--leader-elect=false", "--secure-port=0"], stdout=log, stderr=log)
        cls.addClassCleanup(process.wait, timeout=30)
        cls.addClassCleanup(process.terminate)

    def outcomes(self, number: int) -> tuple[dict, dict[str, str]]:
        """The case as it stands in the cluster, and where each scheduler has put the pod."""
        text = json.dumps(case(f"{settings().seed}-{number}", THEMES_OF_CLUSTERS, for_cluster=True))
        drawn = json.loads(text.replace("node-", f"n{number}-"))  # names are never used again
        self.world.clear()
        self.world.make(drawn)
        self.world.make_probe_node(f"probe-{number}")
        nodes, made = {}, {}
        for scheduler in SCHEDULERS:
            self.world.probe(f"probe-{number}", scheduler)
            made, nodes[scheduler] = self.world.place(drawn["pod"], scheduler)
        return self.world.as_it_is(made), nodes

    def test_bind_the_same_pods(self):
        seen = [self.outcomes(number) for number in range(CASES)]
        verdicts = ask_both([each for each, _ in seen])
        bound = 0
        for number, ((each, nodes), (their, our)) in enumerate(zip(seen, verdicts)):
            with self.subTest(case=number):
                self.assertEqual([said.get("error") for said in (their, our)], [None, None])
                fits = {node for node, reason in their["nodes"].items() if not reason}
                self.assertEqual(fits, {node for node, reason in our["nodes"].items() if not reason}, json.dumps(each))
                for scheduler, node in nodes.items():
                    self.assertTrue(node in fits if fits else not node,
                                    f"{scheduler} takes {node or 'no node'} of {sorted(fits)}: {json.dumps(each)}")
                bound += bool(fits)
        print(f"{bound} of {CASES} pods are bound by both, the others by neither")
        self.assertGreaterEqual(bound, CASES // 5)
        self.assertLessEqual(bound, CASES * 4 // 5)


if __name__ == "__main__":
    unittest.main()
