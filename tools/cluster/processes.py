"""Starts background processes, remembers them in files, and stops them so that nothing is left.

A process is remembered by its id and its start time, so an id that the kernel gave to somebody else later is never
signalled. Each one leads a session of its own: a Ctrl-C in the terminal does not reach it, a stop reaches its children.
"""

import ctypes
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import stop_signals
from failures import Failed

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
SECONDS_TO_STOP = 20
libc = ctypes.CDLL(None, use_errno=True)


def stat_of(pid: int) -> list[str] | None:
    """The fields of /proc/PID/stat after the name: state, parent, ...; None when there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None


def start_time(pid: int) -> str | None:
    """None for a process that is gone, or dead and only waiting for its parent to notice."""
    fields = stat_of(pid)
    return None if fields is None or fields[0] in "ZX" else fields[19]


def die_with(parent: int) -> None:
    """Runs in the child: the kernel kills it when the process that started it is gone, however that ended."""
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def adopt_orphans() -> None:
    """Descendants whose parent died become children of this process, so it can find and end them."""
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def without_proxies(environment) -> dict[str, str]:
    """Components talk to each other on this machine, and no proxy of the network may come between."""
    return {name: value for name, value in environment.items() if not name.lower().endswith("_proxy")}


class Remembered:
    """A background process with its log and the file that remembers it."""

    def __init__(self, name: str, pid_file: Path, log_file: Path):
        self.name = name
        self.pid_file = pid_file
        self.log_file = log_file

    def start(self, command: list[str], *, tied_to_us: bool, environment: dict[str, str] | None = None,
              before=lambda: None) -> None:
        """`tied_to_us`: it dies with this process, even when this process is killed. `before` runs in the child."""
        parent = os.getpid()

        def prepare() -> None:
            stop_signals.restore_defaults()
            if tied_to_us:
                die_with(parent)
            before()

        with open(self.log_file, "ab") as log, stop_signals.held_back():
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                       start_new_session=True, cwd=self.log_file.parent, preexec_fn=prepare,
                                       env=without_proxies(os.environ) if environment is None else environment)
            self._remember(process.pid)
        process.returncode = 0  # from here on the pid file speaks for it, in this process and in later ones

    def _remember(self, pid: int) -> None:
        self.pid_file.write_text(json.dumps({"pid": pid, "started": start_time(pid)}), encoding="utf-8")

    @property
    def pid(self) -> int | None:
        """None when it does not run."""
        try:
            remembered = json.loads(self.pid_file.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return None
        pid, started = remembered["pid"], remembered["started"]
        return pid if started is not None and start_time(pid) == started else None

    def stop(self) -> None:
        """Returns when it is gone, so that its ports are free."""
        pid = self.pid
        for number, seconds in ((signal.SIGTERM, SECONDS_TO_STOP), (signal.SIGKILL, SECONDS_TO_STOP)):
            if pid is None or self._ends_after(number, pid, seconds):
                self.pid_file.unlink(missing_ok=True)
                reap_one(pid)
                return
        raise Failed(f"{self.name} (process {pid}) does not die; look at it with: ps {pid}")

    def _ends_after(self, number: int, pid: int, seconds: float) -> bool:
        try:
            os.killpg(pid, number)
        except ProcessLookupError:
            return True
        return wait_until(lambda: self.pid is None, seconds, 0.02)

    def last_lines(self, count: int = 15) -> str:
        try:
            lines = self.log_file.read_text(encoding="utf-8", errors="replace").splitlines()
        except FileNotFoundError:
            lines = []
        return "\n".join(f"  {line[:300]}" for line in lines[-count:])


def reap_one(pid: int | None) -> None:
    try:
        if pid is not None:
            os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        pass  # another process started it


def wait_until(is_true, seconds: float, pause: float = 0.1) -> bool:
    deadline = time.monotonic() + seconds
    while not is_true():
        if time.monotonic() > deadline:
            return False
        time.sleep(pause)
    return True
