"""The storm: pods come and go, run, end and vanish, nodes too, and there are always more asks than GPUs.

What is done follows from the seed alone, not from what the cluster makes of it, so that a run can be repeated: an
action on a pod that is gone already does nothing. The test plays the kubelet: without it no pod would run, end or go
away in order.
"""

import random
import threading
from collections.abc import Iterator
from dataclasses import dataclass

import objects
from agents import Agents
from api import CLAIMS, MERGE_PATCH, PODS, Api
from event import has_running_container
from foreign import ForeignScheduler

MOST_PODS = 44
OLDEST_ACTIONS = 600  # a pod that was made so many actions ago is deleted, so that none waits for ever
MOST_FOREIGN = 4
NODES = {"four-a": 4, "four-b": 4, "four-amd": 4, "eight-a": 8, "eight-b": 8, "eight-agent": 8}  # with so many GPUs
AMD_NODES = ("four-amd",)
AGENT_NODES = ("four-b", "eight-agent")
SHARED_PARTS = {"eight-b": 4}  # nvidia.com/gpu.shared, beside the GPUs
# How long, in seconds, processes live on when their pod goes without a proper end: mostly not until the time-out.
LIVES = (0, 0.5, 0.5, 1, 1, 1.5, 1.5, 2, 2, 8)
# In the words of objects.pod; each as often as it stands here.
ASKS = ("claim one", "claim one", "claim two", "claim two", "claim four", "claim eight", "claim shared",
        "claim shared", "claim shared-two", "map", "map", "map of a set", "map of a set", "plain 1", "plain 2",
        "plain 4", "plain 1 amd.com/gpu", "plain 1 nvidia.com/gpu.shared", "nothing")
OTHERS_SHARE = 0.3  # of pods are another release's
CLAIM_SHAPES = {"one": (1, "Exclusive"), "two": (2, "Exclusive"), "four": (4, "Exclusive"), "eight": (8, "Exclusive"),
                "shared": (1, "Shared"), "shared-two": (2, "Shared")}


@dataclass(frozen=True)
class Action:
    what: str
    name: str  # of a pod or a node
    ask: str = ""
    text: str = ""  # of a map; or the node of a pod of others
    owner: str = ""  # of a map
    scheduler: str = objects.SCHEDULER
    seconds: float = 0  # that processes of the pod live on


