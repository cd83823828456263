"""Steps about another release, which runs beside the one that all other steps are about."""

import time
from dataclasses import dataclass

import fence
import objects
from api import PODS
from replicas import Release
from steps import Progress, Stage, Step, has_reached
from world import NAMESPACE, OTHER_HOME, OTHER_NAME, RENAMED


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
