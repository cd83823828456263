"""The steps that faults are made of. Each waits for a condition with a generous deadline, never for a time to pass."""

import time
from dataclasses import dataclass, field

import fence
import objects
from api import MERGE_PATCH, PODS
from fault_proxy import POINTS
from replicas import Release, Replica
from world import NAMESPACE, OTHER_HOME, OTHER_NAME, RENAMED, World


@dataclass
class Stage:
    """What the steps of one fault know of each other."""
    world: World
    rules: dict[str, str] = field(default_factory=dict)  # by point, the last one armed
    held: dict[str, str] = field(default_factory=dict)  # by point
    victim: Replica | None = None
    other: Replica | None = None  # of the other release, the one that something happens to
    before: tuple[Replica, ...] = ()  # who has led since the fault began
    edited: list[str] = field(default_factory=list)  # names of pods


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
        stage.held[self.point] = found[0]["id"]
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


@dataclass(frozen=True)
class DeleteLeases(Step):
    """Those of GPUs, of all releases."""

    def do(self, stage: Stage) -> None:
        stage.world.delete_leases()


@dataclass(frozen=True)
class DeleteFence(Step):
    def do(self, stage: Stage) -> None:
        fence.delete(stage.world.api)


@dataclass(frozen=True)
class SpoilRecord(Step):
    """Somebody writes something else over the other release's record in the fence, or takes it out: its leader ends."""
    text: str | None

    def do(self, stage: Stage) -> None:
        leader = stage.world.others.wait_for_leader()
        fence.overwrite(stage.world.api, OTHER_NAME, self.text)
        code = leader.process.wait(timeout=60)
        if code != 1:
            raise AssertionError(f"a leader without a record exited with {code}; see {leader.log}")


@dataclass(frozen=True)
class Edit(Step):
    """Somebody writes other GPUs on bound pods, through the given subresource."""
    subresource: str
    count: int

    def do(self, stage: Stage) -> None:
        pods = [pod for pod in stage.world.gpu_pods(objects.SCHEDULER)
                if "gpu.scheduling/allocated" in (pod["metadata"].get("annotations") or {})]
        for number, pod in enumerate(pods[:self.count]):
            path = f"{PODS.format(NAMESPACE)}/{pod['metadata']['name']}{self.subresource}"
            node = pod["spec"]["nodeName"] if number % 2 else "eight-a"
            change = {"metadata": {"uid": pod["metadata"]["uid"], "annotations": {
                "gpu.scheduling/allocated": f"{node}:3", "gpu.scheduling/visible-devices": "3",
                "gpu.scheduling/uuids": "", "gpu.scheduling/allocation": "v1 mode=shared enforced=true"}}}
            stage.world.api.insist("PATCH", path, change, MERGE_PATCH)
            stage.edited.append(pod["metadata"]["name"])


@dataclass(frozen=True)
class DeleteEdited(Step):
    """Only those who saw an edited pod before know what it has, so it must be gone before they are."""

    def do(self, stage: Stage) -> None:
        for name in stage.edited:
            stage.world.api.insist("DELETE", f"{PODS.format(NAMESPACE)}/{name}?gracePeriodSeconds=0")


# --- another release, which runs beside the one that the steps above are about ---------------------------------------


@dataclass(frozen=True)
class KillOther(Step):
    def do(self, stage: Stage) -> None:
        for member in stage.world.others.members:
            member.kill()


@dataclass(frozen=True)
class StartOther(Step):
    def do(self, stage: Stage) -> None:
        stage.world.others.start()


@dataclass(frozen=True)
class LabOther(Step):
    """A test build leads the other release until it comes to the point."""
    flag: str
    point: str

    def do(self, stage: Stage) -> None:
        world = stage.world
        for member in world.others.members:
            member.process.terminate()
            member.process.wait(timeout=60)
        stage.other = world.others.add(self.flag, self.point, program=world.lab)
        world.others.members = [stage.other]
        world.wait(lambda: has_reached(stage.other), "the other release came to its point")


@dataclass(frozen=True)
class OtherIsCleared(Step):
    """Nobody has heard of the other release for long, so what it lists is touched and taken off its list."""

    def do(self, stage: Stage) -> None:
        stage.world.wait(lambda: not fence.listed(stage.world.api, OTHER_NAME), "the other release listed nothing")


@dataclass(frozen=True)
class TakeoverOther(Step):
    """Another replica of the other release leads."""

    def do(self, stage: Stage) -> None:
        stage.world.others.add()
        stage.world.others.wait_for_leader((stage.other,))


@dataclass(frozen=True)
class WakeOther(Step):
    def do(self, stage: Stage) -> None:
        stage.other.wake()
        code = stage.other.process.wait(timeout=60)
        if code != 1:
            raise AssertionError(f"a leader that slept past its time exited with {code}; see {stage.other.log}")


@dataclass(frozen=True)
class Rename(Step):
    """The other release gets another schedulerName, and later its old one again. Its pods of the old name run on."""

    def do(self, stage: Stage) -> None:
        world = stage.world
        for member in world.others.members:
            member.process.terminate()
            member.process.wait(timeout=60)
        renamed = world.replicas_of(Release(world.replicas.release.program, world.kubeconfig, world.folder, OTHER_HOME,
                                            RENAMED), wanted=1)
        try:
            renamed.add(uid=f"renamed-{time.monotonic_ns()}")
            for number in range(8):
                pod = objects.pod(f"renamed-{number}", "claim one", scheduler=RENAMED)
                world.api.insist("POST", PODS.format(NAMESPACE), pod)
            world.wait(lambda: any(pod["spec"].get("nodeName") for pod in world.gpu_pods(RENAMED)),
                       "the renamed release bound a pod")
        finally:
            renamed.close()
            for pod in world.gpu_pods(RENAMED):
                world.api.insist("DELETE", f"{PODS.format(NAMESPACE)}/{pod['metadata']['name']}?gracePeriodSeconds=0")
            world.delete_leases()  # nobody of that name clears them away


@dataclass(frozen=True)
class SameName(Step):
    """Somebody installs a release of the same name in another namespace: it says so, and does nothing."""

    def do(self, stage: Stage) -> None:
        world = stage.world
        program, name = world.replicas.release.program, world.replicas.release.scheduler_name
        twins = world.replicas_of(Release(program, world.kubeconfig, world.folder, OTHER_HOME, name), wanted=1)
        twin = twins.add(uid=f"twin-{time.monotonic_ns()}")
        try:
            world.wait(lambda: "another scheduler.name" in twin.why_not_ready(), "the second of that name said why not")
            Progress(2).do(stage)
            if twin.leads():
                raise AssertionError(f"two releases of one name lead; see {twin.log}")
        finally:
            twins.close()
