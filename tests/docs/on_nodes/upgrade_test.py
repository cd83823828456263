"""A release on a real node is changed while pods keep coming: every one of them gets its GPU, and no GPU has two."""

import json
import sys
import threading
import unittest
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import real_cluster  # noqa: E402
from real_cluster import IMAGE, wait_until  # noqa: E402
from shell_blocks import Shell  # noqa: E402

SYSTEM, TEAM = "upgraded", "team"
CHANGES = ("log.level=debug", "webhook.enabled=false", "webhook.enabled=true", "webhook.placement=sidecar",
           "webhook.placement=deployment")
ANNOTATIONS = {"GPU_ALLOCATED": "gpu.scheduling/allocated", "CUDA_VISIBLE_DEVICES": "gpu.scheduling/visible-devices"}


def setUpModule():
    global cluster
    cluster = real_cluster.shared()


def worker(number: int) -> dict:
    """Ends well only if it sees the GPU that it was given. It has the variable itself, since the webhook comes and goes."""
    by_field = {"NODE_NAME": "spec.nodeName"} | {name: f"metadata.annotations['{key}']" for name, key in ANNOTATIONS.items()}
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": f"worker-{number}", "annotations": {"gpu.scheduling/claim": "one"}},
            "spec": {"schedulerName": "gpu-scheduler", "restartPolicy": "Never", "automountServiceAccountToken": False,
                     "containers": [{"name": "main", "image": IMAGE, "command": ["gpu-scheduler-check", "--once", "--verify"],
                                     "env": [{"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}}
                                             for name, path in by_field.items()]}]}}


class Stream:
    """Makes pods, two at a time, and looks for GPUs that two of them have, until it is told to end."""

    def __init__(self):
        self.doubles, self.count, self.problem = [], 0, ""
        self.ending = threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self) -> None:
        try:
            with cluster.plane.client() as client:
                while not self.ending.is_set():
                    self.step(client)
                    self.ending.wait(0.5)
        except Exception as problem:  # noqa: BLE001  # a thread must hand it over
            self.problem = repr(problem)

    def step(self, client) -> None:
        path = f"/api/v1/namespaces/{TEAM}/pods"
        pods = client.request("GET", path)[1]["items"]
        self.doubles += doubles(pods)
        waiting = sum(each["status"]["phase"] in ("Pending", "Running") for each in pods)
        for _ in range(max(0, 2 - waiting)):
            code, answer = client.request("POST", path, worker(self.count))
            assert code == 201, answer
            self.count += 1

    def end(self) -> None:
        self.ending.set()
        self.thread.join()


def doubles(pods: list[dict]) -> list[str]:
    held = Counter(each["metadata"].get("annotations", {}).get("gpu.scheduling/allocated", "") for each in pods
                   if each["status"]["phase"] in ("Pending", "Running"))
    return [gpu for gpu, count in held.items() if gpu and count > 1]


class Upgrades(unittest.TestCase):
    def setUp(self):
        self.shell = Shell(**cluster.environment())
        self.addCleanup(self.shell.close)

    def type(self, text: str) -> str:
        done = self.shell.run(text)
        self.assertEqual(done.returncode, 0, f"{text}\n{done.stdout}{done.stderr}")
        return done.stdout

    def wait_for_rollouts(self) -> None:
        self.type(f"for each in $(kubectl -n {SYSTEM} get deploy,daemonset -o name); do "
                  f"kubectl -n {SYSTEM} rollout status $each --timeout=5m; done")

    def test_lose_no_pod_and_double_no_gpu(self):
        cluster.make_machine(SYSTEM)
        repository, _, tag = IMAGE.rpartition(":")
        self.type(f"helm install gpu-scheduler charts/gpu-scheduler -n {SYSTEM} --set image.repository={repository},image.tag={tag}")
        self.wait_for_rollouts()
        cluster.plane.kubectl("create", "namespace", TEAM)
        cluster.plane.kubectl("create", "-n", TEAM, "-f", "-", stdin=json.dumps(
            {"apiVersion": "gpu.scheduling/v1", "kind": "GpuClaim", "metadata": {"name": "one"}, "spec": {"devices": {"count": 1}}}))
        assert wait_until(lambda: cluster.plane.kubectl("-n", TEAM, "get", "serviceaccount", "default", check=False).returncode == 0)
        stream = Stream()
        self.addCleanup(stream.end)
        for change in CHANGES:
            before = stream.count
            self.type(f"helm upgrade gpu-scheduler charts/gpu-scheduler -n {SYSTEM} --reuse-values --set {change}")
            self.wait_for_rollouts()
            self.assertTrue(wait_until(lambda count=before: stream.count > count + 2 or stream.problem, 180), change)
        stream.end()
        self.assertEqual((stream.problem, stream.doubles), ("", []))

        def phases() -> Counter:
            return Counter(each["status"]["phase"] for each in cluster.plane.json("get", "pods", "-n", TEAM)["items"])

        self.assertTrue(wait_until(lambda: phases() == {"Succeeded": stream.count}, 180), phases())
        self.type(f"helm uninstall gpu-scheduler -n {SYSTEM}; kubectl delete namespace {SYSTEM} {TEAM} --timeout=3m")
