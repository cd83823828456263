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

from asks import EXCLUSIVE, SHARED, Ask, ask_of, parse_gpus
from doubts import IsLeft, IsOtherCount, IsTooMany, Past
from event import (DELETED, WHOLE_GPUS, Event, annotations, gpu_requests, has_running_container, is_terminal, labels, node_of,
                   requested_gpus)
from holders import NEVER, Gpu, Holder, Rules, Violation
from lease_times import Leases
from left_behind import Ended


class Checker:
    def __init__(self, rules: Rules = Rules()):
        self.rules = rules
        self.violations: list[Violation] = []
        self.pods: dict[str, dict] = {}  # by UID: those that are there
        self.nodes: dict[str, dict] = {}
        self.claims: dict[str, dict] = {}
        self.machines: dict[str, dict] = {}  # GpuNodeStatus by node
        self.holders: dict[Gpu, list[Holder]] = defaultdict(list)  # those that hold now
        self.on_node: dict[str, list[Holder]] = defaultdict(list)  # likewise, and pods of others with GPUs
        self.left: dict[str, list[tuple[Ended, Holder]]] = defaultdict(list)  # by node: ended without a proper end
        self.leases: dict[Gpu, Leases] = defaultdict(Leases)
        self.bound_pods = 0
        self._seen_bound: dict[str, Holder | None] = {}  # by UID, while the pod is there
        self._last_gone: dict[str, Holder | None] = {}
        self._unchecked: list[Holder] = []  # whose Leases have not been looked at for good
        self._versions: dict[str, int] = {}
        self._gpus_of_node: dict[str, int] = {}  # the most that were ever there
        self._past = Past(rules)
        self._doubts: list[IsLeft | IsTooMany | IsOtherCount] = []

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
        elif holder := self._seen_bound.get(event.uid):
            holder.running_since = min(holder.running_since, event.seconds) if has_running_container(pod) else NEVER
        if event.change == DELETED:
            self._last_gone = {event.uid: self._seen_bound.pop(event.uid, None)}

    def _bind(self, event: Event) -> Holder | None:
        """The first time that a pod is seen bound: this is what the Binding wrote, whatever comes later."""
        pod = event.object
        if pod["spec"].get("schedulerName") not in self.rules.scheduler_names:
            return self._bind_foreign(event)
        ask = ask_of(pod, self.claims)
        result = annotations(pod).get("gpu.scheduling/allocated", "")
        if ask is None and not result:
            return None
        self.bound_pods += 1
        try:
            # Parts of GPUs have no ids, so nothing is written.
            node, ids = (node_of(pod), ()) if ask and ask.count == 0 and not result else parse_gpus(result)
        except ValueError:
            self._complain("no result", None, f"{event.name} was bound at {event.version} with the result {result!r}")
            return None
        holder = Holder(event.uid, event.name, node, tuple((node, id) for id in ids),
                        ask or Ask(EXCLUSIVE, len(ids)), event)
        self._check_result(holder, node, ids)
        self._check_beside(holder)
        for gpu in holder.gpus:
            self._check_others(gpu, holder)
            self.holders[gpu].append(holder)
        self.on_node[node].append(holder)
        self._unchecked.append(holder)
        return holder

    def _bind_foreign(self, event: Event) -> Holder | None:
        """Who binds it knows nothing of ours, and is not to blame."""
        asks = gpu_requests(event.object)
        if not asks:
            return None
        ask = Ask(EXCLUSIVE, requested_gpus(event.object), is_counted=True)
        holder = Holder(event.uid, event.name, node_of(event.object), (), ask, event, is_foreign=True)
        self.on_node[holder.node].append(holder)
        return holder

    def _check_result(self, holder: Holder, node: str, ids: tuple[int, ...]) -> None:
        pod, ask = holder.bound.object, holder.ask
        wrong = []
        if node != node_of(pod):
            wrong.append(f"bound to {node_of(pod)}")
        claim = annotations(pod).get("gpu.scheduling/claim")
        if len(set(ids)) != len(ids) or (len(ids) != ask.count and not claim):
            wrong.append(f"asked for {ask.count} GPUs")
        elif len(ids) != ask.count:
            self._doubts.append(IsOtherCount(holder, f"{pod['metadata']['namespace']}/{claim}"))
        if ask.ids and (node, sorted(ids)) != (ask.node, sorted(ask.ids)):
            wrong.append(f"the map says {ask.node}:{','.join(map(str, ask.ids))}")
        written = annotations(pod).get("gpu.scheduling/allocation", "").split()
        if ids and f"mode={ask.mode}" not in written:
            wrong.append(f"mode {ask.mode} is written as {' '.join(written)!r}")
        if wrong:
            self._complain("wrong result", None, f"{holder.name} got {node}:{','.join(map(str, ids))}, but "
                           + "; ".join(wrong))

    def _check_beside(self, holder: Holder) -> None:
        known = [other for other in self.on_node[holder.node] if not self._is_news(other, holder.bound)]
        for other in known:
            # Where a device plugin counts GPUs nobody knows which it gives, so pods with exact ids must not be beside.
            if other.ask.is_counted != holder.ask.is_counted:
                self._complain("two kinds", None, f"a device plugin serves only one of {other} and {holder} on {holder.node}")
            if other.uuids & holder.uuids and not other.ask.may_share(holder.ask) and not set(other.gpus) & set(holder.gpus):
                self._complain("double allocation", holder.gpus[0], f"{other} and {holder} have the same GPU by two numbers")
        if holder.ask.is_counted:
            self._doubts.append(IsTooMany(holder, known))
        self._check_left(holder)

    def _is_news(self, other: Holder, bound: Event) -> bool:
        """Pods of others count once they are seen; releases know of each other's before they are bound."""
        return other.is_foreign and bound.seconds - other.bound.seconds < self.rules.view_seconds

    def _check_left(self, holder: Holder) -> None:
        for pod, old in self.left[holder.node]:
            gpu = None if old.ask.may_share(holder.ask) else holder.meets(old)
            # A plugin does not know what is left; and of what is left of its own nobody knows where.
            if gpu or holder.ask.is_counted or old.ask.is_counted:
                self._doubts.append(IsLeft(pod, old, holder, gpu, self._has_namesake(pod)))

    def _has_namesake(self, pod: Ended) -> bool:
        return any(uid != pod.uid and f"{other['metadata']['namespace']}/{other['metadata']['name']}" == pod.name
                   for uid, other in self.pods.items())

    def _check_others(self, gpu: Gpu, holder: Holder) -> None:
        others = self.holders[gpu]
        for other in others:
            if not other.ask.may_share(holder.ask):
                self._complain("double allocation", gpu, f"GPU {gpu[1]} of {gpu[0]} is held by {other} and by {holder}")
        if holder.ask.mode == SHARED and len(others) >= self.rules.pods_per_shared_gpu:
            self._complain("too many", gpu, f"GPU {gpu[1]} of {gpu[0]} is shared by {len(others) + 1} pods")

    def _release(self, event: Event) -> None:
        holder = self._seen_bound.get(event.uid)
        if holder is None:
            return
        if holder.end is not None:
            return self._hear_kubelet(event)
        holder.end = event
        for gpu in holder.gpus:
            self.holders[gpu].remove(holder)
        self.on_node[holder.node].remove(holder)
        # Who has not run for long may have come and gone unseen.
        has_run = event.seconds - holder.running_since >= self.rules.reading_seconds
        if has_run and holder.node in self.machines and (event.change == DELETED or has_running_container(event.object)):
            self.left[holder.node].append((Ended(holder.uid, holder.name, event), holder))

    def _hear_kubelet(self, event: Event) -> None:
        for pod, holder in self.left[node_of(event.object)]:
            if pod.uid == event.uid and event.change != DELETED and not has_running_container(event.object):
                pod.kubelet_said = pod.kubelet_said or event.version

    # --- what people see of it ------------------------------------------------------------------------------------

    def _see_leases(self, event: Event) -> None:
        written = annotations(event.object)
        if "gpu.scheduling/gpu" not in written:
            return
        gpu = (written["gpu.scheduling/node"], int(written["gpu.scheduling/gpu"]))
        # Without its label nobody finds it.
        is_there = event.change != DELETED and labels(event.object).get("gpu.scheduling/managed") == "true"
        uids = uids_in(written.get("gpu.scheduling/holders", "")) if is_there else frozenset()
        self.leases[gpu].see(event.object["metadata"]["namespace"], event.seconds, uids)

    def check_until(self, now: float) -> None:
        """What needs time. Requires: the events until `now` minus the skew have been seen."""
        self._check_leases(now)
        ripe = [doubt for doubt in self._doubts if doubt.new.bound.seconds + 2 * self.rules.skew_seconds < now]
        self._doubts = self._doubts[len(ripe):]
        for doubt in ripe:
            if found := doubt.judge(self._past):
                self._complain(found.kind, found.gpu, found.text)
        self._forget_left(now)

    def _forget_left(self, now: float) -> None:
        """Those whose time is up, and all that could be found against them."""
        oldest = now - self.rules.release_timeout_seconds - 2 * self.rules.skew_seconds
        for node, pods in self.left.items():
            self.left[node] = [(pod, holder) for pod, holder in pods if pod.end.seconds > oldest]

    def _check_leases(self, now: float) -> None:
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
        self._past.see_node(event)
        count = gpus_of(event.object)
        self._gpus_of_node[event.name] = max(count, self._gpus_of_node.get(event.name, 0))

    def _see_gpuclaims(self, event: Event) -> None:
        self._see_other(self.claims, event.name, event)
        self._past.see_claim(event)

    def _see_gpunodestatuses(self, event: Event) -> None:
        self._see_other(self.machines, event.name, event)
        if event.change != DELETED:
            self._past.reports[event.name].see(event)

    def _see_starts(self, event: Event) -> None:
        """A process of a release begins to read the cluster."""
        self._past.starts[event.name].append(event.seconds)

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
    room = node.get("status", {}).get("allocatable", {})
    return sum(int(room.get(name, 0)) for name in WHOLE_GPUS)


def uids_in(holders: str) -> frozenset[str]:
    """Nobody, where somebody has written something else over it."""
    try:
        return frozenset(holder["uid"] for holder in json.loads(holders))
    except (ValueError, TypeError, KeyError):
        return frozenset()


def check(events: list[Event], rules: Rules = Rules(), now: float = NEVER) -> list[Violation]:
    """All that is wrong in a whole history."""
    checker = Checker(rules)
    for event in events:
        checker.see(event)
    if now != NEVER:
        checker.check_until(now)
    return checker.violations
