"""The faults as data: each is a name, a group, and the steps that make it happen. steps.py says what a step does.

One fault is one stretch of a run: its steps arm the proxy, wait until the scheduler has met what was armed, and go on
from there; afterwards the world is put right (all rules gone, whatever is held released, dead replicas replaced).
Groups are what a short run takes something of each from.
"""

import json
import random
from dataclasses import dataclass

from by_hand import (BreakGpus, DeleteEdited, DeleteEditedLeases, DeleteFence, DeleteLeases, Edit, EditAsks, EditClaim, EditLeases,
                     EditNodes, Renumber, SpoilRecord)
from other_release import KillOther, LabOther, OtherIsCleared, Rename, SameName, StartOther, TakeoverOther, WakeOther
from steps import (AllEnd, AllReady, Arm, Arrival, CutWatches, Disarm, Held, Hits, HoldBytes, Kill, Lab, Let, LetBytesGo, Pause,
                   Progress, Reached, RefuseTouch, ResetConnections, RestartApiServer, RestartSame, StartAll, Step, Suspend,
                   Takeover, Terminate, TouchMet, Wake)

HOLD = {"kind": "hold", "where": "before"}
HOLD_ANSWER = {"kind": "hold", "where": "after"}
LOSE = {"kind": "drop_after"}
RESET = {"kind": "drop_before"}


def answer(status: int, **headers: str) -> dict:
    written = {name.replace("_", "-"): text for name, text in headers.items()}
    return {"kind": "answer", "status": status, "headers": written}


# As something answers that stands before the server, or a server that does not know the path.
NOT_FOUND_BY_NOBODY = {"kind": "answer", "status": 404, "headers": {"Content-Type": "text/plain"},
                       "body": "404 page not found\n"}
# What no decoder can make anything of, each as one piece of a watch.
UNREADABLE = {
    "no JSON": "{\"type\":\"MODIFIED\",\"object\":{{{\n",
    "numbers for names": "{\"type\":\"MODIFIED\",\"object\":{\"metadata\":{\"name\":7,\"uid\":[],\"resourceVersion\":{}}}}\n",
    "an unknown type of event": "{\"type\":\"RENAMED\",\"object\":{\"metadata\":{\"name\":\"a\"}}}\n",
}


@dataclass(frozen=True)
class Fault:
    name: str
    group: str
    steps: tuple[Step, ...]
    spares_leader: bool = False  # nobody dies, so that memory can be watched
    needs_own_plane: bool = False
    on_wire: bool = False  # happens to bytes, so that there has to be a relay


def killed(point: str, fate: str) -> Fault:
    """The leader dies while a request of its is on the way, and `fate` befalls that one after the takeover."""
    return Fault(f"killed at {point}, then {fate}", "killed", (
        Arm(point, HOLD), Held(point), Kill(), Takeover(), Progress(1), Let(point, fate), Progress(1)))


def killed_before_answer(point: str) -> Fault:
    return Fault(f"killed before the answer to {point}", "killed", (
        Arm(point, HOLD_ANSWER), Held(point), Kill(), Takeover(), Progress(1)))


def paused(point: str, fate: str) -> Fault:
    """The leader sleeps past its time; what it sent comes through when another has taken over."""
    return Fault(f"paused at {point}, then {fate}", "paused", (
        Arm(point, HOLD), Held(point), Pause(), Takeover(), Progress(1), Let(point, fate), Wake(), Progress(1)))


def stopped_inside(point: str) -> Fault:
    """Paused inside the HTTP client: after the last look at who leads, before the first byte."""
    return Fault(f"stopped inside {point}", "inside", (
        Lab("--stop-at", point), *provoked(point), Reached(), Takeover(), Progress(1), Wake(), Progress(1)))


def killed_inside(point: str) -> Fault:
    return Fault(f"killed inside {point}", "inside", (
        Lab("--kill-at", point), *provoked(point), Reached(), Takeover(), Progress(1)))


def provoked(point: str) -> tuple[Step, ...]:
    """Nobody touches a pod without need."""
    return (Arm("binding", RESET, 2),) if point == "touch-write" else ()


def late_binding(milliseconds: int) -> Fault:
    return Fault(f"a Binding {milliseconds} ms late", "late", (
        Arm("binding", {"kind": "forward_later", "after_ms": milliseconds}), Hits("binding"), Arrival(milliseconds),
        Progress(1)), spares_leader=True)


