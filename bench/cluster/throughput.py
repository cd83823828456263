"""Pods per second, and what each costs: the pods are there, a scheduler starts, and the clock runs from the first Binding to the last.

So neither the start of a scheduler nor the making of pods is in the figure. Every scheduler gets the same pods on the same nodes, one
after the other, round by round.
"""

import statistics
import sys
import time
from dataclasses import dataclass, field

import measured
import plane_under_load as load
from bound_times import BoundTimes

LONGEST = 600  # seconds for the pods of one measurement


@dataclass(frozen=True)
class Case:
    """One way to ask for so many GPUs, and who answers."""
    side: str  # ceiling, kube-scheduler or gpu-scheduler
    shape: str
    gpus: int
    share: float = 1  # of the pods of a round: slow ones get fewer

    @property
    def title(self) -> str:
        names = {"counted": "counted", "claim": "claim", "map": "map", "devices": "DRA", "bound": "writes alone"}
        return f"{self.side}, {names[self.shape]}, {self.gpus} GPU{'s' * (self.gpus != 1)}"


CASES = [
    *(Case("ceiling", "bound", gpus) for gpus in (0, 1, 2, 4, 8)),
    *(Case("kube-scheduler", "counted", gpus) for gpus in (0, 1, 8)),
    *(Case("kube-scheduler", "devices", gpus, 0.25) for gpus in (1, 8)),
    *(Case("gpu-scheduler", "counted", gpus) for gpus in (0, 1, 8)),
    *(Case("gpu-scheduler", "claim", gpus) for gpus in (1, 2, 4, 8)),
    *(Case("gpu-scheduler", "map", gpus) for gpus in (1, 8)),
]


@dataclass
class Seen:
    rate: list[float] = field(default_factory=list)  # pods per second
    cpu: list[float] = field(default_factory=list)  # milliseconds per pod
    memory: list[float] = field(default_factory=list)  # megabytes, at most
    writes: list[float] = field(default_factory=list)  # per pod
    kinds: dict[str, int] = field(default_factory=dict)  # writes of the last round, by resource
    doubles: int = 0


def measure(plane: load.Plane, bound: BoundTimes, case: Case, prefix: str, pods: int, seen: Seen) -> None:
    scheduler = {"ceiling": None, "kube-scheduler": load.theirs(plane), "gpu-scheduler": load.ours(plane)}[case.side]
    shape = "counted" if case.shape == "bound" else case.shape
    asks = 0 if case.shape == "bound" else case.gpus
    plane.load("pods", prefix, pods, shape, asks, scheduler.scheduler if scheduler else "nobody")
    before = measured.writes(plane.metrics())
    names = [f"{prefix}-{number}" for number in range(pods)]
    if scheduler:
        measure_scheduler(bound, scheduler, names, seen)
    else:
        plane.load("bind", prefix, case.gpus)
        if not bound.wait_for(names, LONGEST):
            sys.exit("bench/cluster: not all Bindings of the ceiling were seen")
    seen.rate.append(rate_of(bound.times(names)))
    seen.kinds = measured.difference(measured.writes(plane.metrics()), before)
    seen.writes.append(sum(seen.kinds.values()) / pods)
    seen.doubles += load.doubles(plane, prefix)
    plane.empty()


def measure_scheduler(bound: BoundTimes, scheduler: load.Scheduler, names: list[str], seen: Seen) -> None:
    with scheduler:
        # Its work before the first Binding is its start, which has a measurement of its own.
        if not wait_for_first(bound, scheduler, names):
            sys.exit(f"bench/cluster: {scheduler.name} bound nothing within {LONGEST} s; its log: {scheduler.log}")
        cpu, already = measured.cpu_seconds(scheduler.process.pid), len([name for name in names if name in bound.seen])
        if not bound.wait_for(names, LONGEST, scheduler.is_alive):
            sys.exit(f"bench/cluster: {scheduler.name} did not bind all pods within {LONGEST} s; its log: {scheduler.log}")
        used = measured.cpu_seconds(scheduler.process.pid) - cpu
        seen.cpu.append(used * 1000 / max(len(names) - already, 1))
        seen.memory.append(measured.peak_megabytes(scheduler.process.pid))


def rate_of(times: list[float]) -> float:
    """From the first Binding to the last. What is on its way at a time is not counted twice if there are many more pods than that."""
    return (len(times) - 1) / max(max(times) - min(times), 0.001)


def wait_for_first(bound: BoundTimes, scheduler: load.Scheduler, names: list[str]) -> bool:
    deadline = time.monotonic() + LONGEST
    wanted = set(names)
    with bound.changed:
        while time.monotonic() < deadline and scheduler.is_alive():
            if not wanted.isdisjoint(bound.seen):
                return True
            bound.changed.wait(timeout=0.5)
    return False


def run(plane: load.Plane, bound: BoundTimes, pods: int, rounds: int) -> dict[Case, Seen]:
    seen = {case: Seen() for case in CASES}
    for number in range(rounds):
        for place, case in enumerate(CASES):
            measure(plane, bound, case, f"r{number}c{place}", max(int(pods * case.share), 10), seen[case])
            latest = seen[case]
            cpu = f", {latest.cpu[-1]:.2f} ms CPU per pod" if latest.cpu else ""
            print(f"round {number + 1}: {case.title}: {latest.rate[-1]:.0f} pods/s{cpu}, {latest.writes[-1]:.1f} writes per pod",
                  flush=True)
    return seen


def median(values: list[float]) -> float:
    return statistics.median(values) if values else 0.0
