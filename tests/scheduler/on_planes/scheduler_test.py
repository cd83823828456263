"""Pods get exactly the GPUs they should, and nothing that dies or is deleted changes that."""

import re
import signal
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from plane_case import PlaneCase  # noqa: E402
from scheduler_process import (DEADLINE, HOME, ROOT, claim, gpus_of, leases, pod, reason_of, record_of,  # noqa: E402
                               wait_until)


def storage_class(name: str, provisioner: str) -> dict:
    return {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name},
            "provisioner": provisioner, "volumeBindingMode": "WaitForFirstConsumer"}


def volume(name: str, storage: str, node: str, claim: str = "") -> dict:
    """On one node; for a claim of that name, or for whoever comes."""
    term = {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}]}
    spec = {"storageClassName": storage, "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
            "hostPath": {"path": "/nowhere"}, "persistentVolumeReclaimPolicy": "Retain",
            "nodeAffinity": {"required": {"nodeSelectorTerms": [term]}}}
    if claim:
        spec["claimRef"] = {"namespace": "default", "name": claim}
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": spec}


def volume_claim(name: str, storage: str) -> dict:
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name},
            "spec": {"storageClassName": storage, "accessModes": ["ReadWriteOnce"],
                     "resources": {"requests": {"storage": "1Gi"}}}}


def with_volume(manifest: dict, volume_claim_name: str) -> dict:
    manifest["spec"]["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": volume_claim_name}}]
    return manifest


def selected_node(plane, volume_claim_name: str) -> str:
    annotations = plane.json("get", "persistentvolumeclaim", volume_claim_name)["metadata"].get("annotations", {})
    return annotations.get("volume.kubernetes.io/selected-node", "")


