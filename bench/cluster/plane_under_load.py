"""The control plane that is measured, and the schedulers on it."""

import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools" / "cluster"), str(ROOT / "tests" / "cluster")]

from api_client import ApiClient  # noqa: E402  found only now
from free_ports import pick  # noqa: E402
from support import wait_for_kinds  # noqa: E402

CLUSTER = ROOT / "tools" / "cluster" / "cluster"
NAMESPACE = "bench"
DEVICE_CLASS = "gpu.bench.example"
GPU_LEASES = "gpu.scheduling%2Fmanaged%3Dtrue"


def tool(name: str) -> str:
    return subprocess.run([CLUSTER, "path", name], check=True, text=True, capture_output=True).stdout.strip()


class Plane:
    """The one that `cluster run` has started for us."""

    def __init__(self, programs: Path):
        self.programs = programs
        self.folder = Path(os.environ["GS_TEST_PLANE"])
        self.pki = self.folder / "pki"
        self.kubeconfig = self.folder / "admin.kubeconfig"
        self.server = re.search(r"https://[^\s\",]+", self.kubeconfig.read_text(encoding="utf-8")).group()
        self.port = int(self.server.rsplit(":", 1)[1])
        self.kube_scheduler = tool("kube-scheduler")
        self.api_server, self.store = (self._process(name) for name in ("kube-apiserver", "etcd"))

    def _process(self, component: str) -> int:
        return json.loads((self.folder / f"{component}.pid").read_text(encoding="utf-8"))["pid"]

    def request(self, method: str, path: str, body=None):
        with ApiClient(self.port, self.pki, timeout_seconds=300) as client:
            status, answer = client.request(method, path, body)
        if status >= 300 and status != 409:
            sys.exit(f"bench/cluster: {method} {path} was answered with {status}: {str(answer)[:500]}")
        return answer

    def prepare(self) -> None:
        crds = ROOT / "charts" / "gpu-scheduler" / "crds" / "crds.yaml"
        program = tool("kubectl")

        def kubectl(*words: str) -> None:
            subprocess.run([program, "--kubeconfig", self.kubeconfig, *words], check=True, capture_output=True)

        kubectl("apply", "-f", str(crds))
        wait_for_kinds(kubectl, "gpuclaims.gpu.scheduling", "gpunodestatuses.gpu.scheduling")
        self.request("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
        self.request("POST", "/apis/resource.k8s.io/v1/deviceclasses",
                     {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": DEVICE_CLASS},
                      "spec": {"selectors": [{"cel": {"expression": f'device.driver == "{DEVICE_CLASS}"'}}]}})

    def load(self, *words) -> str:
        return subprocess.run([self.programs / "cluster_load", *map(str, words)], check=True, text=True,
                              stdout=subprocess.PIPE, env=os.environ | {"KUBECONFIG": str(self.kubeconfig)}).stdout

    def metrics(self) -> str:
        return self.request("GET", "/metrics")

    def items(self, path: str) -> list[dict]:
        return self.request("GET", path)["items"]

    def pods(self, prefix: str) -> list[dict]:
        return self.items(f"/api/v1/namespaces/{NAMESPACE}/pods?labelSelector=bench%3D{prefix}")

    def empty(self) -> None:
        """Takes away the pods of a round, and whatever was written for them. The fence stays: without it a scheduler would have
        to assume the worst."""
        at_once = {"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0}
        for kind in ("api/v1 pods", "apis/gpu.scheduling/v1 gpuclaims", "apis/resource.k8s.io/v1 resourceclaims",
                     "apis/coordination.k8s.io/v1 leases", "apis/events.k8s.io/v1 events"):
            group, name = kind.split()
            path = f"/{group}/namespaces/{NAMESPACE}/{name}?labelSelector={GPU_LEASES if name == 'leases' else ''}"
            self.request("DELETE", path, at_once)
            self._await_empty(path)

    def _await_empty(self, path: str) -> None:
        deadline = time.monotonic() + 300
        while self.request("GET", path + "&limit=1")["items"]:
            if time.monotonic() > deadline:
                sys.exit(f"bench/cluster: {path} did not become empty")
            time.sleep(0.2)


@dataclass
class Scheduler:
    """One process of a scheduler; its log stays in the plane's folder."""
    name: str  # of the side
    scheduler: str  # as pods name it
    command: list[str]
    log: Path
    port: int = 0  # that answers when it is ready; 0: nobody asks
    ends: bool = False  # by itself, when all is bound

    def __enter__(self):
        with open(self.log, "ab") as log:
            self.started = time.monotonic()
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log)
        return self

    def __exit__(self, *unused):
        """As a user stops it, so that the next one need not wait for its lease."""
        self.process.terminate()
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def is_alive(self) -> bool:
        # Without taking leave of it, so that what it has used can still be read.
        ended = os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if ended is not None and not (self.ends and ended.si_status == 0):
            sys.exit(f"bench/cluster: {self.name} ended with {ended.si_status}; its log: {self.log}")
        return True

    def await_ready(self) -> None:
        while self.is_alive():
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/ready", timeout=5) as answer:
                    if answer.status == 200:
                        return
            except (urllib.error.URLError, OSError):
                time.sleep(0.05)


def ours(plane: Plane, *more: str) -> Scheduler:
    port = pick(1)[0]
    return Scheduler("gpu-scheduler", "gpu-scheduler",
                     [str(plane.programs / "gpu-scheduler"), "--kubeconfig", str(plane.kubeconfig), "--listen", f"127.0.0.1:{port}",
                      "--api-listen", "off", "--namespace", NAMESPACE, *more], plane.folder / "ours.log", port)


def theirs(plane: Plane) -> Scheduler:
    """kube-scheduler, allowed as many requests as it can send."""
    return Scheduler("kube-scheduler", "default-scheduler",
                     [plane.kube_scheduler, "--kubeconfig", str(plane.kubeconfig), "--leader-elect=false", "--secure-port=0",
                      "--kube-api-qps=5000", "--kube-api-burst=5000"], plane.folder / "theirs.log")


def ceiling(plane: Plane, prefix: str, gpus: int) -> Scheduler:
    """The writes of our scheduler for places that were chosen beforehand."""
    command = ["env", f"KUBECONFIG={plane.kubeconfig}", str(plane.programs / "cluster_load"), "bind", prefix, str(gpus)]
    return Scheduler("ceiling", "nobody", command, plane.folder / "ceiling.log", ends=True)


def doubles(plane: Plane, prefix: str) -> int:
    """How many GPUs are given to more than one pod of those with this prefix."""
    given: dict[tuple[str, str], int] = {}
    for pod in plane.pods(prefix):
        node, _, ids = pod["metadata"].get("annotations", {}).get("gpu.scheduling/allocated", "").partition(":")
        for number in filter(None, ids.split(",")):
            given[node, number] = given.get((node, number), 0) + 1
    for claim in plane.items(f"/apis/resource.k8s.io/v1/namespaces/{NAMESPACE}/resourceclaims?labelSelector=bench%3D{prefix}"):
        for result in claim.get("status", {}).get("allocation", {}).get("devices", {}).get("results", []):
            given[result["pool"], result["device"]] = given.get((result["pool"], result["device"]), 0) + 1
    return sum(1 for count in given.values() if count > 1)


def pretty(value: dict) -> str:
    return json.dumps(value, sort_keys=True)
