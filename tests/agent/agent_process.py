"""A gpu-scheduler-agent process on a plane, and what to expect of it."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cluster"))
sys.path.insert(0, str(ROOT / "tests" / "local"))

from support import DEADLINE, PlaneUnderTest, wait_for_kinds, wait_until  # noqa: E402
from free_ports import pick  # noqa: E402  # of tools/cluster, which support knows the way to
from local_cluster import LocalCluster  # noqa: E402

PROGRAMS = Path(os.environ.get("GS_PROGRAMS", ROOT / "build" / "dev" / "bin"))
PROGRAM = PROGRAMS / "gpu-scheduler-agent"
UNPRIVILEGED = 65532  # the user of the image that tools/image makes
CRDS = ROOT / "charts" / "gpu-scheduler" / "crds" / "crds.yaml"


class Plane:
    """A cluster with nodes of these names that have no GPUs of their own."""

    def __init__(self, nodes: list[str]):
        self.is_local = os.environ.get("GS_AGENT_ENGINE") == "local"
        if self.is_local:
            self.cluster = LocalCluster(up=False)
            file = self.cluster.folder / "nodes.yaml"
            file.write_text(json.dumps({"nodes": {name: {} for name in nodes}}), encoding="utf-8")
            done = self.cluster.up("--bare", "--nodes", str(file))
            if done.returncode != 0:
                raise AssertionError(done.stderr)
            self.folder, self.kubeconfig = self.cluster.folder, self.cluster.kubeconfig
            return
        self.cluster = PlaneUnderTest("agent").up()
        self.folder, self.kubeconfig = self.cluster.folder.parent, self.cluster.folder / "admin.kubeconfig"
        self.kubectl("apply", "-f", str(CRDS))
        wait_for_kinds(self.kubectl, "gpunodestatuses")
        for name in nodes:
            self.add_node(name)

    def close(self) -> None:
        self.cluster.close()

    def kubectl(self, *words: str, stdin: str = "") -> str:
        done = self.cluster.kubectl(*words, stdin=stdin)
        return done if self.is_local else done.stdout

    def json(self, *words: str) -> dict:
        return json.loads(self.kubectl(*words, "-o", "json"))

    def create(self, *objects: dict) -> None:
        self.kubectl("create", "-f", "-", stdin="\n---\n".join(json.dumps(item) for item in objects))

    def add_node(self, name: str) -> None:
        self.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}})

    def status(self, node: str) -> dict:
        """The node's GpuNodeStatus; empty if there is none."""
        items = self.json("get", "gns")["items"]
        return next((item for item in items if item["metadata"]["name"] == node), {})

    def devices(self, node: str) -> list[dict]:
        return self.status(node).get("status", {}).get("devices", [])

    def events(self, node: str) -> dict[str, str]:
        """Of the node: what was told last, by reason."""
        items = self.json("get", "events.events.k8s.io", "--namespace", "default")["items"]
        return {item["reason"]: item["note"] for item in items if item["regarding"].get("name") == node}


def unprivileged(plane: Plane, *files: Path) -> Path:
    """A new folder of the user of our image, with the program, a kubeconfig, and copies of these files. The caller removes it."""
    home = Path(tempfile.mkdtemp(prefix="unprivileged-"))
    for file in (PROGRAM, *files):
        shutil.copy(file, home)
    kubeconfig = home / "kubeconfig"
    kubeconfig.write_text(plane.kubectl("config", "view", "--raw", "--flatten"), encoding="utf-8")
    for path in (home, *home.iterdir()):
        os.chown(path, UNPRIVILEGED, UNPRIVILEGED)
    return home


class Agent:
    """Started at once; writes soon, so that nobody has to wait."""

    def __init__(self, plane: Plane, node: str, *more: str, kubelet: str = "off", home: Path | None = None, **environment: str):
        """`home` is that of unprivileged(): the agent runs as its owner, with what is there."""
        program, kubeconfig = (home / PROGRAM.name, home / "kubeconfig") if home else (PROGRAM, plane.kubeconfig)
        account = {"user": UNPRIVILEGED, "group": UNPRIVILEGED, "extra_groups": []} if home else {}
        self.port = pick(1)[0]
        self.log = plane.folder / f"agent-{self.port}.log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [program, "--kubeconfig", kubeconfig, "--node", node, "--pod-resources", kubelet,
                 "--listen", f"127.0.0.1:{self.port}", "--read-interval", "200ms", "--use-delay", "200ms",
                 "--log-level", "debug", *more], stderr=log, env=os.environ | environment, **account)

    def get(self, path: str) -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=DEADLINE) as answer:
            return answer.read().decode()

    def metrics(self) -> dict[str, float]:
        """Each series with its labels, as it is written, and its number; none while nobody answers."""
        try:
            lines = self.get("/metrics").splitlines()
        except OSError:
            return {}
        return {name: float(number) for name, number in (line.rsplit(" ", 1) for line in lines if line[0] != "#")}

    def private_kib(self) -> int:
        """Memory that no other process shares."""
        lines = Path(f"/proc/{self.process.pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
        return sum(int(line.split()[1]) for line in lines if line.startswith(("Private_Clean", "Private_Dirty")))

    def end(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(timeout=DEADLINE)

    def close(self) -> None:
        if self.process.poll() is None:
            self.end(signal.SIGKILL)


__all__ = ["PROGRAM", "PROGRAMS", "ROOT", "UNPRIVILEGED", "Agent", "Plane", "unprivileged", "wait_until"]
