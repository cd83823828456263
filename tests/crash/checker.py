"""The independent checker: the history of an API server in, broken promises out.

It shares no code with the scheduler and reads neither its logs nor its reasons: who holds what follows from the pods
alone, and by what right from what their users wrote. Pure, so that forged histories can show that it finds what it
should (units/checker_test.py). Events of one kind must come in the order of their versions; kinds may run ahead of
each other.

A GPU is a node's name and an id. A node that was deleted and made again has the same GPUs: a pod that is still bound
to that name runs on them.
"""

import json
from collections import defaultdict
from dataclasses import dataclass, field

from asks import EXCLUSIVE, SHARED, Ask, ask_of, parse_gpus
from event import DELETED, Event, annotations, is_terminal, labels, node_of

Gpu = tuple[str, int]
NEVER = float("inf")


@dataclass(frozen=True)
class Rules:
    """What was promised to the users of this cluster."""
    scheduler_names: frozenset[str] = frozenset({"gpu-scheduler"})
    pods_per_shared_gpu: int = 4
    # A Lease that is missing for a bound pod is made in this time, also when the leader dies meanwhile.
    lease_grace_seconds: float = 60


@dataclass(frozen=True)
class Violation:
    kind: str
    gpu: Gpu | None
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}"


@dataclass
class Holder:
    """A bound pod and the first result that was seen on it."""
    uid: str
    name: str
    gpus: tuple[Gpu, ...]
    ask: Ask
    bound: Event
    end: Event | None = None  # seen terminal or deleted

    def __str__(self) -> str:
        until = f"until {self.end.version}" if self.end else "still there"
        return f"{self.name} ({self.ask.mode}, uid {self.uid}), bound at {self.bound.version}, {until}"


@dataclass
class Leases:
    """What the Leases of a GPU have said over time: which pods they named since when. Every release has one of its own."""
    states: list[tuple[float, frozenset[str]]] = field(default_factory=list)
    _now: dict[str, frozenset[str]] = field(default_factory=dict)  # by namespace

    def see(self, namespace: str, seconds: float, uids: frozenset[str]) -> None:
        self._now[namespace] = uids
        self.states.append((seconds, frozenset().union(*self._now.values())))

    def longest_absence(self, uid: str, since: float, until: float) -> float:
        """The longest time in a row in which none named the pod."""
        longest, absent_since = 0.0, None if uid in self._at(since) else since
        for seconds, uids in self.states:
            if not since < seconds <= until:
                continue
            if uid in uids and absent_since is not None:
                longest, absent_since = max(longest, seconds - absent_since), None
            elif uid not in uids and absent_since is None:
                absent_since = seconds
        return longest if absent_since is None else max(longest, until - absent_since)

    def _at(self, seconds: float) -> frozenset[str]:
        return next((uids for when, uids in reversed(self.states) if when <= seconds), frozenset())

    @property
    def now(self) -> frozenset[str]:
        return self.states[-1][1] if self.states else frozenset()


