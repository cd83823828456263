"""gpu-machinesets as its Job runs it: on a real API server with OpenShift's own kinds, under the Job's own role."""

import sys
import unittest
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from openshift_case import FIRST, NOTHING, SECOND, OnOpenShift  # noqa: E402
from openshift_plane import (AUTOSCALERS, CLUSTER_AUTOSCALERS, CLUSTERS, DISCOVERIES, INFRASTRUCTURES,  # noqa: E402
                             JSON_PATCH, MERGE_PATCH, NAMESPACE, POLICIES, SETS)

LINES = ["GPU MachineSet Generator - Dynamic Generation", "Cluster Infrastructure ID: cluster-zpqdx-xxm9n",
         "Template MachineSet: cluster-zpqdx-xxm9n-worker-us-east-2a", "Availability Zone: us-east-2a",
         f"Creating GPU MachineSet: {FIRST}", "  Instance Type: g6.4xlarge", "  GPU Count: 1", "  Replicas: 1",
         f"✓ Successfully created MachineSet: {FIRST}", f"Creating GPU MachineSet: {SECOND}",
         "  Instance Type: g6.12xlarge", "  GPU Count: 4", "  Replicas: 1",
         f"✓ Successfully created MachineSet: {SECOND}", "GPU MachineSet Generation Complete"]