class Plan:
    """An endless, seeded list of actions."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.there: dict[str, int] = {}  # pods by name, with the action that made them
        self.foreign: dict[str, int] = {}  # pods of others by name, with the action that ends them
        self.made = 0
        self.number = 0

    def __iter__(self) -> Iterator[Action]:
        while True:
            self.number += 1
            yield self._next()

    def _next(self) -> Action:
        oldest = min(self.there, key=self.there.get, default="")
        if oldest and self.there[oldest] + OLDEST_ACTIONS < self.number:
            return self._end("force delete", oldest)
        if len(self.there) < MOST_PODS // 2:
            return self._make()
        if over := next((name for name, end in self.foreign.items() if end <= self.number), ""):
            del self.foreign[over]
            return Action("end foreign", over)
        roll = self.random.random()
        if roll < 0.02:
            return Action("make again", self.random.choice(sorted(NODES)))
        if roll < 0.04 and len(self.foreign) < MOST_FOREIGN:
            return self._foreign()
        if roll < 0.50 and len(self.there) < MOST_PODS:
            return self._make()
        return self._go_on(self.random.choice(sorted(self.there)), roll)

    def _go_on(self, name: str, roll: float) -> Action:
        """With a pod that is there."""
        if roll < 0.60:
            return Action("run", name)
        if roll < 0.70:
            return Action(self.random.choice(("finish", "fail", "cut off")), name, seconds=self.random.choice(LIVES))
        if roll < 0.85:
            return self._end("delete", name)
        if roll < 0.95:
            return self._end("force delete", name)
        self.there[name] = self.number
        return self._made(name, "replace")

    def _foreign(self) -> Action:
        """It stays for so long that nobody can have missed it."""
        name = f"x-{self.number}"
        self.foreign[name] = self.number + self.random.randint(150, 600)
        node = self.random.choice(sorted(NODES))
        resource = "amd.com/gpu" if node in AMD_NODES else "nvidia.com/gpu"
        if node in SHARED_PARTS and self.random.random() < 0.5:
            resource = "nvidia.com/gpu.shared"
        return Action("place foreign", name, f"{self.random.randint(1, 4)} {resource}", node,
                      scheduler=self.random.choice(objects.FOREIGN_SCHEDULERS))

    def _end(self, what: str, name: str) -> Action:
        del self.there[name]
        return Action(what, name, seconds=self.random.choice(LIVES))

    def _make(self) -> Action:
        self.made += 1
        # Few names, so that names come back.
        free = [name for name in (f"p-{number}" for number in range(2 * MOST_PODS)) if name not in self.there]
        name = free[self.made % len(free)]
        self.there[name] = self.number
        return self._made(name, "make")

    def _made(self, name: str, what: str) -> Action:
        ask = self.random.choice(ASKS)
        scheduler = objects.OTHER_SCHEDULER if self.random.random() < OTHERS_SHARE else objects.SCHEDULER
        if not ask.startswith("map"):
            return Action(what, name, ask, scheduler=scheduler)
        owner = f"set-{self.random.randrange(2)}" if ask == "map of a set" else ""
        # Pods of a set name the same few GPUs, so that they meet.
        node = self.random.choice(sorted(NODES)) if not owner else "eight-b" if owner == "set-0" else "four-b"
        count = self.random.randint(1, 2)
        ids = self.random.sample(range(NODES[node]) if not owner else range(3), count)
        return Action(what, name, ask, f"{node}:{','.join(map(str, sorted(ids)))}", owner, scheduler)


class Storm:
    """Carries a plan out, so many actions per second, until it is stopped."""

    def __init__(self, api: Api, seed: int, namespace: str, actions_per_second: float):
        self.api, self.namespace = api, namespace
        self.pause_seconds = 1 / actions_per_second
        self.plan = Plan(seed)
        self.agents = Agents(api, {name: NODES[name] for name in AGENT_NODES})
        self.foreign = ForeignScheduler(api, namespace)
        self.actions = 0
        self.failure: Exception | None = None
        self.owners: dict[str, str] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="storm", daemon=True)

    def prepare(self) -> None:
        """Everything that pods refer to."""
        for name in NODES:
            self.make_node(name)
        self.agents.prepare()
        for name, (count, exclusivity) in CLAIM_SHAPES.items():
            self.insist("POST", CLAIMS.format(self.namespace), objects.claim(name, count, exclusivity))
        for name in ("set-0", "set-1"):
            path = f"/api/v1/namespaces/{self.namespace}/configmaps"
            self.insist("POST", path, {"metadata": {"name": name}})
            self.owners[name] = self.insist("GET", f"{path}/{name}")["metadata"]["uid"]

    def make_node(self, name: str) -> None:
        gpus, more = NODES[name], {"nvidia.com/gpu.shared": SHARED_PARTS[name]} if name in SHARED_PARTS else {}
        if name in AMD_NODES:
            gpus, more = 0, {"amd.com/gpu": gpus}
        objects.make_node(self.api, name, gpus, more)

    def start(self) -> None:
        self.agents.start()
        self._thread.start()

    def stop(self) -> None:
        """Nothing happens any more; agents go on."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=120)

    def close(self) -> None:
        self.stop()
        self.agents.stop()

    @property
    def problem(self) -> str:
        """What makes the run worthless; empty: nothing."""
        failure = self.failure or self.agents.failure
        return f"the storm failed: {failure!r}" if failure else ""

    def insist(self, method: str, path: str, body=None, content_type: str = "application/json") -> dict:
        return self.api.insist(method, path, body, content_type)[1]

    def _run(self) -> None:
        try:
            for action in self.plan:
                if self._stop.wait(self.pause_seconds):
                    return
                self._do(action)
                self.actions += 1
        except Exception as error:  # the runner looks at it
            self.failure = error

    def _do(self, action: Action) -> None:
        getattr(self, "do_" + action.what.replace(" ", "_"))(action)

    def pod_path(self, action: Action) -> str:
        return f"{PODS.format(self.namespace)}/{action.name}"

    def do_make(self, action: Action) -> None:
        made = objects.pod(action.name, action.ask, action.text, action.owner, self.owners.get(action.owner, ""),
                           action.scheduler)
        status, answer = self.api.insist("POST", PODS.format(self.namespace), made)
        if status == 409 and self.insist("GET", self.pod_path(action)).get("metadata", {}).get("deletionTimestamp"):
            self.do_force_delete(action)  # one of that name still terminates
            status, answer = self.api.insist("POST", PODS.format(self.namespace), made)
        if status not in (201, 409):  # 409: the first try was heard
            raise RuntimeError(f"making pod {action.name} was refused: {answer.get('message')}")

    def do_delete(self, action: Action) -> None:
        """As a kubelet lets a pod go: it terminates, and then it is gone."""
        self.insist("DELETE", self.pod_path(action))
        if self.goes_at_once(action):
            self.do_force_delete(action)

    @staticmethod
    def goes_at_once(action: Action) -> bool:
        """Otherwise the pod terminates until its name is needed again."""
        return sum(action.name.encode()) % 3 != 0

    def do_force_delete(self, action: Action) -> None:
        """Its processes do not hear of it."""
        pod = self.api.get(self.pod_path(action))
        if action.seconds and pod and has_running_container(pod):
            self.agents.leave(pod, action.seconds)
        self.insist("DELETE", f"{self.pod_path(action)}?gracePeriodSeconds=0")

    def do_cut_off(self, action: Action) -> None:
        """Somebody else than its kubelet says that the pod has ended, as the garbage collection of pods does."""
        self.set_phase(action, "Running")
        pod = self.api.get(self.pod_path(action))
        if pod and pod["status"]["phase"] == "Running":
            self.agents.leave(pod, action.seconds)
            self.set_status(action, pod, objects.cut_off())

    def do_place_foreign(self, action: Action) -> None:
        count, _, resource = action.ask.partition(" ")
        self.foreign.place(action.name, action.text, resource, int(count), action.scheduler)

    def do_end_foreign(self, action: Action) -> None:
        self.foreign.end(action.name)

    def do_replace(self, action: Action) -> None:
        self.do_force_delete(action)
        self.do_make(action)

    def do_run(self, action: Action) -> None:
        self.set_phase(action, "Running")

    def do_finish(self, action: Action) -> None:
        self.set_phase(action, "Running")
        self.set_phase(action, "Succeeded")

    def do_fail(self, action: Action) -> None:
        self.set_phase(action, "Running")
        self.set_phase(action, "Failed")

    def set_phase(self, action: Action, phase: str) -> None:
        """Only of a pod that is bound: an unbound one has no kubelet."""
        pod = self.insist("GET", self.pod_path(action))
        if pod.get("spec", {}).get("nodeName") and pod["status"]["phase"] in ("Pending", "Running"):
            self.set_status(action, pod, objects.status(phase))

    def set_status(self, action: Action, pod: dict, status: dict) -> None:
        change = {"metadata": {"uid": pod["metadata"]["uid"]}, "status": status}
        self.insist("PATCH", f"{self.pod_path(action)}/status", change, MERGE_PATCH)

    def do_make_again(self, action: Action) -> None:
        self.insist("DELETE", f"/api/v1/nodes/{action.name}")
        self.make_node(action.name)

    def let_go(self) -> None:
        """Ends what still terminates, as kubelets would."""
        for pod in self.insist("GET", PODS.format(self.namespace))["items"]:
            if pod["metadata"].get("deletionTimestamp"):
                self.do_force_delete(Action("force delete", pod["metadata"]["name"]))
