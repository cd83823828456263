"""The API servers that the cases run on: a real control plane, gpu-local, or whatever a kubeconfig names."""

import base64
import http.client
import json
import os
import shutil
import ssl
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[2]
CLUSTER = ROOT / "tools" / "cluster" / "cluster"
PROGRAMS = Path(os.environ.get("GS_PROGRAMS", ROOT / "build" / "dev" / "bin"))


class Engine:
    """An API server as a kubeconfig names it, with one context and a client certificate."""

    def __init__(self, name: str, kubeconfig: Path, kubectl: Path):
        self.name = name
        self.kubectl = [str(kubectl), f"--kubeconfig={kubeconfig}", "--cache-dir", tempfile.mkdtemp(prefix="kubectl-")]
        view = subprocess.run([kubectl, f"--kubeconfig={kubeconfig}", "config", "view", "--raw", "--minify", "-o", "json"],
                              check=True, text=True, capture_output=True).stdout
        config = json.loads(view)
        self.address = urlsplit(config["clusters"][0]["cluster"]["server"])
        self.context = tls_of(config["clusters"][0]["cluster"], config["users"][0]["user"])

    def add_node(self) -> str:
        """The name of a node that really runs containers; after it, the engine is for cases that need one."""
        raise unavailable("nobody can add a node to it")

    def connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPSConnection(self.address.hostname, self.address.port, timeout=90, context=self.context)

    def close(self) -> None:
        shutil.rmtree(self.kubectl[-1], ignore_errors=True)


def tls_of(cluster: dict, user: dict) -> ssl.SSLContext:
    with tempfile.TemporaryDirectory() as folder:
        def file_of(entry: dict, name: str) -> str:
            if name in entry:
                return entry[name]
            path = Path(folder) / name
            path.write_bytes(base64.b64decode(entry[f"{name}-data"]))
            return str(path)

        context = ssl.create_default_context(cafile=file_of(cluster, "certificate-authority"))
        context.load_cert_chain(file_of(user, "client-certificate"), file_of(user, "client-key"))
        return context


def tool(name: str) -> Path:
    done = subprocess.run([CLUSTER, "path", name], text=True, capture_output=True, check=False)
    if done.returncode != 0:
        raise unavailable(done.stderr)
    return Path(done.stdout.strip().splitlines()[-1])


class Unavailable(Exception):
    """The engine cannot be had here."""


def unavailable(why: str) -> Unavailable:
    return Unavailable(why.strip() or "no reason given")


class RealPlane(Engine):
    """etcd, kube-apiserver and kube-controller-manager."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="conformance-"))
        self.options = ["--name", "conformance", "--dir", str(self.folder / "plane")]
        done = subprocess.run([CLUSTER, "up", *self.options], text=True, capture_output=True, check=False)
        if done.returncode != 0:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise unavailable(done.stderr)
        super().__init__("real", self.folder / "plane" / "admin.kubeconfig", self.folder / "plane" / "bin" / "kubectl")

    def add_node(self) -> str:
        done = subprocess.run([CLUSTER, "node", "up", "node1", *self.options], text=True, capture_output=True, check=False)
        if done.returncode != 0:
            raise unavailable(done.stderr)
        return "node1"

    def close(self) -> None:
        subprocess.run([CLUSTER, "down", *self.options], check=False, stdout=subprocess.DEVNULL)
        shutil.rmtree(self.folder, ignore_errors=True)
        super().close()


class Local(Engine):
    """gpu-local with API and controllers alone, or with simulated nodes that run the programs they know."""

    def __init__(self, nodes: str = "none"):
        program = PROGRAMS / "gpu-local"
        if not program.exists():
            raise unavailable(f"{program} is not built")
        self.folder = Path(tempfile.mkdtemp(prefix="conformance-"))
        kubeconfig = self.folder / "kubeconfig"
        self.log = open(self.folder / "log", "w", encoding="utf-8")  # noqa: SIM115  closed with the engine
        self.process = subprocess.Popen([program, "up", "--bare", "--nodes", nodes, "--port", "0", "--kubeconfig", kubeconfig],
                                        env=os.environ | {"XDG_RUNTIME_DIR": str(self.folder)}, stdout=subprocess.PIPE,
                                        stderr=self.log, text=True)
        while not kubeconfig.exists():
            line = self.process.stdout.readline()
            if not line:
                sys.exit(f"gpu-local has ended: {(self.folder / 'log').read_text(encoding='utf-8')}")
        super().__init__("local", kubeconfig, tool("kubectl"))

    def add_node(self) -> str:
        self.close()
        self.__init__("laptop")
        return "node1"

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=30)
        self.process.stdout.close()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        super().close()


class Given(Engine):
    def __init__(self, kubeconfig: Path):
        super().__init__("given", kubeconfig, shutil.which("kubectl") or tool("kubectl"))
