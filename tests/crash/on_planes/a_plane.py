"""A world for a test: on a control plane of its own, on gpu-local, or on the cluster that tests/crash/run was told of."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "local"))

from campaign import fresh_folder  # noqa: E402
from world import CRDS, PROGRAMS, World  # noqa: E402
from processes import Remembered  # noqa: E402  # of tools/cluster
from local_cluster import LocalCluster  # noqa: E402  # of tests/local
from scheduler_process import PlaneUnderTest  # noqa: E402  # of tests/scheduler, which world knows the way to

CLUSTER_TOOL = Path(__file__).resolve().parents[3] / "tools" / "cluster" / "cluster"


def crash_and_restart(plane: PlaneUnderTest) -> None:
    """Nobody gets a word of farewell from the server."""
    server = Remembered("kube-apiserver", plane.folder / "kube-apiserver.pid", plane.folder / "kube-apiserver.log")
    os.kill(server.pid, signal.SIGKILL)
    plane.call("restart", "apiserver")


def a_world(name: str, add_cleanup, *, on_wire: bool = False) -> World:
    """Everything is taken down again by what is given to `add_cleanup`; logs stay."""
    is_local = os.environ.get("GS_CRASH_ENGINE") == "local"
    seed = json.loads(os.environ.get("GS_CRASH_SETTINGS", "{}")).get("seed", 1)
    folder = fresh_folder(f"{name}-local-{seed}" if is_local else name)  # of several that run at the same time
    program = Path(os.environ.get("GS_CRASH_PROGRAM", PROGRAMS / "gpu-scheduler"))
    found = subprocess.run([CLUSTER_TOOL, "path", "kubectl"], check=True, capture_output=True, text=True)
    kubectl = found.stdout.strip()
    restart = None
    given = os.environ.get("GS_CRASH_KUBECONFIG")
    if given:
        kubeconfig = Path(given)
    elif is_local:
        local = LocalCluster("--bare", "--nodes", "none")
        add_cleanup(local.close)
        kubeconfig = local.kubeconfig
        print("on gpu-local, whose API server cannot restart: it forgets everything with its process", flush=True)
    else:
        plane = PlaneUnderTest("crash")
        add_cleanup(plane.close)
        plane.up()
        kubeconfig = plane.folder / "admin.kubeconfig"
        restart = lambda: crash_and_restart(plane)  # noqa: E731
    subprocess.run([kubectl, f"--kubeconfig={kubeconfig}", "apply", "-f", CRDS], check=True, capture_output=True)
    world = World(kubeconfig, kubectl, folder, program, restart, on_wire=on_wire)
    add_cleanup(world.close)
    world.prepare()
    return world
