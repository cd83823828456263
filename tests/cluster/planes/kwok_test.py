"""With kwok, a pod that is bound to a node runs there."""

import unittest

from support import PlaneUnderTest, processes_about

POD = """{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "bound"},
 "spec": {"nodeName": "gpu-node-0", "containers": [{"name": "main", "image": "none"}]}}"""


class Kwok(unittest.TestCase):
    def test_a_bound_pod_runs_and_goes_away(self):
        plane = PlaneUnderTest("kwok")
        self.addCleanup(plane.close)
        plane.up("--node-lifecycle")
        plane.call("nodes", "add", "1", "--gpus", "8")
        plane.call("kwok", "up")
        plane.kubectl("wait", "--for=create", "lease/gpu-node-0", "--namespace=kube-node-lease", "--timeout=120s")
        plane.kubectl("create", "-f", "-", stdin=POD)
        plane.kubectl("wait", "--for=condition=Ready", "pod/bound", "--timeout=120s")
        self.assertEqual(plane.json("get", "pod", "bound")["status"]["phase"], "Running")
        self.assertEqual(plane.json("get", "node", "gpu-node-0")["status"]["allocatable"]["nvidia.com/gpu"], "8")
        plane.kubectl("delete", "pod", "bound", "--timeout=120s")
        plane.call("kwok", "down")
        self.assertRegex(plane.call("status").stdout, "kwok +not running")
        self.assertEqual(len(processes_about(str(plane.folder))), 3)
