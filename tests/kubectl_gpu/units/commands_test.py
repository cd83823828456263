"""What kubectl-gpu says of a gpu-local with the scheduler inside: one cluster for all, whose pods have come to rest."""

import json
import os
import pty
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "local"))

from local_cluster import DEADLINE, PROGRAMS, ROOT, LocalCluster, wait_until  # noqa: E402

PROGRAM = PROGRAMS / "kubectl-gpu"
MULTI = ROOT / "examples" / "claims" / "multi-gpu.yaml"

POD = """
apiVersion: v1
kind: Pod
metadata: {name: %s}
spec:
  schedulerName: gpu-scheduler
  containers: [{name: main, image: busybox, resources: {limits: {nvidia.com/gpu: "%d"}}}]
"""


class CommandsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = LocalCluster()
        cls.addClassCleanup(cls.cluster.close)
        wait_until("six nodes", lambda: "nodes       6" in cls.cluster.run("status").stdout)
        # The first takes six of the eight GPUs of node-b, so the claim's four are found elsewhere.
        for name, manifests in (("large", POD % ("large", 6)), ("training-job", MULTI.read_text(encoding="utf-8"))):
            cls.run_it("apply", "-f", "-", stdin=manifests)
            wait_until(f"{name} is placed", lambda name=name: "with GPUs" in cls.run_it("explain", name).stdout)
        cls.run_it("apply", "-f", "-", stdin=POD % ("larger", 9))
        wait_until("the last one is told why it waits", lambda: "waiting (NodesExcluded)" in cls.run_it("pods").stdout)

    @classmethod
    def run_it(cls, *arguments: str, stdin: str = "", code: int = 0) -> subprocess.CompletedProcess:
        done = subprocess.run([PROGRAM, *arguments, "--kubeconfig", cls.cluster.kubeconfig], input=stdin, text=True,
                              env=cls.cluster.environment, capture_output=True, check=False, timeout=DEADLINE)
        if done.returncode != code:
            raise AssertionError(f"{arguments} ended with {done.returncode}: {done.stdout}{done.stderr}")
        return done

    def said(self, *arguments: str, stdin: str = "", code: int = 0) -> str:
        return self.run_it(*arguments, stdin=stdin, code=code).stdout

    def test_status_counts_what_is_held_and_why_pods_wait(self):
        text = self.said("status")
        self.assertIn("GPUs      24 on 5 nodes (14 free, 10 held)\n", text)
        self.assertIn("waiting   1 pod (1 NodesExcluded)\n", text)
        status = json.loads(self.said("status", "-o", "json"))
        self.assertEqual(status["gpus"]["held"], 10)
        self.assertEqual(status["waitingPods"]["reasons"], {"NodesExcluded": 1})
        self.assertEqual(len(status["nodes"]), 5)

    def test_who_knows_nodes_gpus_and_pods(self):
        node = json.loads(self.said("who", "large", "-o", "json"))["items"][0]["node"]
        self.assertEqual(node, "node-b")
        lines = self.said("who", node).splitlines()
        self.assertEqual(lines[0].split(), ["NODE", "GPU", "STATE", "POD", "CLAIM", "MODE"])
        self.assertEqual(len(lines), 9)
        self.assertEqual(sum("default/large" in line for line in lines), 6)
        held = json.loads(self.said("who", "default/large", "-o", "json"))["items"][0]["devices"]
        one = self.said("who", f"{node}:{held[0]['id']}", "-o", "wide")
        self.assertIn("bound  ", one)
        self.assertIn("there is no node nobody", self.run_it("who", "nobody", code=1).stderr)

    def test_explain_says_what_the_scheduler_says(self):
        text = self.said("explain", "larger")
        self.assertIn("default/larger has waited for ", text)
        self.assertIn("the largest node has 8 GPUs", text)
        explained = json.loads(self.said("explain", "larger", "-o", "json"))
        pod = json.loads(self.said("get", "pods", "larger", "-o", "json"))
        conditions = {each["type"]: each for each in pod["status"]["conditions"]}
        self.assertEqual(conditions["PodScheduled"]["message"], f"{explained['reason']}: {explained['message']}")

    def test_pods_are_shown_with_what_they_have(self):
        rows = [line.split() for line in self.said("pods").splitlines()]
        self.assertEqual(rows[0], ["NAME", "ASKED", "BY", "NODE", "GPUS", "STATE"])
        self.assertEqual(rows[1], ["large", "resources", "node-b", "0,1,2,3,4,5", "bound"])
        self.assertEqual(rows[2], ["larger", "resources", "<none>", "<none>", "waiting", "(NodesExcluded)"])
        pods = json.loads(self.said("pods", "-A", "-o", "json"))["items"]
        self.assertEqual([pod["phase"] for pod in pods], ["bound", "waiting", "bound"])

    def test_claims_show_what_is_held_through_them(self):
        self.assertIn("multi-gpu   4     contiguous   Preferred", self.said("claims"))
        self.assertEqual(self.said("claims", "-n", "other"), "no claims in namespace other\n")
        claims = json.loads(self.said("claims", "-A", "-o", "json"))["items"]
        self.assertEqual([len(claim["allocations"][0]["gpuIds"]) for claim in claims], [4])

    def test_topology_shows_the_wiring_of_a_node(self):
        self.assertIn("islands    0,1,2,3,4,5,6,7\n", self.said("topology", "node-b"))
        topology = json.loads(self.said("topology", "node-b", "-o", "json"))
        self.assertEqual(len(topology["links"]), 28)

    def test_leases_are_those_of_gpus_in_use(self):
        leases = json.loads(self.said("leases", "-o", "json"))["items"]
        self.assertEqual({lease["state"] for lease in leases}, {"held"})
        self.assertEqual(len(leases), 10)
        self.assertEqual(self.said("leases", "--stale"), "no leases\n")

    def test_map_is_held_against_the_cluster(self):
        self.assertIn("good", self.said("map", "-f", "-", stdin="0=node1:0,1\n"))
        text = self.said("map", "-f", "-", stdin="0=node1:9\n1=nowhere:0\n", code=3)
        self.assertIn("there is no GPU 9 of node1; it has 0,1,2,3", text)
        self.assertIn("line 1", self.run_it("map", "-f", "-", stdin="x\n", code=2).stderr)

    def test_place_tries_without_keeping_anything(self):
        placed = json.loads(self.said("place", "-f", "-", "-o", "json", stdin=POD % ("new", 2)))
        self.assertTrue(placed["fits"])
        self.assertEqual(len(placed["place"]["gpuIds"]), 2)
        self.assertIn("no place\nNodesExcluded: ", self.said("place", "-f", "-", stdin=POD % ("new", 9), code=3))
        self.assertIn("404", self.run_it("get", "pods", "new", code=1).stderr)

    def test_get_and_apply_do_without_kubectl(self):
        self.assertEqual(self.said("get", "gclaim").splitlines()[0].split(),
                         ["NAME", "REQ", "POLICY", "TOPOLOGY", "ALLOCATED"])
        self.assertIn("NAMESPACE", self.said("get", "po", "-A"))
        claim = MULTI.read_text(encoding="utf-8").split("---")[0]
        self.assertEqual(self.said("apply", "-f", "-", stdin=claim), "gpuclaim.gpu.scheduling/multi-gpu unchanged\n")

    def test_version_tells_both(self):
        lines = self.said("version").splitlines()
        self.assertTrue(lines[0].startswith("kubectl-gpu   "))
        self.assertTrue(lines[1].startswith("server        v1."))

    def test_without_a_cluster_it_fails_in_one_line(self):
        done = subprocess.run([PROGRAM, "status", "--kubeconfig", "/no/such/file"], text=True, capture_output=True,
                              check=False, timeout=DEADLINE)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1))

    def test_colours_are_for_terminals_that_want_them(self):
        self.assertNotIn("\x1b", self.said("status"))
        self.assertIn("\x1b[32m", self.on_a_terminal({}))
        self.assertNotIn("\x1b", self.on_a_terminal({"NO_COLOR": "1"}))

    def on_a_terminal(self, environment: dict) -> str:
        mine, theirs = pty.openpty()
        plain = {name: value for name, value in self.cluster.environment.items() if name not in ("NO_COLOR", "TERM")}
        with subprocess.Popen([PROGRAM, "status", "--kubeconfig", self.cluster.kubeconfig], stdout=theirs,
                              env=plain | {"TERM": "xterm"} | environment) as process:
            os.close(theirs)
            text = b""
            try:
                while piece := os.read(mine, 65536):
                    text += piece
            except OSError:
                pass  # how the end of a terminal is told
            os.close(mine)
            self.assertEqual(process.wait(DEADLINE), 0)
        return text.decode()


if __name__ == "__main__":
    unittest.main()