def once(name: str, group: str, point: str, fault: dict, times: int = 1) -> Fault:
    return Fault(name, group, (Arm(point, fault, times), Hits(point, times), Progress(1)), spares_leader=True)


def late_watch(point: str) -> Fault:
    return Fault(f"{point} 5 s late", "view", (
        Arm(point, {"kind": "late_watch", "ms": 5000}, times=0), CutWatches(point), Hits(point), Progress(6)),
        spares_leader=True)


def old_list(kind: str) -> Fault:
    """A relist that answers from an older revision."""
    return Fault(f"an old list of {kind}s", "view", (
        Arm(f"{kind} list", {"kind": "remember"}), Arm(f"{kind} watch", answer(410)), CutWatches(f"{kind} watch"),
        Hits(f"{kind} list"), Progress(2), Arm(f"{kind} list", {"kind": "replay"}), Arm(f"{kind} watch", answer(410)),
        CutWatches(f"{kind} watch"), Hits(f"{kind} list"), Progress(2)), spares_leader=True)


def refused(point: str, status: int) -> Fault:
    return once(f"{point} answered {status}", "refused", point, answer(status), 2)


def found_by_nobody(point: str) -> Fault:
    return once(f"{point} answered 404 without a Status", "refused", point, NOT_FOUND_BY_NOBODY, 2)


def touch_refused(what: str, how: dict) -> Fault:
    """Bindings are lost, and touches that would tell what became of them are answered with this. Several are lost, because
    the storm may delete a pod before it is touched again."""
    return Fault(f"touch answered {what}", "refused", (
        Arm("touch", how, 2), Arm("binding", RESET, 4), Hits("touch", 2), Progress(1)), spares_leader=True)


def untouchable(name: str, group: str, how: dict, *between: Step, spares_leader: bool = False) -> Fault:
    """One pod cannot be touched for good; all others go on."""
    return Fault(name, group, (
        Arm("binding", HOLD), Held("binding"), RefuseTouch(how), *between, Let("binding", "drop"), TouchMet(),
        Progress(4)), spares_leader=spares_leader)


def refused_list(kind: str, what: str, how: dict) -> Fault:
    return Fault(f"a list of {kind}s answered {what}", "view", (
        Arm(f"{kind} list", how, 2), Arm(f"{kind} watch", answer(410)), CutWatches(f"{kind} watch"),
        Hits(f"{kind} list", 2), Progress(1)), spares_leader=True)


def unreadable(kind: str, what: str) -> Fault:
    """As often as it takes until the kind is listed anew."""
    frame = {"kind": "answer", "status": 200, "headers": {"Content-Type": "application/json"}, "body": UNREADABLE[what]}
    return Fault(f"{what} in the watch of {kind}s", "unreadable", (
        Arm(f"{kind} watch", frame, 4), CutWatches(f"{kind} watch"), Hits(f"{kind} watch", 4), Progress(2)),
        spares_leader=True)


def edited_nodes(name: str, names: tuple[str, ...], there: dict, back: dict, subresource: str = "") -> Fault:
    return Fault(name, "nodes", (EditNodes(names, there, subresource), Progress(2), EditNodes(names, back, subresource),
                                 Progress(1)), spares_leader=True)


def allocatable(gpus: str) -> dict:
    return {"status": {"allocatable": {"nvidia.com/gpu": gpus}}}


def leases_edited(what: str, change: dict) -> Fault:
    return Fault(f"Leases edited: {what}", "hands", (EditLeases(change), Progress(1)), spares_leader=True)


def cut(number: int, *, to_server: bool) -> Fault:
    """The connections break in the middle of what is sent, or of what is answered."""
    where = "sent" if to_server else "answered"
    return Fault(f"cut after {number} bytes {where}", f"cut, {where}", (ResetConnections(number, to_server), Progress(2)),
                 spares_leader=True, on_wire=True)


COMMIT = ("list", "binding")
WRITES = (*COMMIT, "lease")
INSIDE = ("list-write", "binding-write", "binding-answer", "unlist-write", "lease-write", "touch-write")

