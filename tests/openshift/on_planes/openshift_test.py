"""gpu-machinesets as its Job runs it: on a real API server with OpenShift's own kinds, under the Job's own role."""

import signal
import sys
import unittest
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from openshift_plane import (AUTOSCALERS, CLUSTER_AUTOSCALERS, CLUSTERS, MACHINES, MERGE_PATCH,  # noqa: E402
                             NAMESPACE, ROLE, SETS, OpenShift, rights_of)

FIRST = "cluster-zpqdx-xxm9n-gpu-g6-4xlarge-us-east-2a"
SECOND = "cluster-zpqdx-xxm9n-gpu-g6-12xlarge-us-east-2a"
LINES = ["GPU MachineSet Generator - Dynamic Generation", "Cluster Infrastructure ID: cluster-zpqdx-xxm9n",
         "Template MachineSet: cluster-zpqdx-xxm9n-worker-us-east-2a", "Availability Zone: us-east-2a",
         f"Creating GPU MachineSet: {FIRST}", "  Instance Type: g6.4xlarge", "  GPU Count: 1", "  Replicas: 1",
         f"✓ Successfully created MachineSet: {FIRST}", f"Creating GPU MachineSet: {SECOND}",
         "  Instance Type: g6.12xlarge", "  GPU Count: 4", "  Replicas: 1",
         f"✓ Successfully created MachineSet: {SECOND}", "GPU MachineSet Generation Complete"]
ALL = ("autoscaling", "prune", "checks")
AUTOSCALED = "instanceTypes:\n  g6.4xlarge:\n    autoscale: {min: 0, max: 4}\n"


def setUpModule():
    global openshift
    openshift = OpenShift()
    unittest.addModuleCleanup(openshift.close)
    openshift.up()


class OnOpenShift(unittest.TestCase):
    def begin(self, *components: str, case: str = "aws-default", settings: str | None = None) -> None:
        openshift.become(case)
        openshift.deploy(*components)
        if settings is not None:
            openshift.write_settings(settings)

    def succeed(self, *more: str) -> str:
        done = openshift.run_job(*more)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def fail_with(self, code: int, *more: str) -> str:
        done = openshift.run_job(*more)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr


