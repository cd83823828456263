"""The agents of the storm: what runs on the GPUs of nodes, and what is reported of it.

Pods that are deleted by force, or called ended by somebody else than their kubelet, may leave processes that live on for
a while. A report names them as residue once their pod is gone, and no longer when they are; it never says that nothing
is left of a pod while something is. GPUs can be made unhealthy and be renumbered. It is written as a real agent does:
when something has changed, and now and then if nothing has.
"""

import threading
import time
from dataclasses import dataclass, field

import objects
from api import BROKEN, MERGE_PATCH, PODS, Api
from asks import parse_gpus
from event import annotations, is_terminal, node_of

REPORTS = "/apis/gpu.scheduling/v1/gpunodestatuses"
SECONDS_BETWEEN_LOOKS = 0.3
SECONDS_TO_CONFIRM = 1.5


@dataclass(frozen=True)
class Process:
    """Of a pod, by UID."""
    pod: str
    uuids: frozenset[str]
    until: float  # by time.monotonic()


@dataclass
class Machine:
    """A node's GPUs as they are, whatever is reported."""
    node: str
    uuids: list[str]  # by number
    unhealthy: set[str] = field(default_factory=set)  # UUIDs
    processes: list[Process] = field(default_factory=list)

    def devices(self, pods: list[dict], now: float) -> list[dict]:
        """`pods`: the live ones of the node. Requires: listed before this is asked."""
        live = {pod["metadata"]["uid"] for pod in pods}
        self.processes = [process for process in self.processes if process.until > now]
        misplaced = {uuid for pod in pods for uuid in self._misplaced(pod)}
        devices = []
        for number, uuid in enumerate(self.uuids):
            left = {process.pod for process in self.processes if uuid in process.uuids and process.pod not in live}
            users = {name_of(pod) for pod in pods if number in numbers_of(pod)}
            devices.append({"id": number, "uuid": uuid, "model": "test", "memoryMiB": 81920, "inUseBy": sorted(users),
                            "residue": sorted(left), **health(uuid in self.unhealthy, uuid in misplaced)})
        return devices

    def _misplaced(self, pod: dict) -> set[str]:
        """GPUs that have another number than when the pod was given them, and those that have their numbers now."""
        found = set()
        for number, uuid in zip(numbers_of(pod), uuids_of(pod)):
            if number < len(self.uuids) and self.uuids[number] != uuid:
                found |= {uuid, self.uuids[number]}
        return found


def health(is_broken: bool, is_misplaced: bool) -> dict[str, str]:
    if not is_broken and not is_misplaced:
        return {"health": "Healthy"}
    return {"health": "Unhealthy", "healthReason": "Renumbered" if is_misplaced else "Test"}


def name_of(pod: dict) -> str:
    return f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"


def numbers_of(pod: dict) -> tuple[int, ...]:
    try:
        node, numbers = parse_gpus(annotations(pod).get("gpu.scheduling/allocated", ""))
    except ValueError:
        return ()
    return numbers if node == node_of(pod) else ()


def uuids_of(pod: dict) -> list[str]:
    return [uuid for uuid in annotations(pod).get("gpu.scheduling/uuids", "").split(",") if uuid]


class Agents:
    """Of some nodes, on a thread of their own. Any thread may call."""

    def __init__(self, api: Api, gpus: dict[str, int]):
        self.api = api
        self.machines = {node: Machine(node, [f"GPU-{node}-{number}" for number in range(count)])
                         for node, count in gpus.items()}
        self.failure: Exception | None = None
        self.looks = 0  # that have ended
        self._lock = threading.Lock()
        self._said: dict[str, tuple[float, list[dict]]] = {}  # by node, when and what
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="agents", daemon=True)

    def prepare(self) -> None:
        for node in self.machines:
            self.api.insist("POST", REPORTS, {"apiVersion": "gpu.scheduling/v1", "kind": "GpuNodeStatus",
                                              "metadata": {"name": node}, "spec": {"nodeName": node}})
        self.look()

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=120)

    # --- what happens to machines -----------------------------------------------------------------------------------

    def leave(self, pod: dict, seconds: float) -> None:
        """Its processes live on for so long. To be called before the pod is gone."""
        machine = self.machines.get(node_of(pod))
        if machine is None:
            return
        uuids = frozenset(uuids_of(pod)) or frozenset(machine.uuids[number] for number in numbers_of(pod))
        with self._lock:
            machine.processes.append(Process(pod["metadata"]["uid"], uuids, time.monotonic() + seconds))

    def end_processes(self) -> None:
        """Of pods that are gone, at once."""
        with self._lock:
            for machine in self.machines.values():
                machine.processes.clear()

    def break_gpus(self, node: str, numbers: tuple[int, ...]) -> None:
        """From now on these are unhealthy, and no others."""
        with self._lock:
            self.machines[node].unhealthy = {self.machines[node].uuids[number] for number in numbers}

    def renumber(self, node: str, shift: int) -> None:
        """The driver counts anew: every GPU has another number."""
        with self._lock:
            uuids = self.machines[node].uuids
            self.machines[node].uuids = [*uuids[shift:], *uuids[:shift]]

    # --- what is reported -------------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            while not self._stop.wait(SECONDS_BETWEEN_LOOKS):
                self.look()
        except Exception as error:  # the runner looks at it
            self.failure = error

    def look(self) -> None:
        listed = self.api.insist("GET", "/api/v1/pods")[1]["items"]
        for node, machine in self.machines.items():
            pods = [pod for pod in listed if node_of(pod) == node and not is_terminal(pod)]
            with self._lock:
                devices = machine.devices(pods, time.monotonic())
            self._report(node, devices)
            for pod in pods:
                self._run_pod(pod)
        self.looks += 1

    def _run_pod(self, pod: dict) -> None:
        """As the node's kubelet does, unless somebody has changed the pod meanwhile."""
        metadata = pod["metadata"]
        if pod["status"]["phase"] != "Pending" or metadata.get("deletionTimestamp"):
            return
        change = {"metadata": {"uid": metadata["uid"], "resourceVersion": metadata["resourceVersion"]},
                  "status": objects.status("Running")}
        self.api.insist("PATCH", f"{PODS.format(metadata['namespace'])}/{metadata['name']}/status", change, MERGE_PATCH)

    def _report(self, node: str, devices: list[dict]) -> None:
        when, said = self._said.get(node, (0.0, []))
        if devices == said and time.monotonic() - when < SECONDS_TO_CONFIRM:
            return
        report = {"status": {"total": len(devices), "observedAt": objects.now(), "devices": devices}}
        try:
            status, answer = self.api.request("PATCH", f"{REPORTS}/{node}/status", report, MERGE_PATCH)
        except BROKEN:
            return  # the next look is another one: what is true now may not be true when the server is back
        if 400 <= status < 500 and status != 429:
            raise RuntimeError(f"the report of node {node} was refused: {answer.get('message')}")
        if status == 200:
            self._said[node] = (time.monotonic(), devices)
