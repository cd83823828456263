"""What a user types against gpu-local with the scheduler and its webhook inside, with the real kubectl."""

import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from local_cluster import ROOT, LocalCluster, wait_until  # noqa: E402

ALLOCATED = r"jsonpath={.metadata.annotations.gpu\.scheduling/allocated}"
VARIABLES = "jsonpath={.spec.containers[*].env[*].name}"


class KubectlTest(unittest.TestCase):
    """One cluster for all, since the tests use different GPUs of it."""

    @classmethod
    def setUpClass(cls):
        cls.cluster = LocalCluster()
        cls.addClassCleanup(cls.cluster.close)

    def kubectl(self, *arguments: str, **options) -> str:
        return self.cluster.kubectl(*arguments, **options)

    def allocated(self, pod: str) -> str:
        return wait_until(f"{pod} is placed", lambda: self.kubectl("get", "pod", pod, "-o", ALLOCATED))

    def reported(self, node: str) -> dict:
        return self.cluster.get("gns", node)["status"]

    def test_nodes_have_gpus(self):
        nodes = {node["metadata"]["name"]: node["status"]["allocatable"].get("nvidia.com/gpu", "0")
                 for node in self.cluster.get("nodes")["items"]}
        self.assertEqual(nodes, {"control-plane": "0", "node1": "4", "node2": "4", "node3": "4", "node-a": "4",
                                 "node-b": "8"})
        self.assertIn("Ready", self.kubectl("get", "nodes"))
        self.assertIn("node-b", self.kubectl("get", "nodes", "-l", "gpu-type=a100,topology=nvlink"))
        self.assertIn("node-b", self.kubectl("get", "gns"))

    def test_the_map_decides_and_the_containers_know(self):
        self.kubectl("apply", "-f", "examples/maps/three-nodes.yaml")
        self.assertEqual(self.allocated("mapped-0"), "node1:0,1")
        self.assertEqual(self.allocated("mapped-1"), "node2:2")
        self.assertEqual(self.allocated("mapped-2"), "node3:0,1,2")
        self.kubectl("wait", "--for=condition=Ready", "pod/mapped-0", "--timeout=100s")
        wait_until("it has printed a line", lambda: self.kubectl("logs", "mapped-0"))
        self.assertIn("Node: node1, CUDA_VISIBLE_DEVICES: 0,1", self.kubectl("logs", "mapped-0"))
        self.assertIn("CUDA_VISIBLE_DEVICES=0,1\n", self.kubectl("exec", "mapped-0", "--", "env"))
        leases = self.kubectl("get", "leases")
        for lease in ("gpu-node1-0", "gpu-node1-1", "gpu-node2-2"):
            self.assertIn(lease, leases)
        wait_until("the agent of node2 shows the pod",
                   lambda: [device.get("inUseBy") for device in self.reported("node2")["devices"]] ==
                   [None, None, ["default/mapped-1"], None])

    def verified_twice(self, pod: str) -> str:
        """The log of a pod that verifies: what is wrong with its first look is there before the second."""
        wait_until(f"{pod} has looked twice", lambda: self.kubectl("logs", pod).count("Node:") > 1)
        return self.kubectl("logs", pod)

    def test_a_map_may_call_nodes_by_a_label_and_the_check_agrees(self):
        text = (ROOT / "examples/maps/check-service.yaml").read_text(encoding="utf-8").replace("--interval=10", "--interval=100ms")
        # GPUs that the other tests leave alone.
        for line, other in (("node1:0,1", "west:2,3"), ("node2:2", "east:3"), ("node3:0,1,2", "south:3")):
            text = text.replace(line, other)
            self.kubectl("label", "node", line.partition(":")[0], f"gpu-node-name={other.partition(':')[0]}")
        self.kubectl("apply", "-f", "-", stdin=text)
        self.addCleanup(self.kubectl, "delete", "-f", "examples/maps/check-service.yaml")
        for number, (node, ids) in enumerate((("node1", "2,3"), ("node2", "3"), ("node3", "3"))):
            pod = f"gpu-scheduler-check-{number}"
            self.assertEqual(self.allocated(pod), f"{node}:{ids}")
            said = self.verified_twice(pod)
            self.assertEqual(said.splitlines()[1], f"Node: {node}, CUDA_VISIBLE_DEVICES: {ids}")
            self.assertNotIn("Wrong:", said)

    def test_every_gpu_node_is_reported_by_its_agent(self):
        rows = [line.split() for line in self.kubectl("get", "gns").splitlines()]
        self.assertEqual(rows, [["NAME", "NODE", "DEVICES"], ["node-a", "node-a", "4"], ["node-b", "node-b", "8"],
                                ["node1", "node1", "4"], ["node2", "node2", "4"], ["node3", "node3", "4"]])
        found = self.cluster.get("gns", "node-b")
        owner = self.cluster.get("node", "node-b")["metadata"]["uid"]
        self.assertEqual([each["uid"] for each in found["metadata"]["ownerReferences"]], [owner])
        self.assertEqual([each["status"] for each in found["status"]["conditions"]], ["True"])
        self.assertEqual(len(found["status"]["devices"][0]["links"]), 7)

    def test_a_claim_gets_its_gpus_and_gives_them_back(self):
        self.kubectl("apply", "-f", "examples/claims/single-gpu.yaml")
        node, _, gpu = self.allocated("gpu-test").partition(":")
        lease = f"gpu-{node}-{gpu}"
        self.assertIn(lease, self.kubectl("get", "leases"))
        self.assertIn("single-gpu", self.kubectl("get", "gclaim"))
        self.kubectl("delete", "-f", "examples/claims/single-gpu.yaml")
        wait_until("the lease is gone", lambda: lease not in self.kubectl("get", "leases"))

    def test_labels_choose_the_node(self):
        self.kubectl("apply", "-f", "examples/claims/specific-node.yaml")
        pod = {"apiVersion": "v1", "kind": "Pod",
               "metadata": {"name": "eight", "annotations": {"gpu.scheduling/claim": "specific-node"}},
               "spec": {"schedulerName": "gpu-scheduler", "containers": [
                   {"name": "c", "image": "example", "resources": {"limits": {"nvidia.com/gpu": "8"}}}]}}
        self.kubectl("apply", "-f", "-", stdin=json.dumps(pod))
        self.assertEqual(self.allocated("eight"), "node-b:0,1,2,3,4,5,6,7")
        self.kubectl("delete", "pod", "eight")

    def test_who_waits_knows_why(self):
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "waits"},
               "spec": {"schedulerName": "gpu-scheduler", "containers": [
                   {"name": "c", "image": "example", "resources": {"limits": {"nvidia.com/gpu": "9"}}}]}}
        self.kubectl("apply", "-f", "-", stdin=json.dumps(pod))
        wait_until("an event says so", lambda: "FailedScheduling" in self.kubectl("describe", "pod", "waits"))
        self.kubectl("delete", "pod", "waits")


