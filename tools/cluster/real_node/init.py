"""The first process of a real node, in namespaces of its own: init.py FOLDER KUBELET.

Makes the file system look like that of a machine of its own (default places for everything; nothing is written outside
FOLDER and no setting of the kernel changes), then waits. When it ends, the kernel ends every process of the node and
undoes every mount and the network, however it ended.
"""

import ctypes
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

NODE = Path("/run/node")  # FOLDER, as the node sees it
KUBELET = Path("/run/kubelet")
PRIVATE = ("var/lib", "var/log")
UNIFIED = Path("/sys/fs/cgroup")
LEAF = "init"  # with cgroup v2, where the processes of the node itself are
CLONE_NEWCGROUP = 0x02000000
# A kubelet sets these for the whole machine; here it gets copies, so that the machine keeps its own.
TUNABLES = ("vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops",
            "kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes")


def mount(*words: str, keep: tuple[int, ...] = ()) -> None:
    subprocess.run(["mount", *words], check=True, pass_fds=keep)


def bind(source: int, target: Path) -> None:
    """The source is an open file: its path may be hidden by now."""
    mount("--bind", f"/proc/self/fd/{source}", str(target), keep=(source,))


def make_private_folders(folder: int, kubelet: int) -> None:
    mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", "/run")
    NODE.mkdir()
    KUBELET.touch()
    bind(folder, NODE)
    bind(kubelet, KUBELET)
    for name in PRIVATE:
        (NODE / name).mkdir(parents=True, exist_ok=True)
        mount("--bind", str(NODE / name), f"/{name}")


def cover_tunables() -> None:
    for name in TUNABLES:
        original, copy = Path("/proc/sys") / name, Path("/run/tunables") / name
        if original.exists():
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(original.read_bytes())
            mount("--bind", str(copy), str(original))


def hierarchies_v1() -> list[str]:
    """The controllers of each v1 hierarchy this process is in, as mount options."""
    lines = Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    return [controllers for line in lines if (controllers := line.split(":", 2)[1])]


def mount_cgroups_v1() -> None:
    mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", str(UNIFIED))
    for controllers in hierarchies_v1():
        target = UNIFIED / controllers.removeprefix("name=")
        target.mkdir()
        mount("-t", "cgroup", "-o", f"none,{controllers}" if "=" in controllers else controllers, "cgroup", str(target))
        for controller in controllers.split(","):
            if "," in controllers:
                (UNIFIED / controller).symlink_to(target.name)


def mount_cgroups_v2() -> None:
    """Only a group without processes hands its controllers down, so this process moves back into the leaf."""
    mount("-t", "cgroup2", "cgroup2", str(UNIFIED))
    (UNIFIED / LEAF / "cgroup.procs").write_text("0")
    for controller in (UNIFIED / "cgroup.controllers").read_text(encoding="utf-8").split():
        (UNIFIED / "cgroup.subtree_control").write_text(f"+{controller}")


def make_groups_the_roots(is_unified: bool) -> None:
    """The groups in which this process is in this moment are the roots for it and all that enter its namespaces."""
    if is_unified:
        lines = Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
        leaf = next(line.removeprefix("0::/") for line in lines if line.startswith("0::/"))
        ((UNIFIED / leaf).parent / "cgroup.procs").write_text("0")
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWCGROUP) != 0:
        raise OSError(ctypes.get_errno(), f"unshare: {os.strerror(ctypes.get_errno())}")


def mount_cgroups() -> None:
    """The new mounts show the groups of this node as the roots."""
    is_unified = (UNIFIED / "cgroup.controllers").exists()
    make_groups_the_roots(is_unified)
    subprocess.run(["umount", "--recursive", "--lazy", str(UNIFIED)], check=True)
    (mount_cgroups_v2 if is_unified else mount_cgroups_v1)()


def reap(*_unused) -> None:
    """Orphans of the whole node become children of this process."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def main(folder: Path, kubelet: Path) -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    folder_fd, kubelet_fd = os.open(folder, os.O_PATH), os.open(kubelet, os.O_PATH)
    socket.sethostname(folder.name)
    mount_cgroups()
    make_private_folders(folder_fd, kubelet_fd)
    cover_tunables()
    signal.signal(signal.SIGCHLD, reap)
    (NODE / "init-is-ready").touch()
    while True:
        signal.pause()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
