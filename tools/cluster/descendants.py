"""Finds and ends what a command left behind: children, their children, and daemons that left their session."""

import os
import signal

import processes


def parents() -> dict[int, int]:
    """The parent of each living process of this machine."""
    found = {}
    for entry in os.listdir("/proc"):
        fields = processes.stat_of(int(entry)) if entry.isdigit() else None
        if fields and fields[0] not in "ZX":
            found[int(entry)] = int(fields[1])
    return found


def below(root: int, spared: set[int]) -> set[int]:
    """Every living descendant of `root`, except the processes in `spared` and what is below those."""
    children: dict[int, list[int]] = {}
    for pid, parent in parents().items():
        children.setdefault(parent, []).append(pid)
    found: set[int] = set()
    waiting = [root]
    while waiting:
        fresh = [pid for pid in children.get(waiting.pop(), []) if pid not in spared]
        found.update(fresh)
        waiting += fresh
    return found


def send(number: int, spared: set[int]) -> None:
    for pid in below(os.getpid(), spared):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def end_all(spared: set[int], patience_seconds: float) -> None:
    """Asks every descendant to stop, waits, and kills the rest. Requires: processes.adopt_orphans() was called."""

    def are_gone() -> bool:
        processes.reap()
        return not below(os.getpid(), spared)

    if are_gone():
        return
    send(signal.SIGTERM, spared)
    if processes.wait_until(are_gone, patience_seconds, 0.05):
        return

    def are_gone_now() -> bool:
        send(signal.SIGKILL, spared)
        return are_gone()

    processes.wait_until(are_gone_now, patience_seconds, 0.05)