class Checker:
    def __init__(self, rules: Rules = Rules()):
        self.rules = rules
        self.violations: list[Violation] = []
        self.pods: dict[str, dict] = {}  # by UID: those that are there
        self.nodes: dict[str, dict] = {}
        self.claims: dict[str, dict] = {}
        self.machines: dict[str, dict] = {}  # GpuNodeStatus by node
        self.holders: dict[Gpu, list[Holder]] = defaultdict(list)  # those that hold now
        self.leases: dict[Gpu, Leases] = defaultdict(Leases)
        self.bound_pods = 0
        self._seen_bound: dict[str, Holder | None] = {}  # by UID, while the pod is there
        self._last_gone: dict[str, Holder | None] = {}
        self._unchecked: list[Holder] = []  # whose Leases have not been looked at for good
        self._versions: dict[str, int] = {}
        self._gpus_of_node: dict[str, int] = {}  # the most that were ever there

    def see(self, event: Event) -> None:
        if event.version <= self._versions.get(event.kind, 0):
            raise ValueError(f"{event.kind} went back from {self._versions[event.kind]} to {event.version}")
        self._versions[event.kind] = event.version
        getattr(self, f"_see_{event.kind}")(event)

    def holder_of(self, uid: str) -> Holder | None:
        """Of a pod that is there, or has gone with the last event."""
        return self._seen_bound.get(uid) or self._last_gone.get(uid)

    # --- who holds what -------------------------------------------------------------------------------------------

    def _see_pods(self, event: Event) -> None:
        pod = event.object
        if event.change == DELETED:
            self.pods.pop(event.uid, None)
        else:
            self.pods[event.uid] = pod
        if node_of(pod) and event.uid not in self._seen_bound and event.change != DELETED:
            self._seen_bound[event.uid] = self._bind(event)
        if event.change == DELETED or is_terminal(pod):
            self._release(event)
        if event.change == DELETED:
            self._last_gone = {event.uid: self._seen_bound.pop(event.uid, None)}

    def _bind(self, event: Event) -> Holder | None:
        """The first time that a pod is seen bound: this is what the Binding wrote, whatever comes later."""
        pod = event.object
        ask = ask_of(pod, self.claims)
        result = annotations(pod).get("gpu.scheduling/allocated", "")
        if pod["spec"].get("schedulerName") not in self.rules.scheduler_names or (ask is None and not result):
            return None
        self.bound_pods += 1
        try:
            node, ids = parse_gpus(result)
        except ValueError:
            self._complain("no result", None, f"{event.name} was bound at {event.version} with the result {result!r}")
            return None
        holder = Holder(event.uid, event.name, tuple((node, id) for id in ids),
                        ask or Ask(EXCLUSIVE, len(ids)), event)
        self._check_result(holder, node, ids)
        self._check_kinds(holder, node)
        for gpu in holder.gpus:
            self._check_others(gpu, holder)
            self.holders[gpu].append(holder)
        self._unchecked.append(holder)
        return holder

    def _check_result(self, holder: Holder, node: str, ids: tuple[int, ...]) -> None:
        pod, ask = holder.bound.object, holder.ask
        wrong = []
        if node != node_of(pod):
            wrong.append(f"bound to {node_of(pod)}")
        if len(set(ids)) != len(ids) or len(ids) != ask.count:
            wrong.append(f"asked for {ask.count} GPUs")
        if ask.ids and (node, sorted(ids)) != (ask.node, sorted(ask.ids)):
            wrong.append(f"the map says {ask.node}:{','.join(map(str, ask.ids))}")
        written = annotations(pod).get("gpu.scheduling/allocation", "").split()
        if f"mode={ask.mode}" not in written:
            wrong.append(f"mode {ask.mode} is written as {' '.join(written)!r}")
        if wrong:
            self._complain("wrong result", None, f"{holder.name} got {node}:{','.join(map(str, ids))}, but "
                           + "; ".join(wrong))

    def _check_kinds(self, holder: Holder, node: str) -> None:
        """Where a device plugin counts GPUs nobody knows which it gives, so pods with exact ids must not be beside."""
        beside = {other.uid: other for gpu, others in self.holders.items() if gpu[0] == node for other in others}
        for other in beside.values():
            if other.ask.is_counted != holder.ask.is_counted:
                self._complain("two kinds", None, f"a device plugin serves only one of {other} and {holder} on {node}")

    def _check_others(self, gpu: Gpu, holder: Holder) -> None:
        others = self.holders[gpu]
        for other in others:
            if not other.ask.may_share(holder.ask):
                self._complain("double allocation", gpu, f"GPU {gpu[1]} of {gpu[0]} is held by {other} and by {holder}")
        if holder.ask.mode == SHARED and len(others) >= self.rules.pods_per_shared_gpu:
            self._complain("too many", gpu, f"GPU {gpu[1]} of {gpu[0]} is shared by {len(others) + 1} pods")

    def _release(self, event: Event) -> None:
        holder = self._seen_bound.get(event.uid)
        if holder is None or holder.end is not None:
            return
        holder.end = event
        for gpu in holder.gpus:
            self.holders[gpu].remove(holder)

    # --- what people see of it ------------------------------------------------------------------------------------

    def _see_leases(self, event: Event) -> None:
        written = annotations(event.object)
        if labels(event.object).get("gpu.scheduling/managed") != "true" or "gpu.scheduling/gpu" not in written:
            return
        gpu = (written["gpu.scheduling/node"], int(written["gpu.scheduling/gpu"]))
        holders = json.loads(written["gpu.scheduling/holders"]) if event.change != DELETED else []
        uids = frozenset(holder["uid"] for holder in holders)
        self.leases[gpu].see(event.object["metadata"]["namespace"], event.seconds, uids)

    def check_leases(self, now: float) -> None:
        """Looks at the Leases of all bound pods. Requires: the events until `now` minus the grace have been seen."""
        grace = self.rules.lease_grace_seconds
        settled = [holder for holder in self._unchecked if holder.bound.seconds + grace < now]
        for holder in settled:
            self._check_leases_of(holder, min(now - grace, holder.end.seconds if holder.end else NEVER))
        done = {holder.uid for holder in settled if holder.end and holder.end.seconds + grace < now}
        self._unchecked = [holder for holder in self._unchecked if holder.uid not in done]

    def _check_leases_of(self, holder: Holder, until: float) -> None:
        for gpu in holder.gpus:
            if gpu[1] >= self._gpus_of_node.get(gpu[0], NEVER):
                self._complain("no such GPU", gpu, f"{holder} got GPU {gpu[1]} of {gpu[0]}")
            absence = self.leases[gpu].longest_absence(holder.uid, holder.bound.seconds, until)
            if absence > self.rules.lease_grace_seconds:
                self._complain("Lease missing", gpu,
                               f"for {absence:.0f} s there was no Lease of GPU {gpu[1]} of {gpu[0]} for {holder}")

    # --- the rest of the cluster ----------------------------------------------------------------------------------

    def _see_nodes(self, event: Event) -> None:
        self._see_other(self.nodes, event.object["metadata"]["name"], event)
        count = gpus_of(event.object)
        self._gpus_of_node[event.name] = max(count, self._gpus_of_node.get(event.name, 0))

    def _see_gpuclaims(self, event: Event) -> None:
        self._see_other(self.claims, event.name, event)

    def _see_gpunodestatuses(self, event: Event) -> None:
        self._see_other(self.machines, event.name, event)

    @staticmethod
    def _see_other(things: dict[str, dict], name: str, event: Event) -> None:
        if event.change == DELETED:
            things.pop(name, None)
        else:
            things[name] = event.object

    def _complain(self, kind: str, gpu: Gpu | None, text: str) -> None:
        violation = Violation(kind, gpu, text)
        if violation not in self.violations:
            self.violations.append(violation)


def gpus_of(node: dict) -> int:
    return int(node.get("status", {}).get("allocatable", {}).get("nvidia.com/gpu", 0))


def check(events: list[Event], rules: Rules = Rules(), now: float = NEVER) -> list[Violation]:
    """All that is wrong in a whole history."""
    checker = Checker(rules)
    for event in events:
        checker.see(event)
    if now != NEVER:
        checker.check_leases(now)
    return checker.violations
