"""A gpu-scheduler process on a plane, and what to expect of it."""

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cluster"))

from support import DEADLINE, PlaneUnderTest, wait_for_kinds, wait_until  # noqa: E402
from free_ports import pick  # noqa: E402  # of tools/cluster, which support knows the way to
from local_plane import LocalPlane  # noqa: E402

PROGRAM = Path(os.environ.get("GS_PROGRAMS", ROOT / "build" / "dev" / "bin")) / "gpu-scheduler"
CRDS = ROOT / "charts" / "gpu-scheduler" / "crds" / "crds.yaml"
HOME = "release"  # the namespace of a release
FENCE = ("lease", "scheduler-fence", "--namespace", "kube-system")
# Short, so that a take-over is soon; but a machine that compiles meanwhile must not lose the lead, since the scheduler ends then.
ELECTION = ("--lease-duration", "10s", "--renew-deadline", "8s", "--retry-period", "500ms")


def a_plane(name: str):
    """On the engine that tests/scheduler/run was told of."""
    return LocalPlane(name) if os.environ.get("GS_SCHEDULER_ENGINE") == "local" else PlaneUnderTest(name)


class Scheduler:
    """Started at once; its log is shown when a test fails."""

    def __init__(self, plane: PlaneUnderTest, port: int, *more: str, name: str = "gpu-scheduler", home: str = HOME,
                 kubeconfig: Path | None = None):
        self.port = port
        self.api_port = pick(1)[0]
        self.log = plane.folder.parent / f"scheduler-{port}.log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [PROGRAM, "--kubeconfig", kubeconfig or f"{plane.folder}/admin.kubeconfig", "--namespace", home,
                 "--scheduler-name", name, "--listen", f"127.0.0.1:{port}",
                 "--api-listen", f"127.0.0.1:{self.api_port}", *ELECTION, "--log-level", "debug", *more], stderr=log)

    def is_ready(self) -> bool:
        return self.readiness() == "ok"

    def readiness(self) -> str:
        """What it answers to probes: ok, or why not."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/ready", timeout=5) as answer:
                return answer.read().decode().strip()
        except urllib.error.HTTPError as refusal:
            return refusal.read().decode().strip()
        except OSError:
            return "no answer"

    def metrics_text(self) -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=DEADLINE) as answer:
            return answer.read().decode()

    def metric_names(self) -> set[str]:
        return {line.split()[2] for line in self.metrics_text().splitlines() if line.startswith("# TYPE ")}

    def metrics(self) -> dict[str, float]:
        """Each series with its labels, as it is written, and its number."""
        lines = self.metrics_text().splitlines()
        return {name: float(number) for name, number in (line.rsplit(" ", 1) for line in lines if line[0] != "#")}

    def api(self, path: str, asked: dict | None = None) -> dict:
        body = None if asked is None else json.dumps(asked).encode()
        with urllib.request.urlopen(f"http://127.0.0.1:{self.api_port}/api/v1/{path}", body, timeout=DEADLINE) as answer:
            return json.loads(answer.read())

    def said(self) -> str:
        return self.log.read_text(encoding="utf-8")

    def leads(self) -> bool:
        return " leading " in self.said()

    def end(self, number: int) -> int:
        self.process.send_signal(number)
        return self.process.wait(timeout=DEADLINE)

    def close(self) -> None:
        if self.process.poll() is None:
            self.end(signal.SIGKILL)


def gpus_of(plane: PlaneUnderTest, pod: str) -> str:
    annotations = plane.json("get", "pod", pod)["metadata"].get("annotations", {})
    return annotations.get("gpu.scheduling/allocated", "")


def reason_of(plane: PlaneUnderTest, pod: str) -> str:
    conditions = plane.json("get", "pod", pod).get("status", {}).get("conditions", [])
    return next((c.get("message", "") for c in conditions if c["type"] == "PodScheduled" and c["status"] == "False"), "")


def leases(plane: PlaneUnderTest, home: str = HOME) -> dict[str, str]:
    """Those of GPUs, with who has each."""
    items = plane.json("get", "leases", "--namespace", home, "--selector", "gpu.scheduling/managed=true")["items"]
    return {item["metadata"]["name"]: item["spec"]["holderIdentity"] for item in items}


def record_of(plane: PlaneUnderTest, name: str) -> dict:
    """What a release says in the fence; empty: nothing."""
    annotations = plane.json("get", *FENCE)["metadata"]["annotations"]
    records = [json.loads(text) for key, text in annotations.items() if key.startswith("gpu.scheduling/release-")]
    return next((record for record in records if record["scheduler"] == name), {})


def pod(name: str, scheduler: str = "gpu-scheduler", **annotations: str) -> dict:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "annotations": annotations},
            "spec": {"schedulerName": scheduler, "automountServiceAccountToken": False,
                     "containers": [{"name": "main", "image": "none"}]}}


def claim(name: str, count: int, exclusivity: str = "Exclusive") -> dict:
    return {"apiVersion": "gpu.scheduling/v1", "kind": "GpuClaim", "metadata": {"name": name},
            "spec": {"devices": {"count": count, "exclusivity": exclusivity}}}


__all__ = ["CRDS", "DEADLINE", "FENCE", "HOME", "PROGRAM", "ROOT", "PlaneUnderTest", "Scheduler", "a_plane", "claim", "gpus_of",
           "leases", "pod", "reason_of", "record_of", "wait_for_kinds", "wait_until"]
