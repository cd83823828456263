"""A real node runs pods of a plane and goes away without a trace."""

import json
import os
import signal
import subprocess
import unittest
from pathlib import Path

from support import PROGRAM, PlaneUnderTest, cluster, processes_about, wait_until

from failures import SKIP_EXIT_CODE
from processes import start_time
from real_node.images import TEST_IMAGE
from real_node.network import Addresses

PODS = "/api/v1/namespaces/default/pods"
VISIBLE_DEVICES = "gpu.scheduling/visible-devices"
ENVIRONMENT = [{"name": "CUDA_VISIBLE_DEVICES",
                "valueFrom": {"fieldRef": {"fieldPath": f"metadata.annotations['{VISIBLE_DEVICES}']"}}}]
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "worker"},
       "spec": {"terminationGracePeriodSeconds": 1,
                "containers": [{"name": "main", "image": TEST_IMAGE, "imagePullPolicy": "Never", "env": ENVIRONMENT,
                                "command": ["/bin/sh", "-c", "env; exec sleep 3600"],
                                "resources": {"limits": {"nvidia.com/gpu": "2"}}}]}}
BINDING = {"apiVersion": "v1", "kind": "Binding",
           "metadata": {"name": "worker", "annotations": {VISIBLE_DEVICES: "2,3"}},
           "target": {"apiVersion": "v1", "kind": "Node", "name": "first"}}


def setUpModule():
    global plane
    plane = PlaneUnderTest("with-node")
    unittest.addModuleCleanup(plane.close)
    plane.up()
    done = plane.call("node", "up", "first", "--gpus", "4", check=False)
    if done.returncode == SKIP_EXIT_CODE:
        raise unittest.SkipTest(done.stderr.strip())
    if done.returncode != 0:
        raise AssertionError(f"{done.stdout}{done.stderr}")


class Traces:
    """What a node has outside its folder, found while it runs, to be looked for afterwards."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.groups = [Path(path) for path in json.loads((folder / "groups.json").read_text(encoding="utf-8"))]
        self.cable = Addresses(json.loads((folder / "network.json").read_text(encoding="utf-8"))).cable
        self.processes = {pid: start_time(pid) for group in self.groups for pid in self.processes_in(group)}

    @staticmethod
    def processes_in(group: Path) -> list[int]:
        files = group.rglob("cgroup.procs")
        return [int(pid) for file in files for pid in file.read_text(encoding="utf-8").split()]

    def left(self) -> list[str]:
        living = [f"process {pid}" for pid, started in self.processes.items() if start_time(pid) == started]
        mounts = [line for line in Path("/proc/mounts").read_text(encoding="utf-8").splitlines()
                  if str(self.folder) in line]
        paths = [self.folder, Path("/sys/class/net") / self.cable, *self.groups]
        return living + mounts + [str(path) for path in paths if path.exists()] + processes_about(str(self.folder))


class Node(unittest.TestCase):
    def test_is_ready_with_gpus_and_without_a_taint(self):
        node = plane.json("get", "node", "first")
        conditions = {one["type"]: one["status"] for one in node["status"]["conditions"]}
        self.assertEqual(conditions["Ready"], "True")
        self.assertNotIn("taints", node["spec"])
        self.assertTrue(wait_until(lambda: plane.json("get", "node", "first")["status"]["allocatable"]
                                   .get("nvidia.com/gpu") == "4"))
        self.assertRegex(node["status"]["nodeInfo"]["containerRuntimeVersion"], "^containerd://")

    def test_annotations_of_the_binding_reach_the_program(self):
        with plane.client() as client:
            self.assertEqual(client.request("POST", PODS, POD)[0], 201)
            self.assertEqual(client.request("POST", f"{PODS}/worker/binding", BINDING)[0], 201)
        plane.kubectl("wait", "--for=condition=Ready", "pod/worker", "--timeout=120s")
        self.assertIn("CUDA_VISIBLE_DEVICES=2,3", plane.kubectl("exec", "worker", "--", "env").stdout.splitlines())
        self.assertTrue(wait_until(lambda: "CUDA_VISIBLE_DEVICES=2,3" in
                                   plane.kubectl("logs", "worker").stdout.splitlines()))
        plane.kubectl("delete", "pod", "worker", "--timeout=120s")

    def test_status_and_logs_know_its_processes(self):
        status = plane.call("status").stdout
        for part in ("init", "api-forwarder", "containerd", "kubelet"):
            self.assertRegex(status, rf"first/{part} +process \d+")
        self.assertIn("containerd successfully booted", plane.call("logs", "first/containerd").stdout)

    def test_a_second_one_of_its_name_is_refused_and_does_not_harm_it(self):
        refused = plane.call("node", "up", "first", check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("already", refused.stderr)
        self.assertRegex(plane.call("status").stdout, r"first/kubelet +process \d+")

    def test_a_name_cannot_leave_the_folder(self):
        self.assertIn("cannot name a node", plane.call("node", "up", "../x", check=False).stderr)
        self.assertIn("has no real node", plane.call("node", "down", "../x", check=False).stderr)


class End(unittest.TestCase):
    def test_a_node_beside_another_goes_down_alone_and_leaves_nothing(self):
        tunables = [Path("/proc/sys/vm/overcommit_memory"), Path("/proc/sys/kernel/panic")]
        before = [tunable.read_text() for tunable in tunables]
        plane.call("node", "up", "second")
        traces, others = Traces(plane.folder / "nodes/second"), Traces(plane.folder / "nodes/first")
        self.assertGreaterEqual(len(traces.processes), 3)
        self.assertNotEqual(traces.cable, others.cable)
        plane.call("node", "down", "second")
        self.assertEqual(traces.left(), [])
        self.assertEqual([tunable.read_text() for tunable in tunables], before)
        self.assertIn("NotFound", plane.kubectl("get", "node", "second", check=False).stderr)
        self.assertRegex(plane.call("status").stdout, r"first/kubelet +process \d+")

    def test_ctrl_c_while_it_starts_leaves_nothing(self):
        process = subprocess.Popen([PROGRAM, "node", "up", "stopped", *plane.options], start_new_session=True)
        folder = plane.folder / "nodes/stopped"
        self.assertTrue(wait_until(lambda: (folder / "containerd.pid").exists() or process.poll() is not None))
        traces = Traces(folder)
        os.kill(process.pid, signal.SIGINT)
        self.assertEqual(process.wait(60), 128 + signal.SIGINT)
        self.assertEqual(traces.left(), [])

    def test_a_node_ends_with_the_plane_of_a_command(self):
        folder = Path(plane.parent.name) / "run"
        script = ('"$GS_CLUSTER_TOOL" node up only --dir "$GS_TEST_PLANE" >&2 && kubectl get nodes -o name && '
                  'cat "$GS_TEST_PLANE/nodes/only/groups.json"')
        done = cluster("run", "--name", "run", "--dir", str(folder), "--", "sh", "-c", script)
        name, groups = done.stdout.splitlines()
        self.assertEqual(name, "node/only")
        self.assertEqual([group for group in json.loads(groups) if Path(group).exists()], [])
        self.assertEqual(processes_about(str(folder)), [])
        self.assertFalse(folder.exists())
