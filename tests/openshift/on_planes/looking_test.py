"""gpu-machinesets status and verify."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from openshift_case import FIRST, OnOpenShift  # noqa: E402
from openshift_plane import DISCOVERIES, MACHINES, MERGE_PATCH, POLICIES, SETS  # noqa: E402


class Looking(OnOpenShift):
    def machine(self, name: str, status: dict) -> None:
        made = {"apiVersion": "machine.openshift.io/v1beta1", "kind": "Machine",
                "metadata": {"name": name, "labels": {"machine.openshift.io/cluster-api-machineset": FIRST}},
                "spec": {}}
        self.openshift.expect("POST", MACHINES, made)
        self.openshift.expect("PATCH", f"{MACHINES}/{name}/status", {"status": status}, MERGE_PATCH)

    def test_status_names_what_the_cloud_refuses_and_what_to_try(self):
        self.begin("checks")
        self.succeed()
        self.machine("one", {"phase": "Running", "nodeRef": {"name": "gpu-1"}})
        self.machine("two", {"phase": "Failed",
                             "errorMessage": "InsufficientInstanceCapacity: none left in us-east-2a"})
        done = self.openshift.run("status")
        self.assertEqual(done.returncode, 0, done.stderr)
        for words in (FIRST, "Running  gpu-1", "two: no capacity", "none left in us-east-2a", "try another zone"):
            self.assertIn(words, done.stdout)

    def test_verify_passes_once_nodes_policy_and_discovery_are_there(self):
        self.begin("checks", settings="instanceTypes: {g6.4xlarge: }\n")
        self.succeed()
        done = self.openshift.run("verify")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("✗ GPU nodes Ready: 0 of 0", done.stdout)
        self.openshift.expect("POST", "/api/v1/nodes", {"metadata": {"name": "gpu-1", "labels": {
            "nvidia.com/gpu.present": "true", "node-role.kubernetes.io/gpu": ""}}})
        self.addCleanup(self.openshift.api.request, "DELETE", "/api/v1/nodes/gpu-1")
        self.openshift.expect("PATCH", "/api/v1/nodes/gpu-1/status", {"status": {
            "allocatable": {"nvidia.com/gpu": "1"}, "conditions": [{"type": "Ready", "status": "True"}]}}, MERGE_PATCH)
        for path, status in ((f"{SETS}/{FIRST}/status", {"replicas": 1, "availableReplicas": 1}),
                             (f"{POLICIES}/gpu-cluster-policy", {"state": "ready"}),
                             (f"{DISCOVERIES}/nfd-instance",
                              {"conditions": [{"type": "Available", "status": "True"}]})):
            self.openshift.expect("PATCH", path, {"status": status}, MERGE_PATCH)
        done = self.openshift.run("verify")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
