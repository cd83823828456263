"""Everything that a storm blows around: a cluster, the proxy, the replicas, the recorder with the checker behind it."""

import json
import os
import time
from collections import defaultdict
from pathlib import Path

import objects
from api import CLAIMS, LEASES, PODS, Api
from checker import Checker, Gpu, Rules
from end_state import complaints
from event import ADDED, DELETED, Event, annotations, is_terminal
from history import Recorder
from fault_proxy import Proxy
from relay import Relay
from replicas import Release, Replicas, wait_until

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ.get("GS_PROGRAMS", ROOT / "build" / "dev" / "bin"))
CRDS = ROOT / "charts" / "gpu-scheduler" / "crds" / "crds.yaml"
NAMESPACE = "storm"  # of pods
HOME = "release"  # of the release that the faults are for
# Another one, which stands beside it all the time, and what becomes of it when it is renamed.
OTHER_NAME, OTHER_HOME, RENAMED = objects.OTHER_SCHEDULER, "other-release", "renamed-scheduler"
PATIENCE_SECONDS = 90
MOST_EVENTS_OF_A_GPU = 40


def about_lease(event: Event) -> tuple[list[Gpu], str]:
    written = annotations(event.object)
    if "gpu.scheduling/gpu" not in written:
        return [], ""
    holders = json.loads(written.get("gpu.scheduling/holders", "[]"))
    whom = ", ".join(f"{holder['name']} ({holder['uid']})" for holder in holders)
    gpu = (written["gpu.scheduling/node"], int(written["gpu.scheduling/gpu"]))
    return [gpu], "deleted" if event.change == DELETED else f"for {whom}"


def about_pod(event: Event, is_first: bool) -> str:
    pod = event.object
    if event.change == DELETED:
        state = "gone"
    elif is_terminal(pod):
        state = pod["status"]["phase"]
    else:
        state = "terminates" if pod["metadata"].get("deletionTimestamp") else "bound"
    result = annotations(pod).get("gpu.scheduling/allocated", "nothing")
    return f"({event.uid}) {state}, says {result}" + (" first" if is_first else "")


class World:
    """Requires: the CRDs are there. `restart_server` is absent where the cluster is not ours.

    The schedulers' way to the server is through the proxy, or through the relay, which does not know requests but leaves them
    what they are.
    """

    def __init__(self, kubeconfig: Path, kubectl: str, folder: Path, program: Path, restart_server=None, *, on_wire: bool = False):
        self.folder, self.kubeconfig, self.restart_server = folder, kubeconfig, restart_server
        self.api = Api(kubeconfig, kubectl)
        self.checker = Checker(Rules(scheduler_names=frozenset({objects.SCHEDULER, OTHER_NAME, RENAMED})))
        self.trail: dict[Gpu, list[str]] = defaultdict(list)
        self._last_words: dict[str, str] = {}  # by UID
        self.recorder = Recorder(self.api, folder / "history.jsonl", self._see)
        self.proxy = Proxy(PROGRAMS / "gs-fault-proxy", kubeconfig, folder)
        self.relay = Relay(kubeconfig, folder) if on_wire else None
        self.way = self.relay.kubeconfig if self.relay else self.proxy.kubeconfig
        self.lab = PROGRAMS / "gs-scheduler-lab"
        self.replicas = self.replicas_of(Release(program, self.way, folder, HOME), wanted=2)
        # Its requests meet no faults, so that those that do are known to be of the first.
        self.others = self.replicas_of(Release(program, kubeconfig, folder, OTHER_HOME, OTHER_NAME), wanted=1)

    def replicas_of(self, release: Release, wanted: int) -> Replicas:
        return Replicas(self.api, release, wanted, self._note_start)

    def _note_start(self, scheduler: str) -> None:
        started = {"metadata": {"name": scheduler}}
        self.recorder.tell(Event("starts", ADDED, time.monotonic_ns(), time.time(), started))

    def prepare(self) -> None:
        for name in (NAMESPACE, HOME, OTHER_HOME):
            self.api.insist("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
        account = f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts/default"
        self.wait(lambda: self.api.get(account) is not None, "pods can be made")
        self.wait(lambda: self.api.get(CLAIMS.format(NAMESPACE)) is not None, "claims can be made")
        self.recorder.start()

    def close(self) -> None:
        self.replicas.close()
        self.others.close()
        self.proxy.close()
        if self.relay:
            self.relay.close()
        self.recorder.stop()

    # --- what happened --------------------------------------------------------------------------------------------

    def _see(self, event: Event) -> None:
        self.checker.see(event)
        if event.kind in ("pods", "leases"):
            self._note(event)

    def _note(self, event: Event) -> None:
        """Keeps the last words about each GPU, so that a violation can be told in few lines."""
        if event.kind == "leases":
            gpus, what = about_lease(event)
        else:
            holder = self.checker.holder_of(event.uid)
            gpus, what = (holder.gpus, about_pod(event, is_first=holder.bound is event)) if holder else ((), "")
        if self._last_words.get(event.uid) == what or not gpus:
            return
        self._last_words[event.uid] = what
        when = time.strftime("%H:%M:%S", time.gmtime(event.seconds))
        for gpu in gpus:
            line = f"{when} {event.version:>8} {event.kind.removesuffix('s')} {event.name} {what}"
            self.trail[gpu] = [*self.trail[gpu][1 - MOST_EVENTS_OF_A_GPU:], line]
        if event.change == DELETED:
            del self._last_words[event.uid]

    def bound_pods(self) -> int:
        return self.checker.bound_pods

    def violations(self) -> list[str]:
        """With the history of the GPU that each is about."""
        def look() -> list[str]:
            self.checker.check_until(time.time())
            return [f"{found}\n" + "".join(f"      {line}\n" for line in self.trail.get(found.gpu, []))
                    for found in self.checker.violations]
        return self.recorder.with_all_told(look)

    def end_complaints(self) -> list[str]:
        return [str(found) for found in self.recorder.with_all_told(lambda: complaints(self.checker))]

    # --- waiting --------------------------------------------------------------------------------------------------

    @staticmethod
    def wait(is_true, what: str, seconds: float = PATIENCE_SECONDS) -> None:
        if not wait_until(is_true, seconds):
            raise TimeoutError(f"it did not come to it in {seconds:.0f} s that {what}")

    # --- by hand --------------------------------------------------------------------------------------------------

    def put_right(self) -> None:
        """After a fault: no rules, nothing held, nobody asleep, all replicas there, one of each release leading."""
        self.proxy.disarm()
        for held in self.proxy.held():
            self.proxy.let(held["id"], "release")
        if self.relay:
            self.relay.let_go()
        self.start_releases()

    def start_releases(self) -> None:
        self.replicas.refill()
        self.others.start()
        self.replicas.start()

    def gpu_pods(self, scheduler: str) -> list[dict]:
        listed = self.api.insist("GET", PODS.format(NAMESPACE))[1]["items"]
        return [pod for pod in listed if pod["spec"]["schedulerName"] == scheduler]

    def delete_leases(self) -> None:
        for namespace in (HOME, OTHER_HOME):
            self.api.insist("DELETE", f"{LEASES.format(namespace)}?labelSelector=gpu.scheduling%2Fmanaged%3Dtrue")
