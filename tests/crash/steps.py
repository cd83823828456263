"""The steps that faults are made of. Each waits for a condition with a generous deadline, never for a time to pass."""

import time
from dataclasses import dataclass, field

from fault_proxy import POINTS, Point
from replicas import Replica
from storm import Storm
from world import World


@dataclass
class Stage:
    """What the steps of one fault know of each other."""
    world: World
    storm: Storm
    rules: dict[str, str] = field(default_factory=dict)  # by point, the last one armed
    held: dict[str, str] = field(default_factory=dict)  # by point
    targets: dict[str, str] = field(default_factory=dict)  # by point, of what is held
    untouchable: tuple[str, str] = ("", "")  # path and UID of a pod
    victim: Replica | None = None
    other: Replica | None = None  # of the other release, the one that something happens to
    before: tuple[Replica, ...] = ()  # who has led since the fault began
    edited: list[str] = field(default_factory=list)  # names of pods, or paths of other things


class Step:
    def do(self, stage: Stage) -> None:
        raise NotImplementedError


@dataclass(frozen=True)
class Arm(Step):
    """Puts the fault in the way of the next requests of that step."""
    point: str
    fault: dict = field(hash=False)
    times: int = 1

    def do(self, stage: Stage) -> None:
        stage.rules[self.point] = stage.world.proxy.arm(self.point, self.fault, times=self.times)


@dataclass(frozen=True)
class Hits(Step):
    point: str
    count: int = 1

    def do(self, stage: Stage) -> None:
        rule = stage.rules[self.point]
        stage.world.wait(lambda: stage.world.proxy.hits(rule) >= self.count, f"{self.point} met its fault")


@dataclass(frozen=True)
class Held(Step):
    """Waits until a request is held; its sender is the victim of what follows."""
    point: str

    def do(self, stage: Stage) -> None:
        found: list[dict] = []

        def holds() -> bool:
            found[:] = stage.world.proxy.held(stage.rules[self.point], wait_ms=2000)
            return bool(found)

        stage.world.wait(holds, f"{self.point} was held")
        stage.held[self.point], stage.targets[self.point] = found[0]["id"], found[0]["target"]
        stage.victim = stage.world.replicas.leader()


@dataclass(frozen=True)
class Let(Step):
    """What becomes of the request that is held: release, drop, or forward_and_drop."""
    point: str
    fate: str

    def do(self, stage: Stage) -> None:
        stage.world.proxy.let(stage.held[self.point], self.fate)


def leader_now(stage: Stage) -> Replica:
    return stage.victim if stage.victim and stage.victim.is_running else stage.world.replicas.wait_for_leader()


@dataclass(frozen=True)
class RefuseTouch(Step):
    """From now on the pod whose Binding is held cannot be touched, as where a webhook of its namespace fails."""
    answer: dict = field(hash=False)

    def do(self, stage: Stage) -> None:
        path = stage.targets["binding"].partition("/binding")[0]
        pod = stage.world.api.get(path)
        stage.untouchable = (path, pod["metadata"]["uid"] if pod else "")
        point = Point("PATCH", f"{path}/status", "gpu.scheduling/Fence")
        stage.rules["touch"] = stage.world.proxy.arm(point, self.answer, times=0)


@dataclass(frozen=True)
class TouchMet(Step):
    """Somebody has tried to touch that pod, or it is gone, so that nobody has to."""

    def do(self, stage: Stage) -> None:
        path, uid = stage.untouchable

        def is_met() -> bool:
            pod = stage.world.api.get(path)
            return stage.world.proxy.hits(stage.rules["touch"]) > 0 or pod is None or pod["metadata"]["uid"] != uid

        stage.world.wait(is_met, "the pod was to be touched")


@dataclass(frozen=True)
class Kill(Step):
    everybody: bool = False  # then whoever takes over starts from nothing
    others: bool = False  # all but the one that leads or led
    refill: bool = True

    def do(self, stage: Stage) -> None:
        replicas = stage.world.replicas
        stage.victim = leader_now(stage)
        stage.before += (stage.victim,)
        for member in list(replicas.members):
            if self.everybody or (member is stage.victim) != self.others:
                member.kill()
        if self.refill:
            replicas.refill()


@dataclass(frozen=True)
class Terminate(Step):
    def do(self, stage: Stage) -> None:
        stage.victim = leader_now(stage)
        stage.before += (stage.victim,)
        stage.victim.process.terminate()
        code = stage.victim.process.wait(timeout=60)
        if code != 0:
            raise AssertionError(f"a leader that was told to end exited with {code}; see {stage.victim.log}")
        stage.world.replicas.refill()


@dataclass(frozen=True)
class RestartSame(Step):
    """The container of the last victim starts again in the same pod."""

    def do(self, stage: Stage) -> None:
        replicas = stage.world.replicas
        again = replicas.add(uid=stage.victim.uid)
        stage.world.wait(again.is_ready, "the restarted replica was ready")
        stage.victim = None


@dataclass(frozen=True)
class Pause(Step):
    def do(self, stage: Stage) -> None:
        stage.victim = leader_now(stage)
        stage.before += (stage.victim,)
        stage.victim.pause()


