"""What a pod asks for, read from what its user wrote, never from what a scheduler made of it."""

from dataclasses import dataclass

from event import annotations, controller_of, gpu_requests, labels, requested_gpus

EXCLUSIVE, SHARED, MAP = "exclusive", "shared", "map"


@dataclass(frozen=True)
class Ask:
    mode: str
    count: int  # of whole GPUs; 0: parts of them
    controller: str = ""  # whose pods may use the same GPU, with mode map
    node: str = ""  # with mode map
    ids: tuple[int, ...] = ()  # with mode map
    is_counted: bool = False  # a device plugin hands the GPUs out

    def may_share(self, other: "Ask") -> bool:
        if self.mode != other.mode or self.mode == EXCLUSIVE:
            return False
        return self.mode == SHARED or (self.controller != "" and self.controller == other.controller)


def parse_gpus(text: str) -> tuple[str, tuple[int, ...]]:
    """Of "node-a:0,1". Raises ValueError on anything else."""
    node, colon, ids = text.rpartition(":")
    if not colon or not node:
        raise ValueError(f"no node and ids: {text!r}")
    return node, tuple(int(word) for word in ids.split(","))


def index_of(pod: dict) -> int:
    index = labels(pod).get("apps.kubernetes.io/pod-index")
    if index is not None:
        return int(index)
    ending = pod["metadata"]["name"].rpartition("-")[2]
    return int(ending) if not controller_of(pod) and ending.isdigit() else 0


def map_ask(pod: dict, text: str) -> Ask | None:
    for line in text.splitlines():
        index, _, gpus = line.partition("=")
        if index.strip() == str(index_of(pod)):
            node, ids = parse_gpus(gpus.strip())
            return Ask(MAP, len(ids), controller_of(pod), node, ids, bool(gpu_requests(pod)))
    return None


def ask_of(pod: dict, claims: dict[str, dict]) -> Ask | None:
    """None: no GPUs, or nothing that can be known, such as a claim that is not there. `claims`: by namespace/name."""
    written = annotations(pod)
    if "gpu-scheduling-map" in written:
        return map_ask(pod, written["gpu-scheduling-map"])
    if "gpu.scheduling/claim" not in written:
        return Ask(EXCLUSIVE, requested_gpus(pod), is_counted=True) if gpu_requests(pod) else None
    claim = claims.get(f"{pod['metadata']['namespace']}/{written['gpu.scheduling/claim']}")
    if claim is None:
        return None
    devices = claim["spec"].get("devices", {})
    mode = SHARED if devices.get("exclusivity") == "Shared" else EXCLUSIVE
    return Ask(mode, devices.get("count", 1), is_counted=bool(gpu_requests(pod)))
