"""Pods per second, and what each costs.

The pods are there, a scheduler starts, and the clock runs from the first Binding to the last. So neither the start of a
scheduler nor the making of pods is in the figure. Every scheduler gets the same pods on the same nodes, one after the other,
round by round.
"""

import statistics
import sys
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


# What is compared runs one after the other: the machine is another one some minutes later.
CASES = [
    Case("ceiling", "bound", 0), Case("gpu-scheduler", "counted", 0), Case("kube-scheduler", "counted", 0),
    Case("kube-scheduler", "devices", 1, 0.25), Case("kube-scheduler", "counted", 1),
    Case("gpu-scheduler", "counted", 1), Case("ceiling", "bound", 1),
    Case("gpu-scheduler", "claim", 1), Case("gpu-scheduler", "map", 1),
    *(Case(side, shape, gpus) for gpus in (2, 4) for side, shape in (("ceiling", "bound"), ("gpu-scheduler", "claim"))),
    Case("gpu-scheduler", "counted", 8), Case("gpu-scheduler", "claim", 8),
    Case("ceiling", "bound", 8), Case("gpu-scheduler", "map", 8),
    Case("kube-scheduler", "counted", 8), Case("kube-scheduler", "devices", 8, 0.25),
]


@dataclass
class Seen:
    rate: list[float] = field(default_factory=list)  # pods per second
    cpu: list[float] = field(default_factory=list)  # milliseconds per pod
    server: list[float] = field(default_factory=list)  # the same, of the API server
    store: list[float] = field(default_factory=list)  # of etcd
    others: list[float] = field(default_factory=list)
    idle: list[float] = field(default_factory=list)  # of nobody
    memory: list[float] = field(default_factory=list)  # megabytes, at most
    writes: list[float] = field(default_factory=list)  # per pod
    kinds: dict[str, int] = field(default_factory=dict)  # writes of the last round, by resource
    doubles: int = 0


def measure(plane: load.Plane, bound: BoundTimes, case: Case, prefix: str, pods: int, seen: Seen) -> None:
    scheduler = {"ceiling": load.ceiling(plane, prefix, case.gpus), "kube-scheduler": load.theirs(plane),
                 "gpu-scheduler": load.ours(plane)}[case.side]
    shape = "counted" if case.shape == "bound" else case.shape
    asks = 0 if case.shape == "bound" else case.gpus
    plane.load("pods", prefix, pods, shape, asks, scheduler.scheduler)
    before = measured.writes(plane.metrics())
    names = [f"{prefix}-{number}" for number in range(pods)]
    measure_scheduler(plane, bound, scheduler, names, seen)
    seen.rate.append(rate_of(bound.times(names)))
    seen.kinds = measured.difference(measured.writes(plane.metrics()), before)
    seen.writes.append(sum(seen.kinds.values()) / pods)
    seen.doubles += load.doubles(plane, prefix)
    plane.empty()


def measure_scheduler(plane: load.Plane, bound: BoundTimes, scheduler: load.Scheduler, names: list[str], seen: Seen) -> None:
    with scheduler:
        def used() -> measured.Used:
            return measured.used(scheduler.process.pid, plane.api_server, plane.store)

        # Its work before the first Binding is its start, which has a measurement of its own.
        if not bound.wait_for(names, LONGEST, scheduler.is_alive, count=1):
            sys.exit(f"bench/cluster: {scheduler.name} bound nothing within {LONGEST} s; its log: {scheduler.log}")
        before, already = used(), bound.count(names)
        if not bound.wait_for(names, LONGEST, scheduler.is_alive):
            sys.exit(f"bench/cluster: {scheduler.name} did not bind all pods within {LONGEST} s; its log: {scheduler.log}")
        spent, pods = used().minus(before), max(len(names) - already, 1)
        for values, seconds in ((seen.cpu, spent.own), (seen.server, spent.server), (seen.store, spent.store),
                                (seen.others, spent.others), (seen.idle, spent.idle)):
            values.append(seconds * 1000 / pods)
        seen.memory.append(measured.peak_megabytes(scheduler.process.pid))


def rate_of(times: list[float]) -> float:
    """From the first Binding to the last.

    What is on its way at a time is not counted twice if there are many more pods than that.
    """
    return (len(times) - 1) / max(max(times) - min(times), 0.001)


def run(plane: load.Plane, bound: BoundTimes, pods: int, rounds: int) -> dict[Case, Seen]:
    seen = {case: Seen() for case in CASES}
    # The first of our schedulers on a plane marks every pod, for nobody can tell it who led before.
    measure(plane, bound, next(case for case in CASES if case.side == "gpu-scheduler"), "first", 10, Seen())
    for number in range(rounds):
        for place, case in enumerate(CASES):
            measure(plane, bound, case, f"r{number}c{place}", max(int(pods * case.share), 10), seen[case])
            latest = seen[case]
            print(f"round {number + 1}: {case.title}: {latest.rate[-1]:.0f} pods/s, {latest.writes[-1]:.1f} writes per pod, "
                  f"ms CPU per pod: {latest.cpu[-1]:.2f} own, {latest.server[-1]:.2f} API server, {latest.store[-1]:.2f} etcd, "
                  f"{latest.others[-1]:.2f} others, {latest.idle[-1]:.2f} idle", flush=True)
    return seen


def median(values: list[float]) -> float:
    return statistics.median(values) if values else 0.0


def ratios(ours: list[float], against: list[float]) -> list[float]:
    """Round by round, so that a machine that is slow for a while is slow for both."""
    return [one / other for one, other in zip(ours, against) if other]