class DumpTest(unittest.TestCase):
    def test_a_dump_brings_the_cluster_back(self):
        cluster = LocalCluster("--bare")
        self.addCleanup(cluster.close)
        wait_until("all nodes", lambda: len(cluster.get("nodes")["items"]) == 6)
        cluster.kubectl("apply", "-f", "examples/claims/multi-gpu.yaml")
        cluster.kubectl("create", "configmap", "words", "--from-literal=a=yes", "--from-literal=b=line\n# two")
        dump = str(cluster.folder / "dump.yaml")
        done = cluster.run("dump", dump)
        self.assertEqual(done.returncode, 0, done.stderr)
        before = {kind: self.contents(cluster, kind) for kind in ("configmaps", "gpuclaims", "nodes", "crds")}
        cluster.run("down")
        again = cluster.up("--bare", "--load", dump)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual({kind: self.contents(cluster, kind) for kind in before}, before)
        self.assertIn("training-job", cluster.kubectl("get", "pods"))
        Path(dump).write_text("{apiVersion: v9, kind: Pod, metadata: {name: a}}\n", encoding="utf-8")
        cluster.run("down")
        refused = cluster.up("--load", dump)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("Pod a: there is no such kind", refused.stderr)

    def test_the_scheduler_goes_on_where_a_dump_ends(self):
        cluster = LocalCluster()
        self.addCleanup(cluster.close)
        cluster.kubectl("apply", "-f", "examples/claims/multi-gpu.yaml")
        first = ("get", "pod", "training-job", "-o", ALLOCATED)
        placed = wait_until("the first is placed", lambda: cluster.kubectl(*first))
        dump = str(cluster.folder / "dump.yaml")
        self.assertEqual(cluster.run("dump", dump).returncode, 0)
        cluster.run("down")
        self.assertEqual(cluster.up("--load", dump).returncode, 0)
        cluster.kubectl("apply", "-f", "-", stdin=json.dumps(
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "next", "annotations": {
                "gpu.scheduling/claim": "multi-gpu"}},
             "spec": {"schedulerName": "gpu-scheduler", "containers": [
                 {"name": "c", "image": "example", "resources": {"limits": {"nvidia.com/gpu": "4"}}}]}}))
        after = wait_until("next is placed", lambda: cluster.kubectl("get", "pod", "next", "-o", ALLOCATED))
        self.assertEqual(cluster.kubectl(*first), placed)
        self.assertNotEqual(after, placed)
        self.assertIn("CUDA_VISIBLE_DEVICES", cluster.kubectl("get", "pod", "next", "-o", VARIABLES))

    def contents(self, cluster: LocalCluster, kind: str) -> list:
        """What must come back: who an object is and what it says, not what its kubelet reports meanwhile."""
        return [{"uid": item["metadata"]["uid"], "name": item["metadata"]["name"], "data": item.get("data"),
                 "spec": item.get("spec")} for item in cluster.get(kind, "-A")["items"]]


if __name__ == "__main__":
    unittest.main()
