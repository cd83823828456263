"""One change of one object as the API server tells it, and how to read such objects."""

from dataclasses import dataclass

ADDED, MODIFIED, DELETED = "ADDED", "MODIFIED", "DELETED"


@dataclass(frozen=True)
class Event:
    """`version` orders all changes of a cluster; `seconds` is when the recorder heard of it."""
    kind: str  # pods, leases, nodes, gpuclaims, gpunodestatuses
    change: str
    version: int
    seconds: float
    object: dict

    @property
    def uid(self) -> str:
        return self.object["metadata"].get("uid", "")

    @property
    def name(self) -> str:
        """With the namespace, where there is one."""
        metadata = self.object["metadata"]
        return f"{metadata['namespace']}/{metadata['name']}" if metadata.get("namespace") else metadata["name"]


def annotations(thing: dict) -> dict[str, str]:
    return thing["metadata"].get("annotations") or {}


def labels(thing: dict) -> dict[str, str]:
    return thing["metadata"].get("labels") or {}


def is_terminal(pod: dict) -> bool:
    return pod.get("status", {}).get("phase") in ("Succeeded", "Failed")


def node_of(pod: dict) -> str:
    """Empty: not bound."""
    return pod["spec"].get("nodeName") or ""


def controller_of(pod: dict) -> str:
    """The UID of the object that manages the pod; empty: a bare pod."""
    owners = pod["metadata"].get("ownerReferences") or []
    return next((owner["uid"] for owner in owners if owner.get("controller")), "")


def requested_gpus(pod: dict) -> int:
    """What the containers ask of a device plugin."""
    asks = (container.get("resources", {}).get("limits", {}) for container in pod["spec"]["containers"])
    return sum(int(limits.get("nvidia.com/gpu", 0)) for limits in asks)
