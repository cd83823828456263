"""Starts a real node of a plane, waits until it is Ready, and takes it down without a trace.

The node is one process tree in namespaces of its own (init.py), so that nothing of it survives its first process.
"""

import http.client
import json
import os
import re
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import descendants
import go_build
import nodes
import pki
from api_client import MERGE_PATCH
from failures import Failed
from plane import NODE_PARTS, Plane
from processes import Remembered, wait_until
from real_node import cgroups, images, init, network, requirements, settings
from tool_table import BY_NAME

SECONDS_TO_START = 90
HERE = Path(__file__).resolve().parent
NAMESPACES = ("--mount", "--net", "--pid", "--ipc", "--uts")  # and one of control groups, which init.py makes
ENVIRONMENT = {"PATH": requirements.SYSTEM_PATH, "HOME": "/root", "LANG": "C.UTF-8"}


@dataclass
class RealNode:
    """One node of a plane, found by its folder. What has to be removed is written down before it is made."""
    plane: Plane
    name: str

    @property
    def folder(self) -> Path:
        return self.plane.node_folder(self.name)

    def part(self, name: str) -> Remembered:
        return self.plane.component(f"{self.name}/{name}")

    @property
    def groups(self) -> list[Path]:
        return [Path(path) for path in self.read("groups")]

    @property
    def addresses(self) -> network.Addresses | None:
        number = self.read("network")
        return network.Addresses(number) if isinstance(number, int) else None

    def read(self, name: str):
        try:
            return json.loads((self.folder / f"{name}.json").read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return []

    def write(self, name: str, value) -> None:
        (self.folder / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")

    @property
    def init_pid(self) -> int | None:
        """The process that is number 1 inside: the only child of `unshare`."""
        pid = self.part("init").pid
        return next((child for child, parent in descendants.parents().items() if pid and parent == pid), None)


def check_name(name: str) -> None:
    if not re.fullmatch(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", name):
        raise Failed(f"'{name}' cannot name a node; use small letters, digits and dashes")


def claim(node: RealNode) -> None:
    node.folder.parent.mkdir(exist_ok=True)
    try:
        node.folder.mkdir()
    except FileExistsError as error:
        raise Failed(f"plane {node.plane.name} has a node {node.name} already; end it with: "
                     f"cluster node down {node.name}") from error


def wait_for(node: RealNode, part: str, is_ready) -> None:
    component = node.part(part)

    def is_ready_or_dead() -> bool:
        return component.pid is None or is_ready()

    in_time = wait_until(is_ready_or_dead, SECONDS_TO_START)
    if component.pid is None or not in_time:
        what = f"was not ready after {SECONDS_TO_START} s" if component.pid else "ended while it started"
        raise Failed(f"{part} of node {node.name} {what}. Its last words:\n{component.last_lines()}")


def start_init(node: RealNode) -> None:
    """Namespaces and mounts are what a machine may refuse."""
    node.write("groups", [str(parent / f"gs-node-{os.urandom(4).hex()}") for parent in cgroups.parents()])
    try:
        cgroups.make_all(node.groups)
    except OSError as error:
        requirements.refuse(f"control groups of its own ({error})")
    command = ["unshare", *NAMESPACES, "--propagation", "private", "--fork", "--kill-child", "--mount-proc",
               sys.executable, str(HERE / "init.py"), str(node.folder), str(BY_NAME["kubelet"].path)]
    node.part("init").start(command, tied_to_us=False, environment=ENVIRONMENT,
                            before=lambda: cgroups.join(cgroups.homes(node.groups)))
    try:
        wait_for(node, "init", (node.folder / "init-is-ready").exists)
    except Failed:
        said = node.part("init").last_lines()
        if re.search(r"not permitted|[Pp]ermission denied|Read-only file system|Device or resource busy", said):
            requirements.refuse(f"namespaces and mounts of its own:\n{said}")
        raise


def inside(node: RealNode, *command: str) -> list[str]:
    return ["nsenter", "--target", str(node.init_pid), *NAMESPACES, "--cgroup", "--wd=/", "--", *command]


def start_inside(node: RealNode, part: str, *command: str) -> None:
    node.part(part).start(inside(node, *command), tied_to_us=False, environment=ENVIRONMENT,
                          before=lambda: cgroups.join(cgroups.homes(node.groups)))


def start_network(node: RealNode) -> None:
    addresses = network.lay_cable(node.init_pid)
    node.write("network", addresses.number)
    network.connect(addresses, node.init_pid)
    port = str(node.plane.state.apiserver_port)
    forwarder = [sys.executable, str(HERE / "api_forwarder.py")]
    node.part("api-forwarder").start([*forwarder, addresses.machine, port, "127.0.0.1", port], tied_to_us=False,
                                     environment=ENVIRONMENT)
    start_inside(node, "service-forwarder", *forwarder, network.API_SERVICE, "443", addresses.machine, port)


def write_settings(node: RealNode) -> None:
    """The kubelet verifies the API server by a name in its certificate, as its own way there is another address."""
    plane, folder = node.plane, node.folder
    (folder / "cni").mkdir()
    (folder / "cni" / "pods.conflist").write_text(settings.pod_network(node.addresses), encoding="utf-8")
    (folder / "containerd.toml").write_text(settings.containerd(requirements.plugin_folder()), encoding="utf-8")
    (folder / "kubelet.json").write_text(settings.kubelet(), encoding="utf-8")
    shutil.copy(plane.pki / "ca.crt", folder)
    user = f"node-{node.name}"
    pki.make_certificate(plane.pki, user, "ca", f"/O=system:nodes/CN=system:node:{node.name}", pki.CLIENT)
    plane.write_kubeconfig(user, folder / "kubelet.kubeconfig", node.addresses.machine)


def start_containerd(node: RealNode, archives: list[Path]) -> None:
    ctr = inside(node, "ctr", "--namespace", "k8s.io")
    images.write_archive(node.folder / "images.tar", Path(requirements.program("busybox")))
    start_inside(node, "containerd", "containerd", "--config", f"{init.NODE}/containerd.toml")
    wait_for(node, "containerd", lambda: network.run([*ctr, "version"]).returncode == 0)
    for number, archive in enumerate(archives):
        shutil.copy(archive, node.folder / f"images-{number}.tar")
    for file in sorted(node.folder.glob("images*.tar")):
        network.expect([*ctr, "images", "import", "--snapshotter", "native", f"{init.NODE}/{file.name}"])


def is_ready(node: RealNode) -> bool:
    with node.plane.client() as client:
        status, answer = client.request("GET", f"/api/v1/nodes/{node.name}")
    conditions = answer["status"].get("conditions", []) if status == 200 else []
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)


def start_kubelet(node: RealNode) -> None:
    start_inside(node, "kubelet", str(init.KUBELET), f"--config={init.NODE}/kubelet.json",
                 f"--kubeconfig={init.NODE}/kubelet.kubeconfig", f"--hostname-override={node.name}",
                 f"--node-ip={node.addresses.node}")
    wait_for(node, "kubelet", lambda: is_ready(node))


def finish_object(node: RealNode, gpus: int) -> None:
    """The kubelet keeps resources that others add to its node."""
    path = f"/api/v1/nodes/{node.name}"
    with node.plane.client() as client:
        nodes.remove_new_node_taint(client, node.name)
        if gpus:
            room = {"nvidia.com/gpu": str(gpus)}
            body = {"status": {"capacity": room, "allocatable": room}}
            nodes.expect(*client.request("PATCH", f"{path}/status", body, MERGE_PATCH), f"adding GPUs to {node.name}")


def up(plane: Plane, name: str, gpus: int, archives: list[Path]) -> float:
    """Starts a node and returns how many seconds that took. When it fails, nothing is left of it."""
    check_name(name)
    requirements.check()
    go_build.build(BY_NAME["kubelet"])
    started = time.monotonic()
    node = RealNode(plane, name)
    claim(node)
    try:
        start_init(node)
        start_network(node)
        write_settings(node)
        start_containerd(node, archives)
        start_kubelet(node)
        finish_object(node, gpus)
    except BaseException:
        remove(node)
        raise
    return time.monotonic() - started


def remove(node: RealNode) -> None:
    """Everything but the object in the API server, which may be gone by now."""
    for part in reversed(NODE_PARTS):
        node.part(part).stop()
    if node.addresses:
        network.remove(node.addresses)
    if left := cgroups.remove(node.groups):
        raise Failed(f"control groups of node {node.name} still have processes: {' '.join(map(str, left))}")
    shutil.rmtree(node.folder)


def down(plane: Plane, name: str) -> None:
    if name not in plane.node_names():
        raise Failed(f"plane {plane.name} has no real node {name}; it has {', '.join(plane.node_names()) or 'none'}")
    remove(RealNode(plane, name))
    try:
        with plane.client() as client:
            client.request("DELETE", f"/api/v1/nodes/{name}")
    except (OSError, http.client.HTTPException):
        pass  # a plane without an API server has no object to delete
