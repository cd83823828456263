"""What can be judged only when every kind's history has come as far: agents, nodes and claims are told on streams of
their own, which may be behind that of pods."""

from collections import defaultdict
from dataclasses import dataclass, field

from event import Event, gpu_requests, is_gpu_resource
from holders import Gpu, Holder, Rules, Violation
from left_behind import Ended, Reports


@dataclass
class Past:
    """What was said in the course of time, besides pods and Leases."""
    rules: Rules
    reports: dict[str, Reports] = field(default_factory=lambda: defaultdict(Reports))  # by node
    rooms: dict[str, list[tuple[float, dict[str, int]]]] = field(default_factory=lambda: defaultdict(list))  # by node
    counts: dict[str, list[tuple[float, int]]] = field(default_factory=lambda: defaultdict(list))  # by claim
    starts: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))  # by schedulerName

    def see_node(self, event: Event) -> None:
        room = event.object.get("status", {}).get("allocatable", {})
        self.rooms[event.name].append((event.seconds, {name: int(room[name]) for name in room if is_gpu_resource(name)}))

    def see_claim(self, event: Event) -> None:
        self.counts[event.name].append((event.seconds, event.object["spec"].get("devices", {}).get("count", 1)))

    def around(self, states: list[tuple[float, object]], when: float) -> list:
        """What a Binding of that moment may rest on: it was decided before, and streams are not equally fast."""
        before = [state for seconds, state in states if seconds <= when - self.rules.view_seconds]
        window = [state for seconds, state in states
                  if when - self.rules.view_seconds < seconds <= when + self.rules.skew_seconds]
        return [*before[-1:], *window]

    def has_started(self, scheduler: str, since: float, until: float) -> bool:
        """A process that has not seen what happened since may lead."""
        return any(since - self.rules.reading_seconds <= start <= until for start in self.starts[scheduler])


@dataclass
class IsLeft:
    """A pod was bound to what another that ended may still use."""
    pod: Ended
    old: Holder
    new: Holder
    gpu: Gpu | None  # None: it is about their kinds
    has_namesake: bool

    def judge(self, past: Past) -> Violation | None:
        bound, end, rules = self.new.bound, self.pod.end, past.rules
        let_go_at = past.reports[self.old.node].let_go_at(self.pod, has_namesake=self.has_namesake)
        if let_go_at is not None and let_go_at < bound.version:
            return None
        if bound.seconds - end.seconds > rules.release_timeout_seconds - rules.skew_seconds:
            return None
        if past.has_started(self.new.scheduler, end.seconds, bound.seconds) and not self._is_known_to_all(past):
            return None
        until = f"until {let_go_at}" if let_go_at else "to this moment"
        text = f"processes of {self.old}, which had no proper end, were on {self.old.node} {until}, and {self.new}"
        return Violation("left behind" if self.gpu else "left on the node", self.gpu, text)

    def _is_known_to_all(self, past: Past) -> bool:
        """Who starts knows of pods that are gone what the report says: on which GPU, not who gave it to them."""
        since = past.reports[self.old.node].residue_since(self.pod.uid)
        return self.gpu is not None and since is not None and since < self.new.bound.seconds - past.rules.reading_seconds


@dataclass
class IsTooMany:
    """Those who ask device plugins, the new one among them, and others that could be seen when it was decided."""
    new: Holder
    others: list[Holder]

    def judge(self, past: Past) -> Violation | None:
        room = past.around(past.rooms[self.new.node], self.new.bound.seconds)
        for resource in gpu_requests(self.new.bound.object):
            asked = sum(gpu_requests(each.bound.object).get(resource, 0) for each in [self.new, *self.others])
            most = max((state.get(resource, 0) for state in room), default=0)
            if asked > most:
                whom = ", ".join(str(each) for each in self.others)
                return Violation("overcommitted", None, f"{asked} {resource} of {most} on {self.new.node} were promised "
                                 f"when {self.new} came, beside {whom}")
        return None


@dataclass
class IsOtherCount:
    """Its claim asked for another number at the moment; perhaps it was edited."""
    new: Holder
    claim: str

    def judge(self, past: Past) -> Violation | None:
        if len(self.new.gpus) in past.around(past.counts[self.claim], self.new.bound.seconds):
            return None
        return Violation("wrong result", None, f"{self.new} got {len(self.new.gpus)} GPUs, but {self.claim} asks for "
                         f"{self.new.ask.count}")
