"""One throw-away control plane as a folder: its state, its kubeconfigs and its components.

The folder is the whole truth, so any later command can find the plane again. Nothing here starts or stops anything.
"""

import base64
import json
import os
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path

from api_client import ApiClient
from failures import Failed
from processes import Remembered
from tool_table import ALL, cache_folder

PROGRAM = Path(__file__).resolve().parent / "cluster"
# In the order in which they start; they stop in the reverse order.
COMPONENTS = ("etcd", "kube-apiserver", "kube-controller-manager", "kwok")
NODE_PARTS = ("init", "api-forwarder", "service-forwarder", "containerd", "kubelet")
SHORT_NAMES = {"apiserver": "kube-apiserver", "controller-manager": "kube-controller-manager"}

LOOPBACK = "127.0.0.1"
KUBECONFIG = """apiVersion: v1
kind: Config
clusters:
- name: {plane}
  cluster: {{server: "https://{address}:{port}", {checks}certificate-authority-data: {ca}}}
users:
- name: {user}
  user: {{client-certificate-data: {certificate}, client-key-data: {key}}}
contexts:
- name: {plane}
  context: {{cluster: {plane}, user: {user}}}
current-context: {plane}
"""


@dataclass
class State:
    """What a restart needs to know."""
    etcd_port: int = 0
    etcd_peer_port: int = 0
    apiserver_port: int = 0
    apiserver_arguments: list[str] = field(default_factory=list)
    has_node_lifecycle: bool = False


class Plane:
    def __init__(self, name: str, folder: Path | None = None):
        if not re.fullmatch(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", name):
            raise Failed(f"'{name}' cannot name a plane; use small letters, digits and dashes")
        self.name = name
        self.folder = (folder or default_folder(name)).absolute()
        self.pki = self.folder / "pki"
        self.tools = self.folder / "bin"
        self.state = State()

    @property
    def kubeconfig(self) -> Path:
        return self.kubeconfig_of("admin")

    def kubeconfig_of(self, user: str) -> Path:
        return self.folder / f"{user}.kubeconfig"

    def exists(self) -> bool:
        return (self.folder / "state.json").exists()

    def component(self, name: str) -> Remembered:
        """A part of a real node is called NODE/PART."""
        name = SHORT_NAMES.get(name, name)
        if name not in self.component_names():
            raise Failed(f"there is no component '{name}'; there are {', '.join(self.component_names())}")
        folder = self.folder / "nodes" if "/" in name else self.folder
        return Remembered(name, folder / f"{name}.pid", folder / f"{name}.log")

    def component_names(self) -> list[str]:
        return [*COMPONENTS, *(f"{node}/{part}" for node in self.node_names() for part in NODE_PARTS)]

    def components(self) -> list[Remembered]:
        return [self.component(name) for name in self.component_names()]

    def node_folder(self, name: str) -> Path:
        return self.folder / "nodes" / name

    def node_names(self) -> list[str]:
        """The real nodes; nodes that are only objects are not in the folder."""
        folder = self.folder / "nodes"
        return sorted(entry.name for entry in folder.iterdir()) if folder.exists() else []

    def pids(self) -> set[int]:
        return {pid for component in self.components() if (pid := component.pid)}

    def load(self) -> "Plane":
        if not self.exists():
            raise Failed(f"there is no plane in {self.folder}; start one with: cluster up --name {self.name}")
        self.state = State(**json.loads((self.folder / "state.json").read_text(encoding="utf-8")))
        return self

    def save(self, mode: str = "w") -> None:
        """With mode x: fails when there is a plane already."""
        with open(self.folder / "state.json", mode, encoding="utf-8") as file:
            json.dump(asdict(self.state), file)

    def write_kubeconfigs(self) -> None:
        for user in ("admin", "kube-controller-manager", "kube-scheduler"):
            self.write_kubeconfig(user, self.kubeconfig_of(user))

    def write_kubeconfig(self, user: str, file: Path, address: str = LOOPBACK) -> None:
        """At another address than loopback the API server still shows the certificate of localhost."""
        checks = "" if address == LOOPBACK else "tls-server-name: localhost, "
        text = KUBECONFIG.format(plane=self.name, address=address, port=self.state.apiserver_port, checks=checks,
                                 user=user, ca=self._text("ca.crt"), certificate=self._text(f"{user}.crt"),
                                 key=self._text(f"{user}.key"))
        file.touch(mode=0o600)
        file.write_text(text, encoding="utf-8")

    def _text(self, name: str) -> str:
        return base64.b64encode((self.pki / name).read_bytes()).decode()

    def link_tools(self) -> None:
        """A folder for PATH with the tools that are built, under their plain names."""
        self.tools.mkdir(exist_ok=True)
        for tool in ALL:
            link = self.tools / tool.name
            if tool.path.exists() and not link.is_symlink():
                link.symlink_to(tool.path)

    def environment(self) -> dict[str, str]:
        """What a command needs to reach this plane."""
        return {"KUBECONFIG": str(self.kubeconfig), "PATH": f"{self.tools}{os.pathsep}{os.environ['PATH']}",
                "GS_TEST_PLANE": str(self.folder), "GS_CLUSTER_TOOL": str(PROGRAM)}

    def client(self) -> ApiClient:
        return ApiClient(self.state.apiserver_port, self.pki)


def planes_folder() -> Path:
    return cache_folder() / "planes"


def default_folder(name: str) -> Path:
    return planes_folder() / name
