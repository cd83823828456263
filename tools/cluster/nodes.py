"""Nodes that are only objects: Ready, with GPUs, and without the taint that every new node gets."""

import datetime
from dataclasses import dataclass, field

from api_client import MERGE_PATCH, ApiClient
from failures import Failed

NOT_READY_TAINT = "node.kubernetes.io/not-ready"


@dataclass
class Shape:
    """What each new node offers, as Kubernetes quantities."""
    gpus: int = 8
    cpu: str = "64"
    memory: str = "512Gi"
    pods: int = 110
    labels: dict[str, str] = field(default_factory=dict)


def node(name: str, shape: Shape) -> dict:
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    room = {"cpu": shape.cpu, "memory": shape.memory, "pods": str(shape.pods)}
    if shape.gpus:
        room["nvidia.com/gpu"] = str(shape.gpus)
    labels = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}
    ready = {"type": "Ready", "status": "True", "reason": "TestNode", "message": "this node is only an object",
             "lastHeartbeatTime": now, "lastTransitionTime": now}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels | shape.labels},
            "status": {"capacity": room, "allocatable": room, "conditions": [ready],
                       "addresses": [{"type": "Hostname", "address": name}]}}


def expect(status: int, answer, what: str) -> None:
    if status not in (200, 201):
        reason = answer.get("message", answer) if isinstance(answer, dict) else answer
        raise Failed(f"{what} was refused with {status}: {reason}")


def add(client: ApiClient, name: str, shape: Shape) -> None:
    status, made = client.request("POST", "/api/v1/nodes", node(name, shape))
    expect(status, made, f"making node {name}")
    remove_new_node_taint(client, name)


def remove_new_node_taint(client: ApiClient, name: str) -> None:
    """Only the node lifecycle controller, which may be off, would remove it."""
    status, made = client.request("GET", f"/api/v1/nodes/{name}")
    expect(status, made, f"reading node {name}")
    taints = [taint for taint in made["spec"].get("taints", []) if taint["key"] != NOT_READY_TAINT]
    status, answer = client.request("PATCH", f"/api/v1/nodes/{name}", {"spec": {"taints": taints or None}}, MERGE_PATCH)
    expect(status, answer, f"removing the taint of node {name}")


def add_many(client: ApiClient, count: int, prefix: str, shape: Shape) -> list[str]:
    """Adds `count` nodes with the first free numbers and returns their names."""
    status, listed = client.request("GET", "/api/v1/nodes")
    expect(status, listed, "listing the nodes")
    taken = {item["metadata"]["name"] for item in listed["items"]}
    free = (name for number in range(count + len(taken)) if (name := f"{prefix}-{number}") not in taken)
    names = [next(free) for _ in range(count)]
    for name in names:
        add(client, name, shape)
    return names