FAULTS = (
    # The leader dies at every step, and what it had sent arrives later or never.
    *(killed(point, fate) for point in WRITES for fate in ("release", "drop")),
    *(killed_before_answer(point) for point in WRITES),
    killed("unlist", "release"),
    killed("lease delete", "release"),
    Fault("killed at a touch", "killed", (Arm("touch", HOLD), Arm("binding", RESET), Held("touch"), Kill(), Takeover(),
                                          Progress(1), Let("touch", "release"), Progress(1))),
    Fault("killed with a cold successor", "killed", (Arm("binding", HOLD), Held("binding"), Kill(everybody=True),
                                                     Takeover(), Progress(1), Let("binding", "release"), Progress(1))),
    Fault("killed, and the answer to the takeover lost", "killed", (
        Kill(), Arm("renewal", LOSE), Hits("renewal"), Takeover(), Progress(1))),
    Fault("told to end", "killed", (Terminate(), Takeover(), Progress(1))),
    Fault("A, B, then A in the same pod", "killed", (
        Arm("binding", HOLD), Held("binding"), Kill(refill=False), Takeover(), Progress(1), RestartSame(),
        Kill(refill=False), Takeover(), Progress(1), Let("binding", "release"), Progress(1))),
    Fault("A, then A in the same pod", "killed", (
        Arm("binding", HOLD), Held("binding"), Kill(everybody=True, refill=False), RestartSame(), Takeover(),
        Progress(1), Let("binding", "release"), Progress(1))),
    # The leader sleeps past its time, or everybody does.
    Fault("all suspended", "suspended", (Suspend(6000), StartAll(), Progress(1))),
    Fault("all suspended with a Binding on its way", "suspended", (
        Arm("binding", HOLD), Held("binding"), Suspend(6000), Let("binding", "release"), StartAll(), Progress(1))),
    Fault("all suspended for so long that releases count as dead", "suspended", (Suspend(10_000), StartAll(), Progress(1))),
    *(paused(point, "release") for point in (*WRITES, "lease delete")),
    paused("binding", "forward_and_drop"),
    *(stopped_inside(point) for point in INSIDE),
    *(killed_inside(point) for point in ("takeover-write", *INSIDE)),
    # A Binding arrives long after its client gave up.
    *(late_binding(milliseconds) for milliseconds in (0, 500, 3000, 8000, 20000)),
    # Answers that are lost, and answers that say no.
    *(once(f"answer to {point} lost", "lost", point, LOSE)
      for point in (*WRITES, "unlist", "lease delete", "lease update", "renewal")),
    *(once(f"{point} reset", "lost", point, RESET, 2) for point in WRITES),
    *(once(f"{point} answered {status}", "refused", point, answer(status), 2)
      for status in (409, 500, 503) for point in WRITES),
    *(once(f"{point} answered 429", "refused", point, answer(429, Retry_After="1"), 2) for point in WRITES),
    *(refused(point, status) for status in (401, 403, 422) for point in (*WRITES, "renewal")),
    *(found_by_nobody(point) for point in (*WRITES, "renewal")),
    *(touch_refused(str(status), answer(status)) for status in (401, 403, 422, 503)),
    touch_refused("404 without a Status", NOT_FOUND_BY_NOBODY),
    *(untouchable(f"a touch refused for good with {status}", "untouchable", answer(status), spares_leader=True)
      for status in (403, 422)),
    untouchable("a touch refused for good, and another leader", "untouchable", answer(422), Kill(), Takeover()),
    untouchable("a touch refused for good, and the fence deleted", "untouchable", answer(422), Pause(), DeleteFence(),
                Takeover()),
    once("a Binding sent twice", "lost", "binding", {"kind": "duplicate", "told": "second", "gap_ms": 100}),
    once("a list sent twice", "lost", "list", {"kind": "duplicate", "told": "second", "gap_ms": 100}),
    once("a Lease sent twice", "lost", "lease", {"kind": "duplicate", "told": "second", "gap_ms": 100}),
    Fault("touches lost", "lost", (Arm("touch", LOSE, 2), Arm("binding", RESET), Hits("touch", 2), Progress(1)),
          spares_leader=True),
    # What the scheduler sees is late or old.
    *(late_watch(f"{kind} watch") for kind in ("pod", "lease", "node")),
    old_list("pod"),
    old_list("lease"),
    *(refused_list("pod", str(status), answer(status)) for status in (401, 403)),
    refused_list("pod", "404 without a Status", NOT_FOUND_BY_NOBODY),
    refused_list("lease", "404 without a Status", NOT_FOUND_BY_NOBODY),
    *(unreadable("pod", what) for what in UNREADABLE),
    *(unreadable(kind, "numbers for names") for kind in ("node", "lease", "claim", "report")),
    # As after a restore of the store: twice in a row the server is further back than it was.
    Fault("a server that is further back than before", "view", (
        Arm("pod version", {"kind": "remember"}), CutWatches("pod watch"), Hits("pod version"), Progress(3),
        Arm("pod version", {"kind": "replay"}, times=0), CutWatches("pod watch"), AllEnd("older than what it said before"),
        Disarm("pod version"), StartAll(), Progress(1))),
    Fault("all watches cut", "view", (CutWatches("pod watch"), CutWatches("lease watch"), CutWatches("node watch"),
                                      Progress(2)), spares_leader=True),
    Fault("the API server restarts", "server", (RestartApiServer(), Takeover(anybody=True), Progress(1)),
          needs_own_plane=True),
    Fault("the API server restarts in mid-commit", "server", (
        Arm("binding", HOLD), Held("binding"), RestartApiServer(), Let("binding", "release"), Takeover(anybody=True),
        Progress(1)), needs_own_plane=True),
    # Somebody deletes and edits by hand.
    Fault("the fence deleted with a Binding on its way", "fence", (
        Arm("binding", HOLD), Held("binding"), Pause(), DeleteFence(), Takeover(), Progress(1),
        Let("binding", "release"), Wake(), Progress(1))),
    Fault("the fence deleted, and stopped inside the client", "fence", (
        Lab("--stop-at", "binding-write"), Reached(), DeleteFence(), Takeover(), Progress(1), Wake(), Progress(1))),
    Fault("the fence deleted under everybody", "fence", (DeleteFence(), Takeover(anybody=True), Progress(1))),
    Fault("the fence deleted with a list on its way", "fence", (
        Arm("list", HOLD), Held("list"), DeleteFence(), Let("list", "release"), Takeover(anybody=True), Progress(1))),
    Fault("a record of the fence made unreadable", "fence", (SpoilRecord("nonsense"), StartOther(), Progress(1))),
    Fault("a record of the fence taken out", "fence", (SpoilRecord(None), StartOther(), Progress(1))),
    Fault("Leases deleted", "hands", (DeleteLeases(), Progress(1)), spares_leader=True),
    Fault("Leases deleted with a Binding on its way", "hands", (
        Arm("binding", HOLD), Held("binding"), Pause(), DeleteLeases(), Takeover(), Progress(1),
        Let("binding", "release"), Wake(), Progress(1))),
    leases_edited("other holders", {"metadata": {"annotations": {"gpu.scheduling/holders": json.dumps(
        [{"namespace": "storm", "name": "p-1", "uid": "nobody", "plan": "0", "attempt": "none"}])}}}),
    leases_edited("no holders", {"metadata": {"annotations": {"gpu.scheduling/holders": None}}}),
    leases_edited("nonsense", {"metadata": {"annotations": {"gpu.scheduling/holders": "nonsense"}}}),
    leases_edited("another holderIdentity", {"spec": {"holderIdentity": "somebody"}}),
    Fault("Leases edited: no labels, then deleted", "hands", (
        EditLeases({"metadata": {"labels": None}}), Progress(1), DeleteEditedLeases(), Progress(1)), spares_leader=True),
    Fault("asks edited on pods", "hands", (EditAsks("one", 6), Progress(2), EditAsks("no-such-claim", 2), Progress(1)),
          spares_leader=True),
    Fault("a claim edited", "hands", (EditClaim("two", {"count": 3}), Progress(3), EditClaim("two", {"count": 2}),
                                      Progress(1)), spares_leader=True),
    Fault("a claim edited with a list on its way", "hands", (
        Arm("list", HOLD), Held("list"), EditClaim("one", {"count": 2}), Let("list", "release"), Progress(2),
        EditClaim("one", {"count": 1}), Progress(1)), spares_leader=True),
    # Nodes and their GPUs change.
    edited_nodes("node labels edited", ("eight-a", "four-a"), {"metadata": {"labels": {"gpu-node": "elsewhere"}}},
                 {"metadata": {"labels": {"gpu-node": None}}}),
    edited_nodes("nodes tainted", ("eight-a", "eight-agent"),
                 {"spec": {"taints": [{"key": "storm", "effect": "NoSchedule"}]}}, {"spec": {"taints": None}}),
    edited_nodes("nodes cordoned", ("eight-b", "four-b"), {"spec": {"unschedulable": True}}, {"spec": {"unschedulable": None}}),
    *(edited_nodes(f"nodes have {gpus} GPUs for a while", ("eight-a", "eight-b"), allocatable(gpus), allocatable("8"), "/status")
      for gpus in ("0", "3")),
    Fault("GPUs become unhealthy, and healthy again", "nodes", (
        BreakGpus("eight-agent", (0, 2, 3, 5)), Progress(2), BreakGpus("eight-agent", ()), Progress(1)), spares_leader=True),
    Fault("GPUs renumbered, and counted as before again", "nodes", (
        Renumber("eight-agent", 1), Progress(3), Renumber("eight-agent", 7), Progress(1)), spares_leader=True),
    Fault("GPUs renumbered with a Binding on its way", "nodes", (
        Arm("binding", HOLD), Held("binding"), Renumber("four-b", 1), Renumber("eight-agent", 1), Let("binding", "release"),
        Progress(3), Renumber("four-b", 3), Renumber("eight-agent", 7), Progress(1)), spares_leader=True),
    Fault("GPUs renumbered, and another leader", "nodes", (
        Renumber("eight-agent", 3), Kill(everybody=True), Takeover(), Progress(3), Renumber("eight-agent", 5), Progress(1))),
    Fault("results edited through pods", "hands", (Edit("", 3), Progress(2), DeleteEdited()), spares_leader=True),
    Fault("results edited through pods/status", "hands", (Edit("/status", 3), Progress(2), DeleteEdited()),
          spares_leader=True),
    Fault("results edited, and another leader", "hands", (
        AllReady(), Edit("", 3), Edit("/status", 3), Kill(refill=False), Takeover(), Progress(3), DeleteEdited())),
    # Another release in the same cluster.
    Fault("another release killed and started again", "releases", (
        KillOther(), Progress(2), StartOther(), Progress(1)), spares_leader=True),
    *(Fault(f"another release stopped inside {point}", "releases", (
        LabOther("--stop-at", point), TakeoverOther(), Progress(2), WakeOther(), Progress(1)), spares_leader=True)
      for point in ("list-write", "binding-write")),
    Fault("another release asleep for so long that it is cleared away", "releases", (
        LabOther("--stop-at", "binding-write"), OtherIsCleared(), Progress(2), WakeOther(), StartOther(), Progress(1)),
        spares_leader=True),
    Fault("another release killed inside binding-write", "releases", (
        LabOther("--kill-at", "binding-write"), StartOther(), Progress(1)), spares_leader=True),
    Fault("both releases killed", "releases", (KillOther(), Kill(everybody=True), Takeover(), StartOther(), Progress(2))),
    Fault("another release renamed", "releases", (Rename(), StartOther(), Progress(1)), spares_leader=True),
    Fault("another release of the same name", "releases", (SameName(), Progress(1)), spares_leader=True),
    # Bytes that are lost or late, whatever they belong to.
    Fault("all connections reset", "reset", (ResetConnections(), Progress(1), ResetConnections(), Progress(1)), spares_leader=True,
          on_wire=True),
    *(cut(number, to_server=to_server) for number in (1, 300, 2000, 10_000, 40_000) for to_server in (True, False)),
    *(Fault(f"killed with {number} bytes on the wire, which arrive later", "late bytes", (
        HoldBytes(number), Kill(everybody=True), Takeover(), Progress(1), LetBytesGo(), Progress(2)), on_wire=True)
      for number in (1000, 4000)),
    Fault("asleep with 2000 bytes on the wire, which arrive later", "late bytes", (
        HoldBytes(2000), Kill(others=True), Pause(), Takeover(), Progress(1), LetBytesGo(), Progress(1), Wake(), Progress(1)),
        on_wire=True),
)


def choose(count: int, seed: int, *, has_own_plane: bool = True, spares_leader: bool = False,
           only: str = "", on_wire: bool = False) -> list[Fault]:
    """So many of them in an order that follows from the seed, from all groups alike, all before any comes again. None:
    there are none such."""
    usable = [fault for fault in FAULTS if fault.on_wire == on_wire and (has_own_plane or not fault.needs_own_plane)
              and (fault.spares_leader or not spares_leader) and only in fault.name]
    chooser = random.Random(seed)
    chosen: list[Fault] = []
    while usable and len(chosen) < count:
        groups: dict[str, list[Fault]] = {}
        for fault in chooser.sample(usable, len(usable)):
            groups.setdefault(fault.group, []).append(fault)
        while groups:
            for group in list(groups):
                chosen.append(groups[group].pop())
                if not groups[group]:
                    del groups[group]
    return chosen[:count]
