"""docs/usage.md and docs/TROUBLESHOOTING.md from top to bottom on a real node, with each symptom provoked."""

import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import real_cluster  # noqa: E402
from real_cluster import IMAGE, wait_until  # noqa: E402
from shell_blocks import ROOT, Shell, blocks_of  # noqa: E402

SYSTEM = "gpu-scheduler-system"


def setUpModule():
    global cluster
    cluster = real_cluster.shared()


def pod(name: str, scheduler: str = "gpu-scheduler", **annotations: str) -> None:
    thing = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "annotations": annotations},
             "spec": {"schedulerName": scheduler, "terminationGracePeriodSeconds": 1,
                      "containers": [{"name": "main", "image": IMAGE, "command": ["gpu-scheduler-check"]}]}}
    cluster.plane.kubectl("create", "-f", "-", stdin=json.dumps(thing))


def claim(name: str, count: int) -> None:
    cluster.plane.kubectl("create", "-f", "-", stdin=json.dumps(
        {"apiVersion": "gpu.scheduling/v1", "kind": "GpuClaim", "metadata": {"name": name}, "spec": {"devices": {"count": count}}}))


def waits(name: str) -> bool:
    conditions = cluster.plane.json("get", "pod", name)["status"].get("conditions", [])
    return any(each["type"] == "PodScheduled" and each.get("message") for each in conditions)


def ask_for_too_much() -> None:
    claim("hundred", 100)
    pod("waiting", **{"gpu.scheduling/claim": "hundred"})
    assert wait_until(lambda: waits("waiting"), 120)


def name_a_node_there_is_not() -> None:
    pod("lost", **{"gpu-scheduling-map": "0=nowhere:0"})
    assert wait_until(lambda: waits("lost"), 120)


def make_a_pod_of_another_scheduler() -> None:
    pod("bare", scheduler="default-scheduler")


def run_a_pod() -> None:
    claim("one", 1)
    pod("seeing", **{"gpu.scheduling/claim": "one"})
    cluster.plane.kubectl("wait", "--for=condition=Ready", "pod/seeing", "--timeout=300s")


def take_the_webhook_away() -> None:
    """With Fail, so that it is noticed; and it is."""
    cluster.plane.kubectl("-n", SYSTEM, "scale", "deploy/gpu-scheduler-webhook", "--replicas=0")
    cluster.plane.kubectl("-n", SYSTEM, "wait", "--for=delete", "pod", "-l", "app=gpu-scheduler-webhook", "--timeout=120s")
    set_webhook("failurePolicy", "Fail")
    done = cluster.plane.kubectl("run", "refused", f"--image={IMAGE}", "--overrides",
                                 '{"spec":{"schedulerName":"gpu-scheduler"}}', check=False)
    assert 'no endpoints available for service "gpu-scheduler-webhook"' in done.stderr, done.stderr
    set_webhook("failurePolicy", "Ignore")


def spoil_the_bundle() -> None:
    """It is set again by the webhook itself."""
    def bundle() -> str:
        found = cluster.plane.json("get", "mutatingwebhookconfiguration", "gpu-scheduler-webhook")
        return found["webhooks"][0]["clientConfig"].get("caBundle", "")

    spoilt = bundle()[:-8] + "AAAAAAA="
    set_webhook("clientConfig/caBundle", spoilt)
    assert wait_until(lambda: bundle() != spoilt, 60)


def set_webhook(path: str, value: str) -> None:
    cluster.plane.kubectl("patch", "mutatingwebhookconfiguration", "gpu-scheduler-webhook", "--type=json", "--patch",
                          json.dumps([{"op": "add", "path": f"/webhooks/0/{path}", "value": value}]))


SYMPTOMS = {
    "A pod stays Pending": ask_for_too_much,
    "NodeMissing: the map names a node that there is not": name_a_node_there_is_not,
    "CUDA_VISIBLE_DEVICES is not set": make_a_pod_of_another_scheduler,
    "The container sees other GPUs than it was given": run_a_pod,
    "failed calling webhook … no endpoints available": take_the_webhook_away,
    "failed calling webhook … x509": spoil_the_bundle,
}


class Pages(unittest.TestCase):
    def setUp(self):
        self.shell = Shell(**cluster.environment())
        self.addCleanup(self.shell.close)

    def follow(self, page: str, before=lambda heading: None) -> None:
        heading, count = "", 0
        for block in blocks_of((ROOT / "docs" / page).read_text(encoding="utf-8")):
            if block.is_left_out:
                continue
            if block.heading != heading:
                heading = block.heading
                before(heading)
            wrong = self.shell.follow(block)
            self.assertFalse(wrong, wrong)
            count += 1
        self.assertGreater(count, 5)

    def test_usage_works_as_written_and_leaves_nothing(self):
        cluster.make_machine(SYSTEM)
        self.follow("usage.md")
        left = cluster.plane.kubectl("get", "clusterrole,clusterrolebinding,mutatingwebhookconfiguration,crd,flowschema,"
                                     "prioritylevelconfiguration,validatingadmissionpolicy", "-o", "name").stdout.split()
        self.assertEqual([name for name in left if "gpu" in name], [])

    def test_what_troubleshooting_says_helps_with_what_it_is_about(self):
        cluster.make_machine(SYSTEM)
        install = [block for block in blocks_of((ROOT / "docs" / "usage.md").read_text(encoding="utf-8"))
                   if block.heading == "Install"][0]
        self.assertFalse(wrong := self.shell.follow(install), wrong)
        provoked = set()

        def provoke(heading: str) -> None:
            if heading in SYMPTOMS:
                SYMPTOMS[heading]()
                provoked.add(heading)

        self.follow("TROUBLESHOOTING.md", provoke)
        self.assertEqual(provoked, set(SYMPTOMS))
        cluster.plane.kubectl("delete", "pod", "--all", "--timeout=120s")
        self.shell.run(f"helm uninstall gpu-scheduler -n {SYSTEM}; kubectl delete namespace {SYSTEM}")
