"""The faults as data: each is a name, a group, and the steps that make it happen. steps.py says what a step does.

One fault is one stretch of a run: its steps arm the proxy, wait until the scheduler has met what was armed, and go on
from there; afterwards the world is put right (all rules gone, whatever is held released, dead replicas replaced).
Groups are what a short run takes something of each from.
"""

import random
from dataclasses import dataclass

from steps import (Arm, Arrival, CutWatches, DeleteEdited, DeleteFence, DeleteLeases, Edit, Held, Hits, HoldBytes, Kill,
                   KillOther, Lab, LabOther, Let, LetBytesGo, OtherIsCleared, Pause, Progress, Reached, Rename,
                   ResetConnections, RestartApiServer, RestartSame, SameName, SpoilRecord, StartOther, Step, Takeover,
                   TakeoverOther, Terminate, Wake, WakeOther)

HOLD = {"kind": "hold", "where": "before"}
HOLD_ANSWER = {"kind": "hold", "where": "after"}
LOSE = {"kind": "drop_after"}
RESET = {"kind": "drop_before"}


def answer(status: int, **headers: str) -> dict:
    written = {name.replace("_", "-"): text for name, text in headers.items()}
    return {"kind": "answer", "status": status, "headers": written}


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
    # The leader sleeps past its time.
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
    once("a Binding sent twice", "lost", "binding", {"kind": "duplicate", "told": "second", "gap_ms": 100}),
    once("a list sent twice", "lost", "list", {"kind": "duplicate", "told": "second", "gap_ms": 100}),
    once("a Lease sent twice", "lost", "lease", {"kind": "duplicate", "told": "second", "gap_ms": 100}),
    Fault("touches lost", "lost", (Arm("touch", LOSE, 2), Arm("binding", RESET), Hits("touch", 2), Progress(1)),
          spares_leader=True),
    # What the scheduler sees is late or old.
    *(late_watch(f"{kind} watch") for kind in ("pod", "lease", "node")),
    old_list("pod"),
    old_list("lease"),
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
    Fault("results edited through pods", "hands", (Edit("", 3), Progress(2), DeleteEdited()), spares_leader=True),
    Fault("results edited through pods/status", "hands", (Edit("/status", 3), Progress(2), DeleteEdited()),
          spares_leader=True),
    Fault("results edited, and another leader", "hands", (
        Edit("", 3), Edit("/status", 3), Kill(refill=False), Takeover(), Progress(3), DeleteEdited())),
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