class Generating(OnOpenShift):
    def test_the_documented_command_and_the_jobs_own_command_line_make_the_sets_of_the_document(self):
        self.begin()
        said = self.succeed()
        lines = iter(said.splitlines())
        for line in LINES:
            self.assertIn(line, lines, f"{line!r} is missing, or in the wrong place, in:\n{said}")
        made = openshift.sets()
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

    def test_a_second_run_changes_nothing_and_says_so(self):
        self.begin()
        self.succeed()
        before = openshift.versions()
        said = self.succeed()
        self.assertIn("Nothing has changed.", said)
        self.assertIn("created 0, updated 0, unchanged 2, deleted 0, failed 0", said)
        self.assertEqual(openshift.versions(), before)

    def test_replicas_belong_to_whoever_scales_and_the_rest_to_the_settings(self):
        self.begin(settings="instanceTypes: {g6.4xlarge: {replicas: 0}, g6.12xlarge: {replicas: 2}}\n")
        self.succeed()
        openshift.kubectl("scale", "--replicas=3", "-n", NAMESPACE, f"machinesets.machine.openshift.io/{FIRST}")
        openshift.write_settings("instanceTypes: {g6.4xlarge: {replicas: 5}, g6.12xlarge: {replicas: 5}}\n"
                                 "labels: {team: ml}\ndiskGiB: 300\n")
        said = self.succeed()
        self.assertIn("Replicas: 3 (left as they are; the settings say 5)", said)
        self.assertIn(f"✓ Successfully updated MachineSet: {FIRST}", said)
        made = openshift.sets()
        self.assertEqual([made[name]["spec"]["replicas"] for name in (FIRST, SECOND)], [3, 2])
        machine = made[FIRST]["spec"]["template"]["spec"]
        self.assertEqual(machine["metadata"]["labels"], {"team": "ml", "cluster-api/accelerator": "nvidia-l4"})
        self.assertEqual(machine["providerSpec"]["value"]["blockDevices"][0]["ebs"]["volumeSize"], 300)
        self.assertIn("Nothing has changed.", self.succeed())
        self.assertEqual([made[name]["spec"]["replicas"] for name in (FIRST, SECOND)], [3, 2])

    def test_capacities_that_the_clouds_controller_wrote_are_left_to_it(self):
        self.begin()
        self.succeed()
        openshift.expect("PATCH", f"{SETS}/{FIRST}",
                         {"metadata": {"annotations": {"machine.openshift.io/memoryMb": "63000"}}}, MERGE_PATCH)
        self.assertIn("Nothing has changed.", self.succeed())
        self.assertEqual(openshift.sets()[FIRST]["metadata"]["annotations"]["machine.openshift.io/memoryMb"], "63000")

    def test_sets_of_others_are_never_touched(self):
        self.begin()
        self.succeed()
        openshift.expect("PATCH", f"{SETS}/{FIRST}",
                         {"metadata": {"labels": {"gpu.scheduling/generated-by": None}}}, MERGE_PATCH)
        openshift.write_settings("labels: {team: ml}\n")
        before = openshift.versions()
        said = self.fail_with(1)
        self.assertIn("there is one that gpu-machinesets did not make", said)
        self.assertIn(f"✓ Successfully updated MachineSet: {SECOND}", said)
        changed = {name for name, version in openshift.versions().items() if before[name] != version}
        self.assertEqual(changed, {SECOND})

    def test_what_was_killed_half_way_is_finished_by_the_next_run(self):
        self.begin(settings="zones: all\ninstanceTypes: {g6.xlarge: , g6.2xlarge: , g6.4xlarge: , g6.8xlarge: }\n")
        process = openshift.start_job()
        for line in process.stdout:
            if line.startswith("✓"):
                break
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
        self.assertGreaterEqual(len(openshift.sets()), 1)
        self.succeed()
        self.assertEqual(len(openshift.sets()), 12)
        self.assertIn("Nothing has changed.", self.succeed())

    def test_two_at_the_same_time_do_no_harm(self):
        self.begin(settings="zones: all\n")
        both = [openshift.start_job(), openshift.start_job()]
        for process in both:
            out, err = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0, out + err)
        self.assertEqual(len(openshift.sets()), 6)

    def test_other_clouds(self):
        attached = [{"count": 2, "type": "nvidia-tesla-t4"}]
        for case, name, field, value in (
                ("azure", "azur-5tgb6-gpu-standard-nc4as-t4-v3-1", "vmSize", "Standard_NC4as_T4_v3"),
                ("gcp", "gogo-1qaz2-gpu-n1-standard-8-us-central1-a", "gpus", attached)):
            with self.subTest(case):
                text = (CLUSTERS / case / "settings.yaml").read_text(encoding="utf-8")
                self.begin(case=case, settings="\n".join(text.splitlines()[2:]) + "\n")
                self.succeed()
                machine = openshift.sets()[name]["spec"]["template"]["spec"]
                self.assertEqual(machine["providerSpec"]["value"][field], value)
                self.assertIn("Nothing has changed.", self.succeed())

    def test_refusals_say_why_and_make_nothing(self):
        for case, words in (("refused-vsphere", "this cluster runs on VSphere"),
                            ("refused-no-worker", "there is no worker MachineSet")):
            with self.subTest(case):
                self.begin(case=case)
                self.assertIn(words, self.fail_with(1))
                self.assertEqual(openshift.sets(), {})
        openshift.write_settings("zones: somewhere\n")
        self.assertIn("line 3, column 1", self.fail_with(2))

    def test_a_dry_run_is_checked_by_the_server_and_keeps_nothing(self):
        self.begin()
        said = self.succeed("--dry-run")
        self.assertIn(f"✓ Would have created MachineSet: {FIRST}", said)
        self.assertEqual(openshift.sets(), {})
        shown = [each["metadata"]["name"] for each in yaml.safe_load_all(self.succeed("--dry-run", "--output", "yaml"))]
        self.assertEqual(shown, [FIRST, SECOND])
        self.assertEqual(self.succeed("--dry-run", "--output", "table").split()[0], "NAME")


