"""What people type from the documentation, with the files of examples/, word for word."""

import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scheduler_process import CRDS, PROGRAM, ROOT, PlaneUnderTest, Scheduler, wait_for_kinds, wait_until  # noqa: E402
from free_ports import pick  # noqa: E402  # of tools/cluster, which scheduler_process knows the way to
from nodes import Shape, add  # noqa: E402  # likewise

ALLOCATED = "kubectl get pod {} -o jsonpath='{{.metadata.annotations.gpu\\.scheduling/allocated}}'"

TWO_GPUS = """{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "two"},
  "spec": {"schedulerName": "gpu-scheduler", "containers": [
    {"name": "main", "image": "none", "resources": {"limits": {"nvidia.com/gpu": "2"}}}]}}"""


def device(number: int, count: int, links: bool) -> dict:
    made = {"id": number, "uuid": f"GPU-{number}", "model": "NVIDIA A100-SXM4-80GB", "numaNode": number * 2 // count}
    if links:
        made["links"] = [{"peer": peer, "type": "NVSwitch", "count": 12, "bandwidthGBps": 600}
                         for peer in range(number + 1, count)]
    return made


def pod_of(claim: str) -> str:
    return f"""{{"apiVersion": "v1", "kind": "Pod",
      "metadata": {{"name": "user", "annotations": {{"gpu.scheduling/claim": "{claim}"}}}},
      "spec": {{"schedulerName": "gpu-scheduler", "containers": [{{"name": "main", "image": "none"}}]}}}}"""


class DocumentedUse(unittest.TestCase):
    """One plane and one scheduler for all: node-a has 4 GPUs, node-b 8 on NVSwitch, node1 to node3 say nothing."""

    @classmethod
    def setUpClass(cls):
        cls.plane = PlaneUnderTest("documented").up()
        cls.addClassCleanup(cls.plane.close)
        client = cls.plane.client()
        add(client, "node-a", Shape(gpus=4))
        add(client, "node-b", Shape(gpus=8, labels={"gpu-type": "a100", "topology": "nvlink"}))
        for number in (1, 2, 3):
            add(client, f"node{number}", Shape(gpus=0))
        cls.plane.kubectl("apply", "-f", str(CRDS))
        wait_for_kinds(cls.plane.kubectl, "gpuclaims", "gpunodestatuses")
        cls.scheduler = Scheduler(cls.plane, pick(1)[0], home="default")
        cls.addClassCleanup(cls.scheduler.close)
        cls.report("node-a", [device(number, 4, links=False) for number in range(4)])
        cls.report("node-b", [device(number, 8, links=True) for number in range(8)])
        cls.wait_for_reports()

    @classmethod
    def report(cls, node: str, devices: list[dict]):
        """As an agent does it: the object, then its status."""
        path = "/apis/gpu.scheduling/v1/gpunodestatuses"
        made = {"apiVersion": "gpu.scheduling/v1", "kind": "GpuNodeStatus", "metadata": {"name": node},
                "spec": {"nodeName": node}}
        status, answer = cls.plane.client().request("POST", path, made)
        assert status == 201, answer
        answer["status"] = {"total": len(devices), "devices": devices}
        status, answer = cls.plane.client().request("PUT", f"{path}/{node}/status", answer)
        assert status == 200, answer

    @classmethod
    def wait_for_reports(cls):
        """Until it has read both, the scheduler would place pods by number alone."""
        def has_seen() -> bool:
            log = cls.scheduler.log.read_text(encoding="utf-8")
            return all(f"seen machine of {what} GPUs" in log for what in ("node-a with 4", "node-b with 8"))
        assert wait_until(has_seen), cls.scheduler.log.read_text(encoding="utf-8")

    def setUp(self):
        self.addCleanup(self.delete_everything)

    def delete_everything(self):
        # Bound pods would wait for a kubelet to let them go.
        self.type("kubectl delete deployments,statefulsets,replicasets,gpuclaims --all --cascade=orphan")
        self.type("kubectl delete pods --all --force --grace-period=0")
        self.expect(self.gpus_in_use, [])

    def type(self, line: str, stdin: str = "") -> str:
        """What a shell prints, run where the repository is."""
        env = os.environ | {"PATH": f"{self.plane.folder}/bin:{PROGRAM.parent}:{os.environ['PATH']}",
                            "KUBECONFIG": f"{self.plane.folder}/admin.kubeconfig"}
        done = subprocess.run(["sh", "-c", line], input=stdin, cwd=ROOT, env=env, text=True, capture_output=True,
                              check=False)
        # grep that finds nothing says 1.
        self.assertIn(done.returncode, (0, 1 if "grep" in line else 0), f"{line}\n{done.stdout}{done.stderr}")
        return done.stdout

    def expect(self, read, wanted):
        if not wait_until(lambda: read() == wanted):
            self.assertEqual(read(), wanted)

    def expect_allocated(self, pod: str, wanted: str):
        self.expect(lambda: self.type(ALLOCATED.format(pod)), wanted)

    def table(self, line: str) -> list[list[str]]:
        return [row.split() for row in self.type(line).splitlines()]

    def gpus_in_use(self) -> list[str]:
        return sorted(row[0] for row in self.table("kubectl get leases | grep gpu-"))

    def test_the_first_claims_and_what_there_is_to_see_of_them(self):
        self.type("kubectl apply -f examples/claims/single-gpu.yaml")
        self.expect_allocated("gpu-test", "node-a:0")
        self.type("kubectl apply -f examples/claims/multi-gpu.yaml")
        self.expect_allocated("training-job", "node-b:0,1,2,3")
        self.expect(lambda: self.table("kubectl get gclaim"),
                    [["NAME", "REQ", "POLICY", "TOPOLOGY", "ALLOCATED"],
                     ["multi-gpu", "4", "contiguous", "Preferred", "node-b:0,1,2,3"],
                     ["single-gpu", "1", "contiguous", "node-a:0"]])
        self.expect_status_of_single_gpu()
        held = ["gpu-node-a-0", *(f"gpu-node-b-{number}" for number in range(4))]
        self.expect(self.gpus_in_use, held)
        # Neither deletion does harm.
        self.type("kubectl delete lease gpu-node-a-0")
        self.expect(self.gpus_in_use, held)
        self.type("kubectl delete leases -l gpu.scheduling/managed=true")
        self.expect(self.gpus_in_use, held)
        self.assertEqual(self.type(ALLOCATED.format("gpu-test")), "node-a:0")
        self.assertEqual(self.type(ALLOCATED.format("training-job")), "node-b:0,1,2,3")
        # The claim follows its pods.
        self.type("kubectl delete pod gpu-test --force --grace-period=0")
        self.expect(lambda: self.type("kubectl get gclaim single-gpu -o jsonpath='{.status.phase} {.status.message}'"),
                    "Pending no pod uses this claim")

    def expect_status_of_single_gpu(self):
        status = self.plane.json("get", "gpuclaim", "single-gpu")["status"]
        since = status["allocations"][0].pop("since")
        self.assertRegex(since, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        uid = self.plane.json("get", "pod", "gpu-test")["metadata"]["uid"]
        self.assertEqual(status["allocations"], [{"pod": "gpu-test", "podUID": uid, "node": "node-a", "gpuIds": [0],
                                                  "uuids": ["GPU-0"], "enforced": False}])
        self.assertEqual((status["phase"], status["nodeName"], status["gpuIds"], status["allocatedCount"]),
                         ("Allocated", "node-a", [0], 1))
        self.assertEqual([(each["type"], each["status"]) for each in status["conditions"]], [("Allocated", "True")])

    def test_node_statuses(self):
        self.assertEqual(self.table("kubectl get gns"),
                         [["NAME", "NODE", "DEVICES"], ["node-a", "node-a", "4"], ["node-b", "node-b", "8"]])
        shown = self.type("kubectl get gns node-a -o yaml")
        self.assertEqual(shown, self.type("kubectl get gpunodestatus node-a -o yaml"))
        self.assertEqual(len(re.findall("uuid: GPU-", shown)), 4)

    def use(self, example: str, claim: str):
        self.type(f"kubectl apply -f examples/claims/{example}.yaml")
        self.type("kubectl create -f -", stdin=pod_of(claim))

    def test_pinned_ids(self):
        self.use("pinned-gpus", "pinned-gpus")
        self.expect_allocated("user", "node-a:0,1")

    def test_nodes_with_labels(self):
        self.use("specific-node", "specific-node")
        self.expect_allocated("user", "node-b:0,1,2,3,4,5,6,7")

    def test_required_links(self):
        self.use("fast-links-or-wait", "fast-links-or-wait")
        self.expect_allocated("user", "node-b:0,1")

    def test_a_shared_gpu(self):
        self.type("kubectl apply -f examples/claims/shared.yaml")
        self.expect(lambda: self.table("kubectl get gclaim shared"),
                    [["NAME", "REQ", "POLICY", "TOPOLOGY", "ALLOCATED"],
                     ["shared", "1", "contiguous", "node-a:0", "node-a:0", "node-a:0"]])
        self.assertEqual(self.gpus_in_use(), ["gpu-node-a-0"])

    def test_a_pod_with_a_map(self):
        self.type("kubectl apply -f examples/maps/pod.yaml")
        self.expect_allocated("mapped", "node1:0,1")

    def test_a_stateful_set_with_a_map(self):
        self.type("kubectl apply -f examples/maps/statefulset.yaml")
        for number, gpus in enumerate(["node1:0,1", "node2:2", "node3:0,1,2"]):
            self.expect(lambda number=number: f"gpu-workload-{number}" in self.type("kubectl get pods"), True)
            self.expect_allocated(f"gpu-workload-{number}", gpus)
            self.make_ready(f"gpu-workload-{number}")
        self.expect(self.gpus_in_use, ["gpu-node1-0", "gpu-node1-1", "gpu-node2-2", "gpu-node3-0", "gpu-node3-1",
                                       "gpu-node3-2"])

    def test_kubectl_gpu_sees_what_the_scheduler_sees(self):
        self.assertEqual(self.type("kubectl-gpu apply -f examples/claims/multi-gpu.yaml"),
                         "gpuclaim.gpu.scheduling/multi-gpu created\npod/training-job created\n")
        self.expect(lambda: self.table("kubectl-gpu pods"),
                    [["NAME", "ASKED", "BY", "NODE", "GPUS", "STATE"],
                     ["training-job", "claim", "multi-gpu", "node-b", "0,1,2,3", "bound"]])
        self.type("kubectl-gpu apply -f examples/claims/whole-island.yaml")
        self.expect(lambda: "waiting (TooFewGpus)" in self.type("kubectl-gpu pods"), True)
        explained = json.loads(self.type("kubectl-gpu explain large-model -o json"))
        said = self.type("kubectl get pod large-model -o jsonpath='{.status.conditions[0].message}'")
        self.assertEqual(said, f"{explained['reason']}: {explained['message']}")
        self.assertIn("  when default/training-job on node-b ends\n", self.type("kubectl-gpu explain large-model"))
        self.assertEqual(self.table("kubectl-gpu who node-b:3-4"),
                         [["NODE", "GPU", "STATE", "POD", "CLAIM", "MODE"],
                          ["node-b", "3", "held", "default/training-job", "multi-gpu", "exclusive"],
                          ["node-b", "4", "free", "<none>", "<none>", "<none>"]])
        leases = json.loads(self.type("kubectl-gpu leases -o json"))["items"]
        self.assertEqual({each["state"] for each in leases}, {"held"})
        self.assertIn("GPUs      12 on 2 nodes (8 free, 4 held)\nwaiting   1 pod (1 TooFewGpus)\n",
                      self.type("kubectl-gpu status"))
        self.assertIn("would go to node-a with GPUs 0,1", self.type("kubectl-gpu place -f -", stdin=TWO_GPUS))
        # The status of a claim is written after its pod is bound.
        self.expect(lambda: "node-b:0,1,2,3" in self.type("kubectl get gclaim multi-gpu"), True)
        # The server's own tables, as kubectl prints them; ages differ from one look to the next.
        for what in ("gclaim", "gns", "nodes node-a", "leases -l gpu.scheduling/managed=true"):
            ours, theirs = (re.sub(r"\b\d+[smh]\b", "age", self.type(f"{program} get {what}"))
                            for program in ("kubectl-gpu", "kubectl"))
            self.assertEqual([row.split() for row in ours.splitlines()], [row.split() for row in theirs.splitlines()])
        self.assertEqual(self.type("kubectl-gpu apply -f examples/claims/multi-gpu.yaml").splitlines()[0],
                         "gpuclaim.gpu.scheduling/multi-gpu unchanged")

    def make_ready(self, pod: str):
        """There is no kubelet, and the next pod comes when this one is ready."""
        self.type(f"""kubectl patch pod {pod} --subresource=status -p '{{"status": {{"phase": "Running",
                  "conditions": [{{"type": "Ready", "status": "True"}}]}}}}'""")


if __name__ == "__main__":
    unittest.main()
