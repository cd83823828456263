"""The objects of the storm, as their users, kubelets and agents would write them."""

import datetime
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "cluster"))

import nodes  # noqa: E402  # of tools/cluster

from api import MERGE_PATCH, Api  # noqa: E402

SCHEDULER = "gpu-scheduler"
OTHER_SCHEDULER = "other-scheduler"  # of another release


def now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def pod(name: str, ask: str, text: str = "", owner: str = "", owner_uid: str = "", scheduler: str = SCHEDULER) -> dict:
    """`ask`: "claim NAME", "map" or "map of a set" with its text, "plain N" GPUs of a device plugin, or "nothing"."""
    how, _, what = ask.partition(" ")
    container = {"name": "main", "image": "none"}
    annotations = {}
    if how == "claim":
        annotations["gpu.scheduling/claim"] = what
    elif how == "map":
        annotations["gpu-scheduling-map"] = f"0={text}"
    elif how == "plain":
        container["resources"] = {"limits": {"nvidia.com/gpu": what}}
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


def claim(name: str, count: int, exclusivity: str) -> dict:
    return {"apiVersion": "gpu.scheduling/v1", "kind": "GpuClaim", "metadata": {"name": name},
            "spec": {"devices": {"count": count, "exclusivity": exclusivity}}}


def node(name: str, gpus: int) -> dict:
    return nodes.node(name, nodes.Shape(gpus=gpus))


def make_node(api: Api, name: str, gpus: int) -> None:
    api.insist("POST", "/api/v1/nodes", node(name, gpus))
    # Every new node has a taint that only a controller takes off, and that one does not run.
    api.insist("PATCH", f"/api/v1/nodes/{name}", {"spec": {"taints": None}}, MERGE_PATCH)


def make_agent_report(api: Api, name: str, gpus: int) -> None:
    """As the agent of the node would publish it; it says of no pod that anything is left of it."""
    path = "/apis/gpu.scheduling/v1/gpunodestatuses"
    api.insist("POST", path, {"apiVersion": "gpu.scheduling/v1", "kind": "GpuNodeStatus", "metadata": {"name": name},
                              "spec": {"nodeName": name}})
    report_again(api, name, gpus)


def report_again(api: Api, name: str, gpus: int) -> None:
    devices = [{"id": id, "uuid": f"GPU-{name}-{id}", "model": "test", "memoryMiB": 81920, "health": "Healthy"}
               for id in range(gpus)]
    answer = api.insist("PATCH", f"/apis/gpu.scheduling/v1/gpunodestatuses/{name}/status",
                        {"status": {"total": gpus, "observedAt": now(), "devices": devices}}, MERGE_PATCH)
    if answer[0] != 200:
        raise RuntimeError(f"the report of node {name} was refused: {answer[1].get('message')}")
