"""Histories that never happened, in a few words: what a test of the checker is written in."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from event import ADDED, DELETED, MODIFIED, Event  # noqa: E402

RESULT = ("gpu.scheduling/allocated", "gpu.scheduling/allocation")


class History:
    """Every call is one change; a second passes between two."""

    def __init__(self):
        self.events: list[Event] = []
        self.pods: dict[str, dict] = {}
        self.seconds = 0.0

    def _add(self, kind: str, change: str, thing: dict) -> "History":
        self.seconds += 1
        self.events.append(Event(kind, change, len(self.events) + 1, self.seconds, json.loads(json.dumps(thing))))
        return self

    def wait(self, seconds: float) -> "History":
        self.seconds += seconds
        return self

    def node(self, name: str = "n", gpus: int = 8, change: str = ADDED, resource: str = "nvidia.com/gpu", **spec) -> "History":
        return self._add("nodes", change, {"metadata": {"name": name, "uid": f"node-{name}"}, "spec": spec,
                                           "status": {"allocatable": {resource: str(gpus), "cpu": "64"}}})

    def report(self, *residue: str, node: str = "n", users: tuple[str, ...] = ()) -> "History":
        """Of an agent. Something is left of pods with these UIDs."""
        devices = [{"id": 0, "residue": list(residue), "inUseBy": list(users)}, {"id": 1}]
        return self._add("gpunodestatuses", MODIFIED, {"metadata": {"name": node, "uid": f"report-{node}"},
                                                       "status": {"devices": devices}})

    def start(self, scheduler: str = "gpu-scheduler") -> "History":
        return self._add("starts", ADDED, {"metadata": {"name": scheduler}})

    def claim(self, name: str, count: int, exclusivity: str = "Exclusive", change: str = ADDED) -> "History":
        return self._add("gpuclaims", change, {"metadata": {"namespace": "ns", "name": name, "uid": f"claim-{name}"},
                                               "spec": {"devices": {"count": count, "exclusivity": exclusivity}}})

    def pod(self, name: str, uid: str = "", *, gpus: int = 0, owner: str = "", scheduler: str = "gpu-scheduler",
            resource: str = "nvidia.com/gpu", **asks: str) -> "History":
        """asks: claim=NAME or map=TEXT."""
        keys = {"claim": "gpu.scheduling/claim", "map": "gpu-scheduling-map"}
        metadata = {"namespace": "ns", "name": name, "uid": uid or name,
                    "annotations": {keys[key]: text for key, text in asks.items()}}
        if owner:
            metadata["ownerReferences"] = [{"uid": owner, "controller": True}]
        limits = {resource: str(gpus)} if gpus else {}
        self.pods[uid or name] = {"metadata": metadata, "status": {"phase": "Pending"}, "spec": {
            "schedulerName": scheduler, "containers": [{"resources": {"limits": limits}}]}}
        return self._add("pods", ADDED, self.pods[uid or name])

    def bind(self, uid: str, gpus: str, mode: str = "exclusive") -> "History":
        pod = self.pods[uid]
        pod["spec"]["nodeName"] = gpus.partition(":")[0]
        pod["metadata"]["annotations"] |= dict(zip(RESULT, (gpus, f"v1 mode={mode} enforced=true")))
        return self._add("pods", MODIFIED, pod)

    def give(self, uid: str, gpus: str, mode: str = "exclusive") -> "History":
        """As the scheduler should: the Binding, then the Leases."""
        self.bind(uid, gpus, mode)
        node, _, ids = gpus.partition(":")
        for gpu in ids.split(","):
            self.lease(node, int(gpu), uid)
        return self

    def place(self, uid: str, node: str = "n") -> "History":
        """As another scheduler binds: without a result."""
        self.pods[uid]["spec"]["nodeName"] = node
        return self._add("pods", MODIFIED, self.pods[uid])

    def run(self, uid: str) -> "History":
        return self._contain(uid, "Running", {"running": {}})

    def end(self, uid: str) -> "History":
        """As its kubelet says it."""
        return self._contain(uid, "Failed", {"terminated": {"exitCode": 1}})

    def _contain(self, uid: str, phase: str, state: dict) -> "History":
        self.pods[uid]["status"] = {"phase": phase, "containerStatuses": [{"name": "main", "state": state}]}
        return self._add("pods", MODIFIED, self.pods[uid])

    def annotate(self, uid: str, name: str, text: str) -> "History":
        self.pods[uid]["metadata"]["annotations"][name] = text
        return self._add("pods", MODIFIED, self.pods[uid])

    def phase(self, uid: str, phase: str) -> "History":
        self.pods[uid]["status"]["phase"] = phase
        return self._add("pods", MODIFIED, self.pods[uid])

    def terminate(self, uid: str) -> "History":
        self.pods[uid]["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
        return self._add("pods", MODIFIED, self.pods[uid])

    def delete(self, uid: str) -> "History":
        return self._add("pods", DELETED, self.pods.pop(uid))

    def lease(self, node: str, gpu: int, *uids: str, home: str = "release") -> "History":
        return self._add("leases", MODIFIED, self._lease(node, gpu, uids, home))

    def unlease(self, node: str, gpu: int, home: str = "release") -> "History":
        return self._add("leases", DELETED, self._lease(node, gpu, (), home))

    @staticmethod
    def _lease(node: str, gpu: int, uids, home: str) -> dict:
        return {"metadata": {"namespace": home, "name": f"gpu-{node}-{gpu}", "uid": f"lease-{node}-{gpu}",
                             "labels": {"gpu.scheduling/managed": "true"},
                             "annotations": {"gpu.scheduling/node": node, "gpu.scheduling/gpu": str(gpu),
                                             "gpu.scheduling/holders": json.dumps([{"uid": uid} for uid in uids])}}}
