"""Pods that keep coming while something else happens, and whether two of them ever had one GPU."""

import threading
from collections import Counter

ANNOTATIONS = {"GPU_ALLOCATED": "gpu.scheduling/allocated", "CUDA_VISIBLE_DEVICES": "gpu.scheduling/visible-devices"}
LIVING = ("Pending", "Running")
PODS, PODS_OF = "/api/v1/pods", "/api/v1/namespaces/{}/pods"


def worker(name: str, scheduler: str, image: str) -> dict:
    """Ends well only if it sees the GPUs that it was given. It has the variable itself, since the webhook may come and go."""
    by_field = {variable: f"metadata.annotations['{key}']" for variable, key in ANNOTATIONS.items()}
    by_field = {"NODE_NAME": "spec.nodeName"} | by_field
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "annotations": {"gpu.scheduling/claim": "some"}},
            "spec": {"schedulerName": scheduler, "restartPolicy": "Never", "automountServiceAccountToken": False,
                     "containers": [{"name": "main", "image": image, "command": ["gpu-scheduler-check", "--once", "--verify"],
                                     "env": [{"name": variable, "valueFrom": {"fieldRef": {"fieldPath": path}}}
                                             for variable, path in by_field.items()]}]}}


def held_twice(pods: list[dict]) -> list[str]:
    """The GPUs that two living pods have, as node:id."""
    held = Counter()
    for each in pods:
        if each["status"]["phase"] in LIVING:
            node, _, ids = each["metadata"].get("annotations", {}).get("gpu.scheduling/allocated", "").partition(":")
            held.update(f"{node}:{gpu}" for gpu in ids.split(",") if gpu)
    return [gpu for gpu, count in held.items() if count > 1]


class Stream:
    """Keeps `at_once` pods of a scheduler in a namespace with a claim, until it is told to end."""

    def __init__(self, plane, namespace: str, *, image: str, scheduler: str = "gpu-scheduler", at_once: int = 2):
        self.plane, self.namespace, self.image, self.scheduler, self.at_once = plane, namespace, image, scheduler, at_once
        self.doubles, self.count, self.problem = [], 0, ""
        self.ending = threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self) -> None:
        try:
            with self.plane.client() as client:
                while not self.ending.is_set():
                    self.step(client)
                    self.ending.wait(0.2)
        except Exception as problem:  # noqa: BLE001  # a thread must hand it over
            self.problem = repr(problem)

    def step(self, client) -> None:
        pods = client.request("GET", PODS)[1]["items"]
        self.doubles += held_twice(pods)
        living = sum(each["metadata"]["namespace"] == self.namespace and each["status"]["phase"] in LIVING for each in pods)
        for _ in range(max(0, self.at_once - living)):
            pod = worker(f"worker-{self.count}", self.scheduler, self.image)
            code, answer = client.request("POST", PODS_OF.format(self.namespace), pod)
            assert code == 201, answer
            self.count += 1

    def end(self) -> None:
        self.ending.set()
        self.thread.join()

    def phases(self) -> Counter:
        pods = self.plane.json("get", "pods", "-n", self.namespace)["items"]
        return Counter(each["status"]["phase"] for each in pods)