class Generating(OnOpenShift):
    def test_the_documented_command_and_the_jobs_own_command_line_make_the_sets_of_the_document(self):
        self.begin()
        said = self.succeed()
        lines = iter(said.splitlines())
        for line in LINES:
            self.assertIn(line, lines, f"{line!r} is missing, or in the wrong place, in:\n{said}")
        made = self.openshift.sets()
        self.assertEqual(set(made), {FIRST, SECOND})
        machine = made[FIRST]["spec"]["template"]["spec"]
        provider = machine["providerSpec"]["value"]
        self.assertEqual(provider["instanceType"], "g6.4xlarge")
        self.assertEqual(provider["iamInstanceProfile"], {"id": "cluster-zpqdx-xxm9n-worker-profile"})
        self.assertEqual(provider["subnet"]["filters"][0]["values"], ["cluster-zpqdx-xxm9n-subnet-private-us-east-2a"])
        self.assertEqual(machine["taints"], [{"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}])
        self.assertEqual(machine["metadata"]["labels"]["node-role.kubernetes.io/gpu"], "")
        self.assertEqual(machine["metadata"]["labels"]["nvidia.com/gpu.present"], "true")
        self.assertEqual(made[FIRST]["metadata"]["labels"]["gpu.scheduling/generated-by"], "gpu-machinesets")
        self.assertEqual([made[name]["spec"]["replicas"] for name in (FIRST, SECOND)], [1, 1])
        self.assertTrue(said.rstrip().endswith(f"  MachineSet {SECOND}: created"), said)

    def test_what_runs_on_gpu_nodes_stays_in_its_own_place_and_tolerates_their_taint(self):
        self.begin()
        discovery = self.openshift.api.get(f"{DISCOVERIES}/nfd-instance")["spec"]["operand"]["workerTolerations"]
        policy = self.openshift.api.get(f"{POLICIES}/gpu-cluster-policy")["spec"]["daemonsets"]["tolerations"]
        for tolerations in (discovery, policy):
            self.assertIn({"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}, tolerations)

    def test_a_second_run_changes_nothing_and_says_so(self):
        self.begin()
        self.succeed()
        before = self.openshift.versions()
        said = self.succeed()
        self.assertIn(NOTHING, said)
        self.assertIn("created 0, updated 0, unchanged 2, deleted 0, failed 0", said)
        self.assertEqual(self.openshift.versions(), before)

    def test_replicas_belong_to_whoever_scales_and_the_rest_to_the_settings(self):
        self.begin(settings="instanceTypes: {g6.4xlarge: {replicas: 0}, g6.12xlarge: {replicas: 2}}\n")
        self.succeed()
        self.openshift.kubectl("scale", "--replicas=3", "-n", NAMESPACE, f"machinesets.machine.openshift.io/{FIRST}")
        self.openshift.write_settings("instanceTypes: {g6.4xlarge: {replicas: 5}, g6.12xlarge: {replicas: 5}}\n"
                                      "labels: {team: ml}\ndiskGiB: 300\n")
        said = self.succeed()
        self.assertIn("Replicas: 3 (left as they are; the settings say 5)", said)
        self.assertIn(f"✓ Successfully updated MachineSet: {FIRST}", said)
        made = self.openshift.sets()
        self.assertEqual([made[name]["spec"]["replicas"] for name in (FIRST, SECOND)], [3, 2])
        machine = made[FIRST]["spec"]["template"]["spec"]
        self.assertEqual(machine["metadata"]["labels"], {"team": "ml", "cluster-api/accelerator": "nvidia-l4"})
        self.assertEqual(machine["providerSpec"]["value"]["blockDevices"][0]["ebs"]["volumeSize"], 300)
        self.assertIn(NOTHING, self.succeed())
        self.assertEqual([self.openshift.sets()[name]["spec"]["replicas"] for name in (FIRST, SECOND)], [3, 2])

    def test_what_is_taken_back_is_gone_and_what_the_workers_get_the_sets_get_too(self):
        one = "instanceTypes: {g6.4xlarge: }\n"
        self.begin(settings=one + "spot: {maxPrice: \"2.50\"}\nlabels: {team: ml}\ntaints: [a=b:NoExecute]\n")
        self.succeed()
        before = self.openshift.sets()[FIRST]["spec"]["template"]["spec"]
        self.assertEqual(before["providerSpec"]["value"]["spotMarketOptions"], {"maxPrice": "2.50"})
        image = {"op": "replace", "path": "/spec/template/spec/providerSpec/value/ami/id", "value": "ami-2"}
        worker = f"{SETS}/cluster-zpqdx-xxm9n-worker-us-east-2a"
        self.openshift.expect("PATCH", worker, [image], JSON_PATCH)
        self.openshift.write_settings(one)
        self.succeed()
        after = self.openshift.sets()[FIRST]["spec"]["template"]["spec"]
        provider = self.openshift.api.get(worker)["spec"]["template"]["spec"]["providerSpec"]["value"]
        self.assertEqual(after["providerSpec"]["value"], provider | {"instanceType": "g6.4xlarge"})
        self.assertNotIn("team", after["metadata"]["labels"])
        self.assertEqual([each["key"] for each in after["taints"]], ["nvidia.com/gpu"])

    def test_capacities_are_left_to_the_clouds_controller_as_long_as_they_are_right(self):
        self.begin()
        self.succeed()
        memory, labels = "machine.openshift.io/memoryMb", "capacity.cluster-autoscaler.kubernetes.io/labels"
        there = self.openshift.sets()[FIRST]["metadata"]["annotations"][labels]
        turned = ",".join(reversed(there.split(",")))
        self.openshift.expect("PATCH", f"{SETS}/{FIRST}",
                              {"metadata": {"annotations": {memory: "63000", labels: turned}}}, MERGE_PATCH)
        self.assertIn(NOTHING, self.succeed())
        self.openshift.write_settings("labels: {team: ml}\n")
        self.succeed()
        annotations = self.openshift.sets()[FIRST]["metadata"]["annotations"]
        self.assertEqual(annotations[memory], "63000")
        self.assertIn("team=ml", annotations[labels])
        self.assertIn(NOTHING, self.succeed())

    def test_sets_of_others_are_never_touched(self):
        self.begin()
        self.succeed()
        self.openshift.expect("PATCH", f"{SETS}/{FIRST}",
                              {"metadata": {"labels": {"gpu.scheduling/generated-by": None}}}, MERGE_PATCH)
        self.openshift.write_settings("labels: {team: ml}\n")
        before = self.openshift.versions()
        said = self.fail_with(1)
        self.assertIn("there is one that gpu-machinesets did not make", said)
        self.assertIn(f"✓ Successfully updated MachineSet: {SECOND}", said)
        changed = {name for name, version in self.openshift.versions().items() if before[name] != version}
        self.assertEqual(changed, {SECOND})

    def test_every_cluster_of_the_files_gets_what_they_say_and_nothing_more_the_second_time(self):
        self.begin("autoscaling")
        cases = [path.parent for path in sorted(CLUSTERS.glob("*/expected.txt"))
                 if path.read_text(encoding="utf-8").startswith("apiVersion")]
        self.assertGreater(len(cases), 6)
        for case in cases:
            with self.subTest(case.name):
                self.openshift.become(case.name)
                self.openshift.write_settings_file(case / "settings.yaml")
                self.succeed()
                wanted = list(yaml.safe_load_all((case / "expected.txt").read_text(encoding="utf-8")))
                for each in wanted:
                    self.assert_kept(each)
                self.assertEqual(set(self.openshift.sets()),
                                 {each["metadata"]["name"] for each in wanted if each["kind"] == "MachineSet"})
                self.assertIn(NOTHING, self.succeed())

    def assert_kept(self, wanted: dict) -> None:
        """Defaults of the API aside."""
        collection = {"MachineSet": SETS, "MachineAutoscaler": AUTOSCALERS, "ClusterAutoscaler": CLUSTER_AUTOSCALERS}
        kept = self.openshift.api.get(f"{collection[wanted['kind']]}/{wanted['metadata']['name']}")
        for field in ("labels", "annotations"):
            self.assertEqual(kept["metadata"].get(field), wanted["metadata"].get(field))
        self.assertEqual(kept["spec"], kept["spec"] | wanted["spec"])

    def test_other_infrastructures_and_their_workers_are_not_ours(self):
        self.begin()
        other = self.openshift.api.get(f"{INFRASTRUCTURES}/cluster")
        other["metadata"] = {"name": "another"}
        self.openshift.expect("POST", INFRASTRUCTURES, other)
        status = {"infrastructureName": "a-1", "platform": "Azure", "platformStatus": {"type": "Azure"}}
        self.openshift.expect("PATCH", f"{INFRASTRUCTURES}/another/status", {"status": status}, MERGE_PATCH)
        worker = self.openshift.api.get(f"{SETS}/cluster-zpqdx-xxm9n-worker-us-east-2a")
        worker["metadata"] = {"name": "a-1-worker", "labels": {"machine.openshift.io/cluster-api-cluster": "a-1"}}
        self.openshift.expect("POST", SETS, worker)
        before = self.openshift.versions()
        self.succeed()
        self.assertEqual(set(self.openshift.sets()), {FIRST, SECOND})
        self.assertEqual({name: self.openshift.versions()[name] for name in before}, before)

    def test_refusals_say_why_and_make_nothing(self):
        for case, words in (("refused-vsphere", "this cluster runs on VSphere"),
                            ("refused-no-worker", "there is no worker MachineSet")):
            with self.subTest(case):
                self.begin(case=case)
                self.assertIn(words, self.fail_with(1))
                self.assertEqual(self.openshift.sets(), {})
        self.openshift.write_settings("zones: somewhere\n")
        self.assertIn("line 3, column 1", self.fail_with(2))

    def test_a_dry_run_is_checked_by_the_server_and_keeps_nothing(self):
        self.begin()
        said = self.succeed("--dry-run")
        self.assertIn(f"✓ Would have created MachineSet: {FIRST}", said)
        self.assertEqual(self.openshift.sets(), {})
        shown = [each["metadata"]["name"] for each in yaml.safe_load_all(self.succeed("--dry-run", "--output", "yaml"))]
        self.assertEqual(shown, [FIRST, SECOND])
        self.assertEqual(self.succeed("--dry-run", "--output", "table").split()[0], "NAME")


if __name__ == "__main__":
    unittest.main()
