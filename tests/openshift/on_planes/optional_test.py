"""Autoscaling and pruning, each with the rights of its component."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from openshift_case import AUTOSCALED, FIRST, NOTHING, OnOpenShift  # noqa: E402
from openshift_plane import AUTOSCALERS, CLUSTER_AUTOSCALERS, NAMESPACE, SETS  # noqa: E402


class Autoscaling(OnOpenShift):
    def test_sets_get_an_autoscaler_and_the_cluster_one_if_it_has_none(self):
        self.begin("autoscaling", settings=AUTOSCALED)
        self.succeed()
        self.assertEqual(self.openshift.sets()[FIRST]["spec"]["replicas"], 0)
        made = self.openshift.api.get(f"{AUTOSCALERS}/{FIRST}")["spec"]
        self.assertEqual((made["minReplicas"], made["maxReplicas"], made["scaleTargetRef"]["name"]), (0, 4, FIRST))
        whole = self.openshift.api.get(f"{CLUSTER_AUTOSCALERS}/default")["spec"]
        self.assertEqual(whole["resourceLimits"]["gpus"], [{"type": "nvidia-l4", "min": 0, "max": 4}])
        self.openshift.kubectl("scale", "--replicas=2", "-n", NAMESPACE, f"machinesets.machine.openshift.io/{FIRST}")
        self.assertIn(NOTHING, self.succeed())
        self.assertEqual(self.openshift.sets()[FIRST]["spec"]["replicas"], 2)

    def test_a_cluster_autoscaler_that_is_there_is_only_looked_at(self):
        self.begin("autoscaling", settings=AUTOSCALED)
        self.openshift.expect("POST", CLUSTER_AUTOSCALERS, {
            "apiVersion": "autoscaling.openshift.io/v1", "kind": "ClusterAutoscaler", "metadata": {"name": "default"},
            "spec": {"resourceLimits": {"gpus": [{"type": "nvidia-t4", "min": 0, "max": 1}]}}})
        self.assertIn("no limit for GPUs of type nvidia-l4", self.succeed())
        limits = self.openshift.api.get(f"{CLUSTER_AUTOSCALERS}/default")["spec"]["resourceLimits"]["gpus"]
        self.assertEqual([each["type"] for each in limits], ["nvidia-t4"])

    def test_without_the_component_the_refusal_names_it(self):
        self.begin(settings=AUTOSCALED)
        said = self.fail_with(1)
        self.assertIn("forbidden", said)
        self.assertIn("components for what is optional", said)


class Pruning(OnOpenShift):
    def test_only_what_was_made_here_and_is_no_longer_wanted_goes(self):
        self.begin("autoscaling", settings="zones: [us-east-2a, us-east-2b]\n" + AUTOSCALED)
        self.succeed()
        foreign = FIRST.replace("2a", "2b").replace("xxm9n", "other")
        copy = self.openshift.sets()[FIRST]
        copy["metadata"] = {"name": foreign, "labels": {"machine.openshift.io/cluster-api-cluster": "x"}}
        self.openshift.expect("POST", SETS, copy)
        self.openshift.write_settings("instanceTypes: {g6.4xlarge: }\n")
        second = FIRST.replace("us-east-2a", "us-east-2b")
        self.assertIn(f"No longer wanted: MachineSet {second} (kept; --prune deletes it)", self.succeed())
        self.assertEqual(set(self.openshift.sets()), {FIRST, second, foreign})
        self.openshift.deploy("prune")
        self.openshift.write_settings("instanceTypes: {g6.4xlarge: }\n")
        self.assertIn(f"✓ Would have deleted MachineSet: {second}", self.succeed("--dry-run"))
        self.assertIn(second, self.openshift.sets())
        said = self.succeed()
        self.assertLess(said.index(f"No longer wanted: MachineSet {second}"), said.index("✓ Successfully deleted"))
        self.assertEqual(set(self.openshift.sets()), {FIRST, foreign})
        self.assertEqual(self.openshift.api.get(AUTOSCALERS)["items"], [])


if __name__ == "__main__":
    unittest.main()
