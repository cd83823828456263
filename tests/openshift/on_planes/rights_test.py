"""The role of the Job and of its components has what is used, and nothing else."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from openshift_case import AUTOSCALED, OnOpenShift  # noqa: E402
from openshift_plane import AUTOSCALERS, ROLE, SETS, rights_of  # noqa: E402

ALL = ("autoscaling", "prune", "checks")


class Rights(OnOpenShift):
    """The role has what is used and nothing else: without any one verb, something that worked is forbidden."""

    def setting_out(self) -> None:
        """Something to make, to change, to delete, and to look at."""
        self.openshift.become("aws-default")
        gone = {"apiVersion": "machine.openshift.io/v1beta1", "kind": "MachineSet",
                "metadata": {"name": "old-gpu-set", "labels": {
                    "gpu.scheduling/generated-by": "gpu-machinesets",
                    "machine.openshift.io/cluster-api-cluster": "cluster-zpqdx-xxm9n"}},
                "spec": {"replicas": 0}}
        self.openshift.expect("POST", SETS, gone)
        self.openshift.expect("POST", AUTOSCALERS, {
            "apiVersion": "autoscaling.openshift.io/v1beta1", "kind": "MachineAutoscaler",
            "metadata": {"name": "old-gpu-set", "labels": {"gpu.scheduling/generated-by": "gpu-machinesets"}},
            "spec": {"minReplicas": 0, "maxReplicas": 1,
                     "scaleTargetRef": {"kind": "MachineSet", "name": "old-gpu-set"}}})

    def do_everything(self) -> str:
        self.setting_out()
        done = [self.openshift.run_job(), self.openshift.run("status"), self.openshift.run("verify")]
        said = "".join(each.stdout + each.stderr for each in done)
        self.assertEqual("forbidden" in said, any(each.returncode == 1 for each in done), said)
        return said

    def test_every_verb_is_used_and_none_is_missing(self):
        self.begin(*ALL, settings=AUTOSCALED)
        rules = self.openshift.api.get(ROLE)["rules"]
        self.assertNotIn("forbidden", self.do_everything())
        for right in rights_of(rules):
            with self.subTest(right):
                self.openshift.take_away(right, rules)
                said = self.do_everything()
                self.assertIn("forbidden", said, f"{right} is never used")
                self.assertIn("deploy/openshift/gpu-infrastructure has the role for it", said)
                self.openshift.give_back(rules)


if __name__ == "__main__":
    unittest.main()