@dataclass(frozen=True)
class Wake(Step):
    """Whoever slept while another took over must notice, and end."""

    def do(self, stage: Stage) -> None:
        stage.victim.wake()
        code = stage.victim.process.wait(timeout=60)
        if code != 1:
            raise AssertionError(f"a leader that lost the lead in its sleep exited with {code}; see {stage.victim.log}")
        stage.victim = None


@dataclass(frozen=True)
class Suspend(Step):
    """Everybody sleeps, of all releases, as when the machine that all of them run on is suspended."""
    milliseconds: int

    def do(self, stage: Stage) -> None:
        members = [*stage.world.replicas.members, *stage.world.others.members]
        for member in members:
            member.pause()
        Arrival(self.milliseconds).do(stage)
        for member in members:
            member.wake()


@dataclass(frozen=True)
class AllReady(Step):
    """Everybody has read the cluster, so that a successor has seen what happens from now on."""

    def do(self, stage: Stage) -> None:
        for member in stage.world.replicas.members:
            stage.world.wait(member.is_ready, f"{member.uid} was ready")


@dataclass(frozen=True)
class StartAll(Step):
    """Whoever has ended is started again, as a Deployment does."""

    def do(self, stage: Stage) -> None:
        stage.world.start_releases()


@dataclass(frozen=True)
class AllEnd(Step):
    """All replicas of the first release end by themselves, and say why."""
    words: str

    def do(self, stage: Stage) -> None:
        for member in stage.world.replicas.members:
            code = member.process.wait(timeout=60)
            if code != 1 or self.words not in member.log.read_text(encoding="utf-8"):
                raise AssertionError(f"exited with {code} and not with the words {self.words!r}; see {member.log}")


@dataclass(frozen=True)
class Disarm(Step):
    point: str

    def do(self, stage: Stage) -> None:
        stage.world.proxy.disarm(stage.rules[self.point])


@dataclass(frozen=True)
class Takeover(Step):
    anybody: bool = False  # also the one that led before

    def do(self, stage: Stage) -> None:
        stage.world.replicas.wait_for_leader(() if self.anybody else stage.before)


@dataclass(frozen=True)
class Progress(Step):
    """So many more pods were bound."""
    pods: int

    def do(self, stage: Stage) -> None:
        wanted = stage.world.bound_pods() + self.pods
        stage.world.wait(lambda: stage.world.bound_pods() >= wanted, f"{self.pods} more pods were bound")


@dataclass(frozen=True)
class Arrival(Step):
    """Waits until a request that was sent on its way has arrived, however late: the one step that takes its time."""
    milliseconds: int

    def do(self, stage: Stage) -> None:
        time.sleep(self.milliseconds / 1000)


@dataclass(frozen=True)
class CutWatches(Step):
    point: str

    def do(self, stage: Stage) -> None:
        stage.world.proxy.cut_watches(POINTS[self.point].target)


@dataclass(frozen=True)
class Lab(Step):
    """A test build that does something to itself at a point takes the lead."""
    flag: str
    point: str

    def do(self, stage: Stage) -> None:
        world, replicas = stage.world, stage.world.replicas
        others = list(replicas.members)
        lab = replicas.add(self.flag, self.point, program=world.lab)
        world.wait(lab.is_ready, "the test build was ready")
        leader = replicas.leader()
        for other in sorted(others, key=lambda member: member is leader):  # the leader last
            other.process.terminate()
            other.process.wait(timeout=60)
        world.wait(lambda: replicas.leader() is lab or has_reached(lab), "the test build led")
        stage.victim = lab
        stage.before += (*others, lab)
        replicas.members = [lab]
        replicas.add()


def has_reached(lab: Replica) -> bool:
    return lab.is_stopped or not lab.is_running


@dataclass(frozen=True)
class Reached(Step):
    def do(self, stage: Stage) -> None:
        stage.world.wait(lambda: has_reached(stage.victim), "the test build came to its point")


@dataclass(frozen=True)
class RestartApiServer(Step):
    def do(self, stage: Stage) -> None:
        stage.world.restart_server()
        stage.world.replicas.refill()


@dataclass(frozen=True)
class ResetConnections(Step):
    """All at once, or when so many bytes more have passed: to the server, or back from it."""
    after_bytes: int = 0
    to_server: bool = True

    def do(self, stage: Stage) -> None:
        relay = stage.world.relay
        before = relay.resets
        if self.after_bytes:
            relay.reset_after(self.after_bytes, to_server=self.to_server)
        else:
            relay.reset()
        stage.world.wait(lambda: relay.resets > before, "the connections were reset")


@dataclass(frozen=True)
class HoldBytes(Step):
    """What the schedulers send stays on the wire; waits until there is so much of it that a write is among it."""
    number: int

    def do(self, stage: Stage) -> None:
        relay = stage.world.relay
        stage.victim = leader_now(stage)
        relay.hold()
        stage.world.wait(lambda: relay.held_bytes() >= self.number, f"{self.number} bytes were held on the wire")


@dataclass(frozen=True)
class LetBytesGo(Step):
    def do(self, stage: Stage) -> None:
        stage.world.relay.let_go()
