"""What pods that went without a proper end may have left on their GPUs, and until when nobody else may have them.

A pod that vanishes, or that somebody else than its kubelet calls ended, while its containers are said to run, may still
have processes. Where an agent reports, its GPUs are not free before a report that is younger than the pod's end shows
nothing of it, or its kubelet says that its containers have ended, or the time-out has passed. The storm's agents tell
the truth, so that their reports say when the processes were gone. Versions order all that.
"""

from dataclasses import dataclass, field

from event import Event


@dataclass(frozen=True)
class Report:
    """What an agent says of pods: those that use its node's GPUs, by name, and those that are gone and do, by UID."""
    version: int
    seconds: float
    users: frozenset[str]
    residue: frozenset[str]


def read_report(event: Event) -> Report:
    devices = event.object.get("status", {}).get("devices", [])
    return Report(event.version, event.seconds,
                  frozenset(user for device in devices for user in device.get("inUseBy", [])),
                  frozenset(uid for device in devices for uid in device.get("residue", [])))


@dataclass
class Ended:
    """A pod that ended while its containers were said to run, on a node whose agent reports."""
    uid: str
    name: str
    end: Event
    kubelet_said: int = 0  # the version at which its kubelet said that nothing runs any more; 0: it has not


@dataclass
class Reports:
    """Those of one node, in their order."""
    told: list[Report] = field(default_factory=list)

    def see(self, event: Event) -> None:
        self.told.append(read_report(event))

    def let_go_at(self, pod: Ended, *, has_namesake: bool) -> int | None:
        """The version that shows that nothing of the pod is left; None: none does so far. Where its name is in use again
        only its UID tells."""
        said = [pod.kubelet_said] if pod.kubelet_said else []
        said += [report.version for report in self.told if report.version > pod.end.version
                 and pod.uid not in report.residue and (has_namesake or pod.name not in report.users)]
        return min(said, default=None)

    def residue_since(self, uid: str) -> float | None:
        """Since when it was reported as left behind; None: it was not."""
        return next((report.seconds for report in self.told if uid in report.residue), None)
