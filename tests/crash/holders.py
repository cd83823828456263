"""Who has what, by what right: the words in which the checker thinks."""

from dataclasses import dataclass

from asks import Ask
from event import Event, annotations

Gpu = tuple[str, int]
NEVER = float("inf")


@dataclass(frozen=True)
class Rules:
    """What was promised to the users of this cluster."""
    scheduler_names: frozenset[str] = frozenset({"gpu-scheduler"})
    pods_per_shared_gpu: int = 4
    # A Lease that is missing for a bound pod is made in this time, also when the leader dies meanwhile.
    lease_grace_seconds: float = 60
    release_timeout_seconds: float = 5
    # Two streams of the recorder are not further apart, nor are the recorder and a scheduler.
    skew_seconds: float = 2
    # No view that a Binding rests on is older, faults included; so long a pod of others may go unnoticed.
    view_seconds: float = 15
    # A process that starts has read the cluster by then, and sees what runs for so long.
    reading_seconds: float = 5


@dataclass(frozen=True)
class Violation:
    kind: str
    gpu: Gpu | None
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}"


@dataclass
class Holder:
    """A bound pod and the first result that was seen on it. A pod of another scheduler has no result: a device plugin
    gives it GPUs, and nobody knows which."""
    uid: str
    name: str
    node: str
    gpus: tuple[Gpu, ...]
    ask: Ask
    bound: Event
    is_foreign: bool = False
    running_since: float = NEVER
    end: Event | None = None  # seen terminal or deleted

    @property
    def scheduler(self) -> str:
        return self.bound.object["spec"].get("schedulerName", "")

    @property
    def uuids(self) -> frozenset[str]:
        """What stands behind the ids, whatever they are called later; empty: nobody said."""
        written = annotations(self.bound.object).get("gpu.scheduling/uuids", "")
        return frozenset(uuid for uuid in written.split(",") if uuid)

    def meets(self, other: "Holder") -> Gpu | None:
        """A GPU that both have."""
        if self.uuids and other.uuids:
            is_same = bool(self.uuids & other.uuids)
            return (self.gpus[0] if is_same else None)
        return next((gpu for gpu in self.gpus if gpu in other.gpus), None)

    def __str__(self) -> str:
        until = f"until {self.end.version}" if self.end else "still there"
        whose = f" of {self.scheduler}" if self.is_foreign else ""
        return f"{self.name}{whose} ({self.ask.mode}, uid {self.uid}), bound at {self.bound.version}, {until}"