class Autoscaling(OnOpenShift):
    def test_sets_get_an_autoscaler_and_the_cluster_one_if_it_has_none(self):
        self.begin("autoscaling", settings=AUTOSCALED)
        self.succeed()
        self.assertEqual(openshift.sets()[FIRST]["spec"]["replicas"], 0)
        made = openshift.api.get(f"{AUTOSCALERS}/{FIRST}")["spec"]
        self.assertEqual((made["minReplicas"], made["maxReplicas"], made["scaleTargetRef"]["name"]), (0, 4, FIRST))
        whole = openshift.api.get(f"{CLUSTER_AUTOSCALERS}/default")["spec"]
        self.assertEqual(whole["resourceLimits"]["gpus"], [{"type": "nvidia-l4", "min": 0, "max": 4}])
        openshift.kubectl("scale", "--replicas=2", "-n", NAMESPACE, f"machinesets.machine.openshift.io/{FIRST}")
        self.assertIn("Nothing has changed.", self.succeed())
        self.assertEqual(openshift.sets()[FIRST]["spec"]["replicas"], 2)

    def test_a_cluster_autoscaler_that_is_there_is_only_looked_at(self):
        self.begin("autoscaling", settings=AUTOSCALED)
        openshift.expect("POST", CLUSTER_AUTOSCALERS, {
            "apiVersion": "autoscaling.openshift.io/v1", "kind": "ClusterAutoscaler", "metadata": {"name": "default"},
            "spec": {"resourceLimits": {"gpus": [{"type": "nvidia-t4", "min": 0, "max": 1}]}}})
        self.assertIn("no limit for GPUs of type nvidia-l4", self.succeed())
        limits = openshift.api.get(f"{CLUSTER_AUTOSCALERS}/default")["spec"]["resourceLimits"]["gpus"]
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
        copy = openshift.sets()[FIRST]
        copy["metadata"] = {"name": foreign, "labels": {"machine.openshift.io/cluster-api-cluster": "x"}}
        openshift.expect("POST", SETS, copy)
        openshift.write_settings("instanceTypes: {g6.4xlarge: }\n")
        second = FIRST.replace("us-east-2a", "us-east-2b")
        self.assertIn(f"No longer wanted: MachineSet {second} (kept; --prune deletes it)", self.succeed())
        self.assertEqual(set(openshift.sets()), {FIRST, second, foreign})
        openshift.deploy("prune")
        openshift.write_settings("instanceTypes: {g6.4xlarge: }\n")
        said = self.succeed()
        self.assertLess(said.index(f"No longer wanted: MachineSet {second}"), said.index("✓ Successfully deleted"))
        self.assertEqual(set(openshift.sets()), {FIRST, foreign})
        self.assertEqual(openshift.api.get(AUTOSCALERS)["items"], [])