class OnAPlane(PlaneCase):
    def test_maps_and_claims_get_their_gpus_and_leases_that_say_so(self):
        self.start()
        # One after the other: what is held already decides which node loses least.
        self.create(claim("pair", 2), pod("claimed", **{"gpu.scheduling/claim": "pair"}),
                    pod("waits", **{"gpu.scheduling/claim": "later"}))
        self.expect(lambda: gpus_of(self.plane, "claimed"), "gpu-node-0:0,1")
        self.create(pod("mapped-0", **{"gpu-scheduling-map": "0=gpu-node-1:3,4"}))
        self.expect(lambda: gpus_of(self.plane, "mapped-0"), "gpu-node-1:3,4")
        self.expect(lambda: reason_of(self.plane, "waits"), "ClaimMissing: there is no GpuClaim default/later yet; would "
                    "start on gpu-node-0 if there were a GpuClaim later for 1 GPU")
        held = {"gpu-gpu-node-0-0": "default/claimed", "gpu-gpu-node-0-1": "default/claimed",
                "gpu-gpu-node-1-3": "default/mapped-0", "gpu-gpu-node-1-4": "default/mapped-0"}
        self.expect(lambda: leases(self.plane), held)
        # Leases that somebody deletes are made again.
        self.plane.kubectl("delete", "leases", "--namespace", HOME, "--selector", "gpu.scheduling/managed=true")
        self.expect(lambda: leases(self.plane), held)
        # What the waiting pod needs appears, but not enough room for it; then there is.
        self.create(claim("later", 8))
        self.assertTrue(wait_until(lambda: reason_of(self.plane, "waits").startswith("TooFewGpus: ")))
        self.plane.kubectl("delete", "pod", "claimed", "--force", "--grace-period=0")
        self.expect(lambda: gpus_of(self.plane, "waits"), "gpu-node-0:0,1,2,3,4,5,6,7")

    def test_people_can_see_what_it_does(self):
        scheduler = self.start()
        self.create(claim("two", 2), pod("holds", **{"gpu.scheduling/claim": "two"}),
                    pod("waits", **{"gpu.scheduling/claim": "missing"}))
        self.expect(lambda: gpus_of(self.plane, "holds"), "gpu-node-0:0,1")
        self.assertTrue(wait_until(lambda: reason_of(self.plane, "waits") != ""))
        scheduled = 'scheduler_schedule_attempts_total{profile="gpu-scheduler",result="scheduled"}'
        self.expect(lambda: scheduler.metrics()[scheduled], 1)  # the answer may come after the pod's change
        numbers = scheduler.metrics()
        for series, number in (('gpu_scheduler_node_gpus{node="gpu-node-0",state="held"}', 2),
                               ('gpu_scheduler_gpus{state="free"}', 14), ("gpu_scheduler_leader", 1),
                               ('gpu_scheduler_gpus{state="held"}', 2),
                               ('scheduler_pending_pods{queue="unschedulable"}', 1),
                               ('gpu_scheduler_waiting_pods{reason="ClaimMissing"}', 1),
                               ('gpu_scheduler_writes_total{kind="bind",outcome="done"}', 1)):
            self.assertEqual(numbers[series], number, series)
        self.assertGreaterEqual(numbers['gpu_scheduler_lists_total{kind="pods"}'], 1)
        page = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
        self.assertEqual(scheduler.metric_names(), set(re.findall(r"^\| `(\w+)`", page, re.MULTILINE)))

        self.expect(lambda: {item["name"]: item["phase"] for item in scheduler.api("pods")["items"]},
                    {"holds": "bound", "waits": "waiting"})
        picture = scheduler.api("gpus")
        self.assertEqual((picture["apiVersion"], picture["leader"]), ("gpu-scheduler/v1", True))
        node = next(item for item in picture["items"] if item["node"] == "gpu-node-0")
        self.assertEqual([device["state"] for device in node["devices"]], ["held"] * 2 + ["free"] * 6)
        holder = node["devices"][0]["holders"][0]
        self.assertEqual((holder["pod"]["name"], holder["claim"]), ("holds", "two"))
        self.assertIn("bound", holder["evidence"])
        held = next(item for item in scheduler.api("claims")["items"] if item["name"] == "two")["allocations"]
        self.assertEqual([(item["pod"]["name"], item["gpuIds"]) for item in held], [("holds", [0, 1])])

        log = scheduler.log.read_text(encoding="utf-8")
        self.assertEqual(len(re.findall(r" info bound pod=default/holds uid=\S+ node=gpu-node-0 gpus=0,1 ", log)), 1)
        self.assertEqual(len(re.findall(r" info waits pod=default/waits uid=\S+ reason=ClaimMissing ", log)), 1)

    def test_a_second_one_takes_over_from_one_that_was_killed(self):
        first = self.start()
        self.assertTrue(wait_until(first.leads))
        second = self.start()
        self.assertTrue(wait_until(second.is_ready))
        self.create(claim("all", 8), pod("a", **{"gpu.scheduling/claim": "all"}))
        self.expect(lambda: gpus_of(self.plane, "a"), "gpu-node-0:0,1,2,3,4,5,6,7")
        first.end(signal.SIGKILL)
        self.create(pod("b", **{"gpu.scheduling/claim": "all"}), pod("c", **{"gpu.scheduling/claim": "all"}))
        self.expect(lambda: gpus_of(self.plane, "b") or gpus_of(self.plane, "c"), "gpu-node-1:0,1,2,3,4,5,6,7")
        self.expect(lambda: len(leases(self.plane)), 16)

    def test_one_that_is_told_to_end_leaves_the_lead_to_the_next(self):
        first = self.start()
        self.create(pod("before", **{"gpu-scheduling-map": "0=gpu-node-0:6"}))
        self.expect(lambda: gpus_of(self.plane, "before"), "gpu-node-0:6")
        self.assertEqual(first.end(signal.SIGTERM), 0)
        record = record_of(self.plane, "gpu-scheduler")
        self.assertEqual((record["inFlight"], record.get("holder"), record["namespace"]), ([], None, HOME))
        second = self.start()
        self.create(pod("a", **{"gpu-scheduling-map": "0=gpu-node-0:7"}))
        self.expect(lambda: gpus_of(self.plane, "a"), "gpu-node-0:7")
        self.assertTrue(second.leads())

    def test_a_paused_leader_does_no_harm_when_it_wakes(self):
        first = self.start()
        self.assertTrue(wait_until(first.leads))
        second = self.start()
        self.assertTrue(wait_until(second.is_ready))
        first.process.send_signal(signal.SIGSTOP)
        self.create(pod("a", **{"gpu-scheduling-map": "0=gpu-node-0:0"}))
        self.expect(lambda: gpus_of(self.plane, "a"), "gpu-node-0:0")
        first.process.send_signal(signal.SIGCONT)
        self.assertEqual(first.process.wait(timeout=DEADLINE), 1)
        self.assertIn("not leading any more", first.said())
        self.create(pod("b", **{"gpu-scheduling-map": "0=gpu-node-0:0"}))
        self.expect(lambda: reason_of(self.plane, "b"), "GpuHeld: GPU 0 of gpu-node-0 is held by default/a; would start when "
                    "default/a on gpu-node-0 ends")

    def test_a_pod_goes_where_its_volumes_are_and_waits_for_those_that_are_made(self):
        self.start()
        kept, made = "volume-kept", "volume-made"
        self.addCleanup(self.plane.kubectl, "delete", "persistentvolumes", kept, made, "--ignore-not-found",
                        "--wait=false")
        self.addCleanup(self.plane.kubectl, "delete", "storageclasses", "local", "elsewhere", "--wait=false")
        self.addCleanup(self.plane.kubectl, "delete", "persistentvolumeclaims", "--all", "--wait=false")
        self.create(storage_class("local", "kubernetes.io/no-provisioner"),
                    storage_class("elsewhere", "nobody.example"), volume(kept, "local", "gpu-node-1"),
                    volume_claim("scratch", "local"), volume_claim("data", "elsewhere"), claim("one", 1))
        # The volume is there, on one node: it is kept for the claim, the controller binds it, the pod follows.
        self.create(with_volume(pod("follows", **{"gpu.scheduling/claim": "one"}), "scratch"))
        self.expect(lambda: gpus_of(self.plane, "follows"), "gpu-node-1:0")
        # The volume is made elsewhere, for the node that was chosen; nothing is in flight meanwhile.
        self.create(with_volume(pod("waits", **{"gpu.scheduling/claim": "one"}), "data"))
        self.assertTrue(wait_until(lambda: selected_node(self.plane, "data") != ""))
        node = selected_node(self.plane, "data")
        self.assertEqual(gpus_of(self.plane, "waits"), "")
        self.create(volume(made, "elsewhere", node, claim="data"))
        self.assertTrue(wait_until(lambda: gpus_of(self.plane, "waits").startswith(f"{node}:")))
        self.create(with_volume(pod("never"), "nothing"))
        self.expect(lambda: reason_of(self.plane, "never"),
                    "VolumeMissing: volume claim default/nothing is not there")


if __name__ == "__main__":
    unittest.main()
