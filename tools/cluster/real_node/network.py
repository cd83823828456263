"""The network of a real node: a cable (veth) between the machine and the node's network namespace.

A node has a /24 out of 198.18.0.0/15, which is set aside for tests: .1 is the machine, .2 the node, the upper half is
for its pods. The name of the cable contains the number of the /24, and the kernel gives a name only once, so nodes that
start in the same moment cannot take the same addresses. The cable goes away with the namespace.
"""

import random
import subprocess
from dataclasses import dataclass

from failures import Failed
from real_node.requirements import SYSTEM_PATH, refuse

NUMBERS = range(512)
API_SERVICE = "10.0.0.1"  # the first of the plane's range, which pods are told and the API server's certificate names


@dataclass(frozen=True)
class Addresses:
    number: int

    @property
    def prefix(self) -> str:
        return f"198.{18 + self.number // 256}.{self.number % 256}"

    @property
    def cable(self) -> str:
        return f"gs-node-{self.number}"

    @property
    def machine(self) -> str:
        return f"{self.prefix}.1"

    @property
    def node(self) -> str:
        return f"{self.prefix}.2"

    @property
    def pods(self) -> str:
        return f"{self.prefix}.128/25"

    @property
    def all(self) -> str:
        return f"{self.prefix}.0/24"


def run(command: list[str]) -> subprocess.CompletedProcess:
    return subprocess.run(command, text=True, capture_output=True, check=False, env={"PATH": SYSTEM_PATH})


def expect(command: list[str]) -> str:
    done = run(command)
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)} failed: {done.stderr.strip()}")
    return done.stdout


def is_used(addresses: Addresses) -> bool:
    """Whether the machine has a route into this /24 already."""
    return bool(expect(["ip", "route", "show", "root", addresses.all]).strip())


def lay_cable(init_pid: int) -> Addresses:
    for number in random.sample(NUMBERS, len(NUMBERS)):
        addresses = Addresses(number)
        if is_used(addresses):
            continue
        done = run(["ip", "link", "add", addresses.cable, "type", "veth", "peer", "name", "eth0",
                    "netns", str(init_pid)])
        if done.returncode == 0:
            return addresses
        if "File exists" not in done.stderr:
            refuse(f"a veth device (ip link add says: {done.stderr.strip()})")
    raise Failed("no free network for a node in 198.18.0.0/15; take nodes down first: cluster node down")


def connect(addresses: Addresses, init_pid: int) -> None:
    inside = ["nsenter", "--target", str(init_pid), "--net", "ip"]
    for command in (["ip", "address", "add", f"{addresses.machine}/30", "dev", addresses.cable],
                    ["ip", "link", "set", addresses.cable, "up"],
                    [*inside, "link", "set", "lo", "up"],
                    [*inside, "address", "add", f"{API_SERVICE}/32", "dev", "lo"],
                    [*inside, "address", "add", f"{addresses.node}/30", "dev", "eth0"],
                    [*inside, "link", "set", "eth0", "up"],
                    [*inside, "route", "add", "default", "via", addresses.machine],
                    ["ip", "route", "add", addresses.pods, "via", addresses.node]):
        expect(command)


def remove(addresses: Addresses) -> None:
    """The kernel removes it with the namespace, but a moment later."""
    run(["ip", "link", "delete", addresses.cable])
