"""Starts a plane, waits until it can be used, restarts a component, and takes everything down again."""

import http.client
import shutil
import time

import free_ports
import go_build
import pki
import real_node.lifecycle
from api_client import answers
from components import command_of
from failures import Failed
from plane import COMPONENTS, Plane, State
from processes import wait_until
from tool_table import CONTROL_PLANE

SECONDS_TO_START = 120
ATTEMPTS = 3  # of finding ports that nobody takes in the same moment


class PortTaken(Failed):
    """Somebody else was faster; other ports will do."""


def etcd_is_ready(plane: Plane) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", plane.state.etcd_port, timeout=5)
    try:
        connection.request("GET", "/health")
        return b'"true"' in connection.getresponse().read()
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def is_ready(plane: Plane, name: str) -> bool:
    """The controller manager has proved itself when pods can be made, for which they need this account."""
    if name == "etcd":
        return etcd_is_ready(plane)
    path = "/readyz" if name == "kube-apiserver" else "/api/v1/namespaces/default/serviceaccounts/default"
    return answers(plane.state.apiserver_port, plane.pki, path)


def raise_for_death(plane: Plane, name: str) -> None:
    component = plane.component(name)
    kind = PortTaken if "address already in use" in component.last_lines(1000) else Failed
    raise kind(f"{name} of plane {plane.name} ended while it started. Its last words:\n{component.last_lines()}")


def start(plane: Plane, name: str, *, tied_to_us: bool) -> None:
    """Returns when the component is ready."""
    component = plane.component(name)
    component.start(command_of(name, plane), tied_to_us=tied_to_us)

    def is_ready_or_dead() -> bool:
        return component.pid is None or is_ready(plane, name)

    in_time = wait_until(is_ready_or_dead, SECONDS_TO_START)
    if component.pid is None:
        raise_for_death(plane, name)
    if not in_time:
        raise Failed(f"{name} of plane {plane.name} was not ready after {SECONDS_TO_START} s. Its last words:\n"
                     f"{component.last_lines()}")


def claim_folder(plane: Plane) -> None:
    """One plane per folder, also when two start in the same moment, and no folder with files of somebody else."""
    plane.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not plane.exists() and any(plane.folder.iterdir()):
        raise Failed(f"{plane.folder} is not empty; choose a folder that is empty or does not exist")
    try:
        plane.save("x")
    except FileExistsError as error:
        raise Failed(f"there is a plane in {plane.folder} already; end it with: cluster down --name {plane.name}, "
                     "or choose another --name or --dir") from error


def start_components(plane: Plane, *, tied_to_us: bool) -> None:
    ports = free_ports.pick(3)
    plane.state.etcd_port, plane.state.etcd_peer_port, plane.state.apiserver_port = ports
    plane.save()
    plane.write_kubeconfigs()
    for name in COMPONENTS[:3]:
        start(plane, name, tied_to_us=tied_to_us)


def start_with_free_ports(plane: Plane, *, tied_to_us: bool) -> None:
    for attempt in range(1, ATTEMPTS + 1):
        try:
            start_components(plane, tied_to_us=tied_to_us)
            return
        except PortTaken:
            stop_all(plane)
            shutil.rmtree(plane.folder / "etcd", ignore_errors=True)
            if attempt == ATTEMPTS:
                raise


def up(plane: Plane, state: State, *, tied_to_us: bool) -> float:
    """Starts a plane and returns how many seconds that took. When it fails, nothing is left running."""
    go_build.build_all(CONTROL_PLANE)
    started = time.monotonic()
    plane.state = state
    claim_folder(plane)
    try:
        pki.make_all(plane.pki)
        plane.link_tools()
        start_with_free_ports(plane, tied_to_us=tied_to_us)
    except BaseException:
        down(plane)
        raise
    return time.monotonic() - started


def stop_all(plane: Plane) -> None:
    """In the reverse order of starting, each after the one before is gone."""
    for name in plane.node_names():
        real_node.lifecycle.remove(real_node.lifecycle.RealNode(plane, name))
    for name in reversed(COMPONENTS):
        plane.component(name).stop()


def down(plane: Plane, *, keeps_folder: bool = False) -> None:
    stop_all(plane)
    if not keeps_folder:
        shutil.rmtree(plane.folder)


def restart(plane: Plane, name: str) -> None:
    component = plane.component(name)
    if component.name not in COMPONENTS:
        raise Failed("a part of a node cannot restart alone; take the node down and up: cluster node down, up")
    component.stop()
    start(plane, component.name, tied_to_us=False)
