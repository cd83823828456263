"""Times that are not rates: from a pod's creation to its Binding, from a start to the first Binding, and from a leader's death
to the next.
"""

import signal
import subprocess
import sys
import time

import measured
import plane_under_load as load
from bound_times import BoundTimes

PODS = f"/api/v1/namespaces/{load.NAMESPACE}/pods"
LEASE = 4.0  # seconds; failover is counted beyond it


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def pod(name: str, scheduler: str, gpus: int) -> dict:
    limits = {"nvidia.com/gpu": str(gpus)} if gpus else {}
    return {"metadata": {"name": name, "labels": {"bench": "single"}},
            "spec": {"schedulerName": scheduler, "automountServiceAccountToken": False,
                     "containers": [{"name": "main", "image": "none",
                                     "resources": {"requests": {"cpu": "100m", **limits}, "limits": limits}}]}}


def create_and_wait(plane: load.Plane, bound: BoundTimes, scheduler: load.Scheduler, name: str, gpus: int) -> float:
    began = time.monotonic()
    plane.request("POST", PODS, pod(name, scheduler.scheduler, gpus))
    if not bound.wait_for([name], 120, scheduler.is_alive):
        sys.exit(f"bench/cluster: {scheduler.name} did not bind {name} within two minutes; its log: {scheduler.log}")
    return bound.times([name])[0] - began


def creation_to_bound(plane: load.Plane, bound: BoundTimes, pods: int) -> dict[tuple[str, int], list[float]]:
    """One at a time on an idle cluster, in turn, so that whatever else the machine does meets both. In milliseconds."""
    taken: dict[tuple[str, int], list[float]] = {}
    with load.ours(plane) as ours, load.theirs(plane) as theirs:
        ours.await_ready()
        for scheduler in (ours, theirs):  # the first pays for leadership and caches
            create_and_wait(plane, bound, scheduler, f"first-{scheduler.name}", 1)
        for number in range(pods):
            for gpus in (0, 1, 8):
                for scheduler in (ours, theirs):
                    name = f"one-{scheduler.name}-{gpus}-{number}"
                    seconds = create_and_wait(plane, bound, scheduler, name, gpus)
                    taken.setdefault((scheduler.name, gpus), []).append(seconds * 1000)
    plane.empty()
    return taken


def first_binding(plane: load.Plane, bound: BoundTimes, make, number: int) -> tuple[float, float]:
    """Seconds from the start of the process to its first Binding, and its memory at most."""
    scheduler = make(plane)
    name = f"start-{scheduler.name}-{number}"
    plane.request("POST", PODS, pod(name, scheduler.scheduler, 1))
    with scheduler:  # it finds the lease free: its predecessor was stopped, not killed
        if not bound.wait_for([name], 300, scheduler.is_alive):
            sys.exit(f"bench/cluster: {scheduler.name} did not bind {name} within 5 minutes; its log: {scheduler.log}")
        seconds = bound.times([name])[0] - scheduler.started
        memory = measured.peak_megabytes(scheduler.process.pid)
    plane.request("DELETE", f"{PODS}/{name}", {"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0})
    plane.request("DELETE", f"/apis/coordination.k8s.io/v1/namespaces/{load.NAMESPACE}/leases?labelSelector={load.GPU_LEASES}")
    return seconds, memory


def starts(plane: load.Plane, bound: BoundTimes, nodes: int, pods: int, rounds: int) -> dict[str, list[tuple[float, float]]]:
    """With so many bound pods in the cluster."""
    plane.load("fill", "filler", pods, nodes)
    seen: dict[str, list[tuple[float, float]]] = {"gpu-scheduler": [], "kube-scheduler": []}
    for number in range(rounds):
        seen["gpu-scheduler"].append(first_binding(plane, bound, load.ours, number))
        seen["kube-scheduler"].append(first_binding(plane, bound, load.theirs, number))
    return seen


def bare_list(plane: load.Plane) -> float:
    """Seconds to read the same pods and nodes and throw them away, with the same client."""
    client_load = plane.programs / "client_load"
    said = subprocess.run([client_load, "list"], check=True, text=True, stdout=subprocess.PIPE,
                          env={"KUBECONFIG": str(plane.kubeconfig)}).stdout
    transferred = [line for line in said.splitlines() if " transferred: " in line]
    return sum(float(line.rsplit(" in ", 1)[1].split()[0]) for line in transferred)


def failovers(plane: load.Plane, bound: BoundTimes, rounds: int) -> list[float]:
    """Seconds from the death of a leader to the next Binding, the lease of the dead included."""
    times = ("--lease-duration", f"{LEASE:.0f}s", "--renew-deadline", "3s", "--retry-period", "500ms")
    seen = []
    for number in range(rounds):
        with load.ours(plane, *times) as leader:
            leader.await_ready()
            create_and_wait(plane, bound, leader, f"before-{number}", 1)
            with load.ours(plane, *times) as standby:
                standby.await_ready()
                leader.process.send_signal(signal.SIGKILL)
                died = time.monotonic()
                plane.request("POST", PODS, pod(f"after-{number}", standby.scheduler, 1))
                if not bound.wait_for([f"after-{number}"], 60, standby.is_alive):
                    sys.exit(f"bench/cluster: the standby did not take over within a minute; its log: {standby.log}")
                seen.append(bound.times([f"after-{number}"])[0] - died)
        plane.empty()
    return seen
