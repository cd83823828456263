"""One change of one object as the API server tells it, and how to read such objects."""

from dataclasses import dataclass

ADDED, MODIFIED, DELETED = "ADDED", "MODIFIED", "DELETED"
WHOLE_GPUS = ("nvidia.com/gpu", "amd.com/gpu")


@dataclass(frozen=True)
class Event:
    """`version` orders all changes of a cluster; `seconds` is when the recorder heard of it."""
    kind: str  # pods, leases, nodes, gpuclaims, gpunodestatuses; and starts, of processes of the scheduler
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


def has_running_container(pod: dict) -> bool:
    statuses = pod.get("status", {}).get("containerStatuses") or []
    return any("running" in status.get("state", {}) for status in statuses)


def is_gpu_resource(name: str) -> bool:
    vendor, _, what = name.partition("/")
    return vendor in ("nvidia.com", "amd.com") and what.startswith("gpu")


def gpu_requests(pod: dict) -> dict[str, int]:
    """What the containers ask of device plugins, by resource: GPUs, or parts of them."""
    found: dict[str, int] = {}
    for container in pod["spec"]["containers"]:
        for name, count in (container.get("resources", {}).get("limits") or {}).items():
            if is_gpu_resource(name):
                found[name] = found.get(name, 0) + int(count)
    return found


def requested_gpus(pod: dict) -> int:
    """Whole ones."""
    asks = gpu_requests(pod)
    return sum(asks.get(name, 0) for name in WHOLE_GPUS)
