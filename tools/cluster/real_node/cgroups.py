"""The control groups of a real node: one in each hierarchy, which the node sees as the root, removed with the node.

With cgroup v1 they lie below the group of this process, so that limits on this process hold for the node as well. With
cgroup v2 they lie at the top, because a group with processes in it cannot hand controllers down.
"""

import os
from pathlib import Path

from processes import wait_until
from real_node.init import LEAF

UNIFIED = Path("/sys/fs/cgroup")
CPUSET_FILES = ("cpuset.cpus", "cpuset.mems")  # a cpuset without them takes no process
CONTROLLERS = ("cpu", "cpuset", "memory", "pids")  # what a kubelet asks for
SECONDS_TO_EMPTY = 10


def is_unified() -> bool:
    return (UNIFIED / "cgroup.controllers").exists()


def missing_controllers() -> list[str]:
    """Of cgroup v2, where they can be bound to v1 hierarchies or not handed to a container."""
    if not is_unified():
        return []
    offered = (UNIFIED / "cgroup.controllers").read_text(encoding="utf-8").split()
    return [controller for controller in CONTROLLERS if controller not in offered]


def own_groups(text: str) -> dict[frozenset[str], str]:
    """From /proc/self/cgroup: the path of this process for each set of v1 controllers."""
    lines = [line.split(":", 2) for line in text.splitlines()]
    return {frozenset(controllers.split(",")): path for _, controllers, path in lines if controllers}


def parents_v1(own: dict[frozenset[str], str], mountinfo: str) -> list[Path]:
    """The folder of this process's group in each v1 hierarchy that is mounted below /sys/fs/cgroup."""
    found = []
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        root, mount_point = before.split()[3:5]
        kind, _, options = after.split()[:3]
        path = next((path for names, path in own.items() if names <= set(options.split(","))), None)
        if kind == "cgroup" and path is not None and Path(mount_point).is_relative_to(UNIFIED):
            below = os.path.relpath(path, root)
            found.append(Path(mount_point) / ("." if below.startswith("..") else below))
    return found


def parents() -> list[Path]:
    """Where groups of nodes are made; empty where there are no control groups."""
    if is_unified():
        return [UNIFIED]
    own = own_groups(Path("/proc/self/cgroup").read_text(encoding="utf-8"))
    return parents_v1(own, Path("/proc/self/mountinfo").read_text(encoding="utf-8"))


def hand_controllers_down() -> None:
    """At the top of cgroup v2, as every container runtime does. What is handed down already stays as it is."""
    has = (UNIFIED / "cgroup.subtree_control").read_text(encoding="utf-8").split()
    for controller in (UNIFIED / "cgroup.controllers").read_text(encoding="utf-8").split():
        if controller in CONTROLLERS and controller not in has:
            (UNIFIED / "cgroup.subtree_control").write_text(f"+{controller}")


def homes(folders: list[Path]) -> list[Path]:
    """Where the processes of the node itself are: with cgroup v2 only a leaf may have processes."""
    return [folder / LEAF for folder in folders] if is_unified() else folders


def make_all(folders: list[Path]) -> None:
    if is_unified():
        hand_controllers_down()
    make(folders)
    if homes(folders) != folders:
        make(homes(folders))


def make(folders: list[Path]) -> None:
    for folder in folders:
        folder.mkdir()
        for name in CPUSET_FILES:
            if (folder / name).exists() and not is_unified():
                (folder / name).write_text((folder.parent / name).read_text())


def join(folders: list[Path]) -> None:
    """Moves the calling process."""
    for folder in folders:
        (folder / "cgroup.procs").write_text("0")


def remove_now(folder: Path) -> bool:
    """Whether it is gone; a group with processes stays."""
    for path, _, _ in os.walk(folder, topdown=False):
        try:
            os.rmdir(path)
        except OSError:
            pass
    return not folder.exists()


def remove(folders: list[Path]) -> list[Path]:
    """Waits until the processes in them are gone, and returns those that would not go."""
    return [folder for folder in folders if not wait_until(lambda: remove_now(folder), SECONDS_TO_EMPTY, 0.05)]
