"""What a machine needs before a real node can run on it, checked before anything is made, named in one message."""

import os
import shutil
from pathlib import Path

from failures import Unavailable
from real_node import cgroups

SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
PACKAGES = {"containerd": "containerd", "ctr": "containerd", "runc": "runc", "busybox": "busybox-static",
            "ip": "iproute2", "unshare": "util-linux", "nsenter": "util-linux", "mount": "mount"}
PLUGIN_FOLDERS = (Path("/usr/lib/cni"), Path("/opt/cni/bin"))
PLUGINS = ("bridge", "host-local", "loopback")


def program(name: str) -> str | None:
    return shutil.which(name, path=SYSTEM_PATH)


def plugin_folder() -> Path | None:
    """The first folder with every network plugin that a node uses."""
    return next((folder for folder in PLUGIN_FOLDERS if all((folder / name).exists() for name in PLUGINS)), None)


def root_is_a_mount(mountinfo: str) -> bool:
    """False in a chroot, where no container can start: pivot_root needs a mount to leave."""
    return any(line.split()[4] == "/" for line in mountinfo.splitlines())


def missing() -> list[str]:
    found = [] if os.geteuid() == 0 else ["root"]
    found += [f"{name} (Debian package {package})" for name, package in PACKAGES.items() if not program(name)]
    if not plugin_folder():
        found.append("network plugins (Debian package containernetworking-plugins)")
    if not root_is_a_mount(Path("/proc/self/mountinfo").read_text(encoding="utf-8")):
        found.append("a root folder that is a mount (this is a chroot)")
    if not cgroups.parents():
        found.append("cgroups below /sys/fs/cgroup")
    found += [f"cgroup controller {controller}" for controller in cgroups.missing_controllers()]
    return found


def refuse(what: str) -> None:
    raise Unavailable(f"a real node cannot run here, so tests on one are skipped. Missing: {what}")


def check() -> None:
    if found := missing():
        refuse(", ".join(found))