class Rights(OnOpenShift):
    """The role has what is used and nothing else: without any one verb, something that worked is forbidden."""

    def setting_out(self) -> None:
        """Something to make, to change, to delete, and to look at."""
        openshift.become("aws-default")
        gone = {"apiVersion": "machine.openshift.io/v1beta1", "kind": "MachineSet",
                "metadata": {"name": "old-gpu-set", "labels": {
                    "gpu.scheduling/generated-by": "gpu-machinesets",
                    "machine.openshift.io/cluster-api-cluster": "cluster-zpqdx-xxm9n"}},
                "spec": {"replicas": 0}}
        openshift.expect("POST", SETS, gone)
        openshift.expect("POST", AUTOSCALERS, {
            "apiVersion": "autoscaling.openshift.io/v1beta1", "kind": "MachineAutoscaler",
            "metadata": {"name": "old-gpu-set", "labels": {"gpu.scheduling/generated-by": "gpu-machinesets"}},
            "spec": {"minReplicas": 0, "maxReplicas": 1,
                     "scaleTargetRef": {"kind": "MachineSet", "name": "old-gpu-set"}}})

    def do_everything(self) -> str:
        self.setting_out()
        done = [openshift.run_job(), openshift.run("status"), openshift.run("verify")]
        return "".join(each.stdout + each.stderr for each in done)

    def test_every_verb_is_used_and_none_is_missing(self):
        self.begin(*ALL, settings=AUTOSCALED)
        rules = openshift.api.get(ROLE)["rules"]
        self.assertNotIn("forbidden", self.do_everything())
        for right in rights_of(rules):
            with self.subTest(right):
                openshift.take_away(right, rules)
                self.assertIn("forbidden", self.do_everything(), f"{right} is never used")
                openshift.give_back(rules)


class Looking(OnOpenShift):
    def machine(self, name: str, status: dict) -> None:
        made = {"apiVersion": "machine.openshift.io/v1beta1", "kind": "Machine",
                "metadata": {"name": name, "labels": {"machine.openshift.io/cluster-api-machineset": FIRST}},
                "spec": {}}
        openshift.expect("POST", MACHINES, made)
        openshift.expect("PATCH", f"{MACHINES}/{name}/status", {"status": status}, MERGE_PATCH)

    def test_status_names_what_the_cloud_refuses_and_what_to_try(self):
        self.begin("checks")
        self.succeed()
        self.machine("one", {"phase": "Running", "nodeRef": {"name": "gpu-1"}})
        self.machine("two", {"phase": "Failed",
                             "errorMessage": "InsufficientInstanceCapacity: none left in us-east-2a"})
        done = openshift.run("status")
        self.assertEqual(done.returncode, 0, done.stderr)
        for words in (FIRST, "Running  gpu-1", "two: no capacity", "none left in us-east-2a", "try another zone"):
            self.assertIn(words, done.stdout)

    def test_verify_passes_once_nodes_policy_and_discovery_are_there(self):
        self.begin("checks", settings="instanceTypes: {g6.4xlarge: }\n")
        self.succeed()
        done = openshift.run("verify")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("✗ GPU nodes Ready: 0 of 0", done.stdout)
        openshift.expect("POST", "/api/v1/nodes", {"metadata": {"name": "gpu-1", "labels": {
            "nvidia.com/gpu.present": "true", "node-role.kubernetes.io/gpu": ""}}})
        self.addCleanup(openshift.api.request, "DELETE", "/api/v1/nodes/gpu-1")
        openshift.expect("PATCH", "/api/v1/nodes/gpu-1/status", {"status": {
            "allocatable": {"nvidia.com/gpu": "1"}, "conditions": [{"type": "Ready", "status": "True"}]}}, MERGE_PATCH)
        openshift.expect("PATCH", f"{SETS}/{FIRST}/status", {"status": {"replicas": 1, "availableReplicas": 1}},
                         MERGE_PATCH)
        openshift.expect("PATCH", "/apis/nvidia.com/v1/clusterpolicies/gpu-cluster-policy",
                         {"status": {"state": "ready"}}, MERGE_PATCH)
        discovery = "/apis/nfd.openshift.io/v1/namespaces/openshift-nfd/nodefeaturediscoveries/nfd-instance"
        openshift.expect("PATCH", discovery, {"status": {"conditions": [{"type": "Available", "status": "True"}]}},
                         MERGE_PATCH)
        done = openshift.run("verify")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
