"""The fault proxy that stands between the schedulers and the API server, and its control port."""

import http.client
import itertools
import json
import re
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Point:
    """Requests of one step of a commit."""
    method: str
    target: str
    body: str = ""


FENCE = "/leases/scheduler-fence"
# The record of the first release, up to its list; those of others are in the same body.
RECORD = r'scheduler\\":\\"gpu-scheduler\\"[^\[{]*inFlight\\":'

POINTS = {
    "list": Point("PUT", FENCE, RECORD + r"\[\{"),
    "unlist": Point("PUT", FENCE, RECORD + r"\[\]"),
    "renewal": Point("PUT", FENCE),
    "lease": Point("POST", "/leases", "gpu.scheduling/managed"),
    "lease update": Point("PUT", "/leases/gpu-"),
    "lease delete": Point("DELETE", "/leases/gpu-"),
    "binding": Point("POST", "/binding"),
    "touch": Point("PATCH", "/pods/[^/]+/status", "gpu.scheduling/Fence"),
    "reason": Point("PATCH", "/pods/[^/]+/status", "PodScheduled"),
    "pod list": Point("GET", r"/api/v1/pods$"),
    "pod version": Point("GET", r"/api/v1/pods\?limit=1$"),  # how far the server is, asked before a watch goes on
    "lease list": Point("GET", r"/leases$"),
    "pod watch": Point("GET", r"/api/v1/pods\?.*watch="),
    "lease watch": Point("GET", r"/leases\?.*watch="),
    "node watch": Point("GET", r"/api/v1/nodes\?.*watch="),
    "claim watch": Point("GET", r"/gpuclaims\?.*watch="),
    "report watch": Point("GET", r"/gpunodestatuses\?.*watch="),
}


class Proxy:
    def __init__(self, program: Path, kubeconfig: Path, folder: Path, name: str = "first"):
        self.kubeconfig = folder / f"{name}-proxy.kubeconfig"
        self._names = itertools.count(1)
        with open(folder / f"{name}-proxy.log", "wb") as log:
            self.process = subprocess.Popen([program, "--kubeconfig", kubeconfig, "--out", self.kubeconfig],
                                            stdout=subprocess.PIPE, stderr=log, text=True)
        words = self.process.stdout.readline().split()
        if not words or words[0] != "ready":
            raise RuntimeError(f"the fault proxy did not start: {' '.join(words)}; see {folder}/{name}-proxy.log")
        self.control = int(dict(word.split("=") for word in words[1:])["control"])

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process.stdout.close()

    def _call(self, method: str, path: str, body=None) -> dict:
        connection = http.client.HTTPConnection("127.0.0.1", self.control, timeout=90)
        try:
            connection.request(method, path, None if body is None else json.dumps(body))
            answer = connection.getresponse()
            text = answer.read().decode()
        finally:
            connection.close()
        if answer.status >= 300:
            raise RuntimeError(f"the fault proxy answered {answer.status} to {method} {path}: {text}")
        return json.loads(text) if text else {}

    def arm(self, point: str | Point, fault: dict, *, times: int = 1) -> str:
        """From now on; returns the rule's name."""
        where = POINTS[point] if isinstance(point, str) else point
        rule = f"rule-{next(self._names)}"
        what = {"id": rule, "method": where.method, "target": where.target, "times": times, "fault": fault}
        self._call("POST", "/rules", what | ({"body": where.body} if where.body else {}))
        return rule

    def hits(self, rule: str) -> int:
        return self._call("GET", f"/rules/{rule}")["hits"]

    def disarm(self, rule: str = "") -> None:
        self._call("DELETE", f"/rules/{rule}" if rule else "/rules")

    def held(self, rule: str = "", wait_ms: int = 0) -> list[dict]:
        return self._call("GET", f"/held?wait_ms={wait_ms}" + (f"&rule={rule}" if rule else ""))["held"]

    def let(self, held: str, what: str) -> None:
        """`what`: release, drop or forward_and_drop."""
        self._call("POST", f"/held/{held}/{what}")

    def statuses(self, point: Point) -> list[int]:
        """What the server has answered to such requests so far."""
        requests = self._call("GET", "/requests?since=0")["requests"]
        return [status for request in requests for status in request["statuses"]
                if request["method"] == point.method and re.search(point.target, request["target"])]

    def cut_watches(self, target: str) -> None:
        self._call("POST", "/cut-watches", {"target": target})
