"""Processes of the scheduler, and which of them leads."""

import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scheduler"))

from scheduler_process import Scheduler, wait_until  # noqa: E402
from free_ports import pick  # noqa: E402  # of tools/cluster, which scheduler_process knows the way to

import fence  # noqa: E402
from api import Api  # noqa: E402

PATIENCE_SECONDS = 60


@dataclass(frozen=True)
class Release:
    """What all replicas of one installation have in common."""
    program: Path
    kubeconfig: Path
    folder: Path  # for logs
    namespace: str
    scheduler_name: str = "gpu-scheduler"
    release_timeout: str = "5s"
    lease: tuple[str, str] = ("4s", "3s")  # its duration, and the renew deadline


class Replica(Scheduler):
    """`uid` is that of the pod it would run in; it comes back when a container restarts."""

    def __init__(self, release: Release, uid: str, *flags: str, program: Path | None = None,
                 kubeconfig: Path | None = None):
        self.uid, self.port = uid, pick(1)[0]
        self.log = release.folder / f"{uid}-{self.port}.log"
        self.recording = self.log.with_suffix(".rec")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [program or release.program, "--kubeconfig", kubeconfig or release.kubeconfig,
                 "--namespace", release.namespace,
                 "--scheduler-name", release.scheduler_name, "--pod-uid", uid, "--pod-name", uid,
                 "--listen", f"127.0.0.1:{self.port}", "--lease-duration", release.lease[0],
                 "--renew-deadline", release.lease[1],
                 "--retry-period", "500ms", "--release-timeout", release.release_timeout, "--log-level", "debug",
                 "--record", self.recording, *flags],
                stdout=log, stderr=log)

        self._has_led = False

    def leads(self) -> bool:
        self._has_led = self._has_led or super().leads()
        return self._has_led

    def why_not_ready(self) -> str:
        """What /ready says while it says no."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/ready", timeout=5):
                return ""
        except urllib.error.HTTPError as refusal:
            return refusal.read().decode()
        except OSError:
            return ""

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    @property
    def is_stopped(self) -> bool:
        """By SIGSTOP."""
        try:
            state = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        except OSError:
            return False
        return state in ("T", "t")

    @property
    def memory_kib(self) -> int:
        """What of it lies in memory; 0: it has ended."""
        try:
            pages = int(Path(f"/proc/{self.process.pid}/statm").read_text(encoding="utf-8").split()[1])
        except (OSError, IndexError):
            return 0
        return pages * os.sysconf("SC_PAGE_SIZE") // 1024

    def pause(self) -> None:
        self.process.send_signal(signal.SIGSTOP)
        if not wait_until(lambda: self.is_stopped or not self.is_running, PATIENCE_SECONDS):
            raise TimeoutError(f"{self.uid} does not stop")

    def wake(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        if self.is_running:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait(timeout=PATIENCE_SECONDS)


class Replicas:
    """Some replicas of one release. Requires: one thread."""

    def __init__(self, api: Api, release: Release, wanted: int, tell_start: Callable[[str], None] = lambda name: None):
        """`tell_start`: is called with the schedulerName before a process starts."""
        self.api, self.release, self.wanted, self.tell_start = api, release, wanted, tell_start
        self.members: list[Replica] = []
        self.count = 0

    def add(self, *flags: str, uid: str = "", program: Path | None = None, kubeconfig: Path | None = None,
            **settings) -> Replica:
        """Like the release, but for what is given; `settings`: fields of Release."""
        self.count += 1
        name = uid or f"{self.release.scheduler_name}-{self.count}"
        self.tell_start(self.release.scheduler_name)
        replica = Replica(replace(self.release, **settings), name, *flags, program=program, kubeconfig=kubeconfig)
        self.members.append(replica)
        return replica

    def refill(self) -> None:
        """Replaces what has ended, and what sleeps."""
        for member in [member for member in self.members if member.is_stopped]:
            member.wake()
        self.members = [member for member in self.members if member.is_running]
        while len(self.members) < self.wanted:
            self.add()

    def leader(self) -> Replica | None:
        """The one that the fence names, if it is one of ours and alive."""
        uid = fence.leader_of(self.api, self.release.scheduler_name)
        return next((member for member in self.members if member.uid == uid and member.is_running), None)

    def wait_for_leader(self, other_than: tuple[Replica, ...] = ()) -> Replica:
        """One that has said that it leads, not only stands in the fence."""
        return self._wait_for_leader(other_than)

    def start(self) -> Replica:
        """As a Deployment does: what ends is replaced, also whoever has yet to notice that it must end."""
        return self._wait_for_leader((), each_time=self.refill)

    def _wait_for_leader(self, other_than: tuple[Replica, ...], each_time=lambda: None) -> Replica:
        found: list[Replica] = []

        def leads() -> bool:
            each_time()
            leader = self.leader()
            found[:] = [leader] if leader and leader not in other_than and leader.leads() else []
            return bool(found)

        if not wait_until(leads, PATIENCE_SECONDS):
            raise TimeoutError(f"no other replica took the lead; there are {[m.uid for m in self.members]}")
        return found[0]

    def close(self) -> None:
        for member in self.members:
            if member.is_running:
                member.kill()
