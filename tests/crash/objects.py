"""The objects of the storm, as their users, kubelets and agents would write them."""

import datetime
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "cluster"))

import nodes  # noqa: E402  # of tools/cluster

from api import MERGE_PATCH, Api  # noqa: E402

SCHEDULER = "gpu-scheduler"
OTHER_SCHEDULER = "other-scheduler"  # of another release
FOREIGN_SCHEDULERS = ("default-scheduler", "batch-scheduler")  # which know nothing of ours


def now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def pod(name: str, ask: str, text: str = "", owner: str = "", owner_uid: str = "", scheduler: str = SCHEDULER) -> dict:
    """`ask`: "claim NAME", "map" or "map of a set" with its text, "plain N" or "plain N RESOURCE" of a device plugin, or
    "nothing"."""
    how, _, what = ask.partition(" ")
    container = {"name": "main", "image": "none"}
    annotations = {}
    if how == "claim":
        annotations["gpu.scheduling/claim"] = what
    elif how == "map":
        annotations["gpu-scheduling-map"] = f"0={text}"
    elif how == "plain":
        count, _, resource = what.partition(" ")
        container["resources"] = {"limits": {resource or "nvidia.com/gpu": count}}
    metadata = {"name": name, "annotations": annotations, "labels": {"apps.kubernetes.io/pod-index": "0"}}
    if owner:
        metadata["ownerReferences"] = [{"apiVersion": "v1", "kind": "ConfigMap", "name": owner, "uid": owner_uid,
                                        "controller": True}]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata,
            "spec": {"schedulerName": scheduler, "automountServiceAccountToken": False, "containers": [container]}}


def status(phase: str) -> dict:
    state = {"running": {"startedAt": now()}} if phase == "Running" else {"terminated": {
        "exitCode": 0 if phase == "Succeeded" else 1, "startedAt": now(), "finishedAt": now()}}
    return {"phase": phase, "containerStatuses": [{"name": "main", "image": "none", "imageID": "", "restartCount": 0,
                                                   "ready": phase == "Running", "state": state}]}


def cut_off() -> dict:
    """As somebody else than its kubelet calls a pod ended: of its containers nothing is said."""
    return {"phase": "Failed", "reason": "PodGC", "message": "somebody says so"}


def claim(name: str, count: int, exclusivity: str) -> dict:
    return {"apiVersion": "gpu.scheduling/v1", "kind": "GpuClaim", "metadata": {"name": name},
            "spec": {"devices": {"count": count, "exclusivity": exclusivity}}}


def node(name: str, gpus: int, more: dict[str, int]) -> dict:
    made = nodes.node(name, nodes.Shape(gpus=gpus))
    for room in (made["status"]["capacity"], made["status"]["allocatable"]):
        room.update({resource: str(count) for resource, count in more.items()})
    return made


def make_node(api: Api, name: str, gpus: int, more: dict[str, int] | None = None) -> None:
    """`more`: by resource."""
    api.insist("POST", "/api/v1/nodes", node(name, gpus, more or {}))
    # Every new node has a taint that only a controller takes off, and that one does not run.
    api.insist("PATCH", f"/api/v1/nodes/{name}", {"spec": {"taints": None}}, MERGE_PATCH)
