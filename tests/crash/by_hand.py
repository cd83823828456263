"""Steps in which somebody deletes and edits objects by hand: Leases, the fence, pods, nodes, claims; and machines change."""

from dataclasses import dataclass, field

import fence
import objects
from api import CLAIMS, LEASES, MERGE_PATCH, PODS
from event import annotations, node_of
from steps import Stage, Step
from world import HOME, NAMESPACE, OTHER_NAME


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


def gpu_leases(stage: Stage) -> list[str]:
    """Paths of those that can be found by their label."""
    path = LEASES.format(HOME)
    listed = stage.world.api.insist("GET", f"{path}?labelSelector=gpu.scheduling%2Fmanaged%3Dtrue")[1]["items"]
    return [f"{path}/{lease['metadata']['name']}" for lease in listed]


@dataclass(frozen=True)
class EditLeases(Step):
    """Somebody writes over Leases of GPUs; those who look at them must soon be told the truth again."""
    change: dict = field(hash=False)
    count: int = 6

    def do(self, stage: Stage) -> None:
        stage.world.wait(lambda: len(gpu_leases(stage)) >= self.count, "there were Leases to edit")
        for path in gpu_leases(stage)[:self.count]:
            stage.world.api.insist("PATCH", path, self.change, MERGE_PATCH)
            stage.edited.append(path)


@dataclass(frozen=True)
class DeleteEditedLeases(Step):
    """The cure for Leases that nobody finds any more."""

    def do(self, stage: Stage) -> None:
        for path in stage.edited:
            stage.world.api.insist("DELETE", path)


@dataclass(frozen=True)
class EditAsks(Step):
    """Somebody writes another claim on pods, bound or not."""
    claim: str
    count: int

    def do(self, stage: Stage) -> None:
        pods = [pod for pod in stage.world.gpu_pods(objects.SCHEDULER) if "gpu.scheduling/claim" in annotations(pod)]
        for pod in sorted(pods, key=lambda pod: bool(node_of(pod)))[:self.count]:  # those that wait first
            change = {"metadata": {"uid": pod["metadata"]["uid"], "annotations": {"gpu.scheduling/claim": self.claim}}}
            stage.world.api.insist("PATCH", f"{PODS.format(NAMESPACE)}/{pod['metadata']['name']}", change, MERGE_PATCH)


@dataclass(frozen=True)
class EditClaim(Step):
    name: str
    devices: dict = field(hash=False)

    def do(self, stage: Stage) -> None:
        status, answer = stage.world.api.insist("PATCH", f"{CLAIMS.format(NAMESPACE)}/{self.name}",
                                                {"spec": {"devices": self.devices}}, MERGE_PATCH)
        if status != 200:
            raise RuntimeError(f"the claim could not be edited: {answer.get('message')}")


@dataclass(frozen=True)
class EditNodes(Step):
    """Nodes that are not there at the moment stay as they will be."""
    names: tuple[str, ...]
    change: dict = field(hash=False)
    subresource: str = ""

    def do(self, stage: Stage) -> None:
        for name in self.names:
            stage.world.api.insist("PATCH", f"/api/v1/nodes/{name}{self.subresource}", self.change, MERGE_PATCH)


@dataclass(frozen=True)
class BreakGpus(Step):
    """These are unhealthy, and no others; waits until that is reported."""
    node: str
    numbers: tuple[int, ...]

    def do(self, stage: Stage) -> None:
        stage.storm.agents.break_gpus(self.node, self.numbers)
        wait_for_report(stage, self.node)


@dataclass(frozen=True)
class Renumber(Step):
    """The driver counts its GPUs anew."""
    node: str
    shift: int

    def do(self, stage: Stage) -> None:
        stage.storm.agents.renumber(self.node, self.shift)
        wait_for_report(stage, self.node)


def wait_for_report(stage: Stage, node: str) -> None:
    """The look after the one that is under way sees it."""
    agents = stage.storm.agents
    since = agents.looks
    stage.world.wait(lambda: agents.looks > since + 1, f"the agent of {node} reported")
