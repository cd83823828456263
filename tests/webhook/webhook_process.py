"""gpu-scheduler-webhook processes on a plane, what the chart makes for them, and a client of the API for all threads."""

import base64
import http.client
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "cluster"), str(ROOT / "tests" / "scheduler")]

from support import DEADLINE, PROGRAM as CLUSTER, wait_until  # noqa: E402
from scheduler_process import (CRDS, PlaneUnderTest, Scheduler, a_plane, claim, gpus_of, pod,  # noqa: E402
                               reason_of)
from free_ports import pick  # noqa: E402  # of tools/cluster, which support knows the way to

PROGRAM = Path(os.environ.get("GS_PROGRAMS", ROOT / "build" / "dev" / "bin")) / "gpu-scheduler-webhook"
CHART = ROOT / "charts" / "gpu-scheduler"
NAME = "gpu-scheduler-webhook"
CONFIGURATION = f"/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/{NAME}"
SECRETS = "/api/v1/namespaces/default/secrets"
PODS = "/api/v1/namespaces/default/pods"
JSON_PATCH, MERGE_PATCH = "application/json-patch+json", "application/merge-patch+json"
IS_LOCAL = os.environ.get("GS_SCHEDULER_ENGINE") == "local"


def tool(name: str) -> str:
    return subprocess.run([CLUSTER, "path", name], text=True, capture_output=True, check=True).stdout.split()[-1]


def own_address() -> str:
    """One of this machine that is no loopback: API servers refuse those as endpoints."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # nothing is sent
            return probe.getsockname()[0]
        except OSError:
            return socket.gethostbyname(socket.gethostname())


class Api:
    """The API server of a plane, as its administrator. From any thread: each has a connection of its own."""

    def __init__(self, plane: PlaneUnderTest):
        self.kubeconfig = f"{plane.folder}/admin.kubeconfig"
        self.kubectl = tool("kubectl")
        command = [self.kubectl, "config", "view", "--raw", "-o", "json", f"--kubeconfig={self.kubeconfig}"]
        config = json.loads(subprocess.run(command, text=True, capture_output=True, check=True).stdout)
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        self.address = cluster["server"].removeprefix("https://")
        self.context = ssl.create_default_context(cadata=self.pem(cluster, "certificate-authority").decode())
        with tempfile.NamedTemporaryFile() as file:
            file.write(self.pem(user, "client-certificate") + b"\n" + self.pem(user, "client-key"))
            file.flush()
            self.context.load_cert_chain(file.name)
        self.threads = threading.local()

    @staticmethod
    def pem(entry: dict, name: str) -> bytes:
        if f"{name}-data" in entry:
            return base64.b64decode(entry[f"{name}-data"])
        return Path(entry[name]).read_bytes()

    def request(self, method: str, path: str, body=None, content_type: str = "application/json") -> tuple[int, dict]:
        """Tried again only on a connection that the server had closed meanwhile."""
        for is_last in (False, True):
            connection = getattr(self.threads, "connection", None)
            if connection is None:
                connection = http.client.HTTPSConnection(self.address, timeout=60, context=self.context)
                self.threads.connection = connection
            try:
                connection.request(method, path, None if body is None else json.dumps(body),
                                   {"Content-Type": content_type, "Accept": "application/json"})
                answer = connection.getresponse()
                return answer.status, json.loads(answer.read() or b"{}")
            except (http.client.HTTPException, OSError):
                connection.close()
                self.threads.connection = None
                if is_last:
                    raise
        raise AssertionError("not reached")

    def get(self, path: str) -> dict:
        code, found = self.request("GET", path)
        if code != 200:
            raise AssertionError(f"GET {path}: {found}")
        return found

    def apply(self, text: str) -> None:
        done = subprocess.run([self.kubectl, f"--kubeconfig={self.kubeconfig}", "apply", "-f", "-"], input=text,
                              text=True, capture_output=True, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stderr)

    def put(self, collection: str, thing: dict) -> None:
        """Makes it, or puts it in the place of what is there."""
        path = f"{collection}/{thing['metadata']['name']}"
        code, present = self.request("GET", path)
        if code == 200:
            thing["metadata"]["resourceVersion"] = present["metadata"]["resourceVersion"]
            code, answer = self.request("PUT", path, thing)
        else:
            code, answer = self.request("POST", collection, thing)
        if code not in (200, 201):
            raise AssertionError(answer)


def rendered(*templates: str) -> str:
    """What the chart makes, as it makes it."""
    shown = [word for name in templates for word in ("--show-only", f"templates/{name}.yaml")]
    return subprocess.run([tool("helm3"), "template", "gpu-scheduler", str(CHART), "--namespace=default",
                           *shown], text=True, capture_output=True, check=True).stdout


def lead_to(api: Api, ports: list[int]) -> None:
    """The Service leads to these ports of this machine; without ports, to nobody. No kube-proxy is needed."""
    addresses = [own_address()] if ports else []
    api.put("/api/v1/namespaces/default/services", {
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": NAME},
        "spec": {"clusterIP": "None", "ports": [{"name": "https", "port": 443}]}})
    if IS_LOCAL:
        subsets = [{"addresses": [{"ip": each} for each in addresses], "ports": [{"name": "https", "port": port}]}
                   for port in ports]
        api.put("/api/v1/namespaces/default/endpoints",
                {"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": NAME}, "subsets": subsets})
        return
    slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"
    api.request("DELETE", f"{slices}/{NAME}")
    if ports:
        api.put(slices, {
            "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
            "metadata": {"name": NAME, "labels": {"kubernetes.io/service-name": NAME}},
            "endpoints": [{"addresses": addresses, "conditions": {"ready": True}}],
            "ports": [{"name": "https", "port": ports[0], "protocol": "TCP"}]})


class Webhook:
    """Started at once. Its log stays until the plane is gone."""

    def __init__(self, plane: PlaneUnderTest, *options: str, port: int = 0):
        self.port = port or pick(1)[0]
        self.log = plane.folder.parent / f"webhook-{self.port}.log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [PROGRAM, "--kubeconfig", f"{plane.folder}/admin.kubeconfig", "--namespace", "default",
                 "--listen", f"0.0.0.0:{self.port}", "--configuration", NAME, "--check-period", "1s",
                 "--drain-time", "0s", *options], stderr=log)

    def ask(self, path: str) -> str:
        """What it answers, or why there is no answer. Probes do not look at certificates."""
        trusting = ssl.create_default_context()
        trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
        try:
            with urllib.request.urlopen(f"https://127.0.0.1:{self.port}{path}", timeout=60, context=trusting) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as refusal:
            return refusal.read().decode()
        except OSError as problem:
            return f"no answer: {problem}"

    def is_ready(self) -> bool:
        return self.ask("/ready") == "ok\n"

    def metric(self, name: str) -> float:
        lines = [line for line in self.ask("/metrics").splitlines() if line.startswith(f"{name} ")]
        return float(lines[0].split()[1])

    def certificate(self) -> bytes:
        return ssl.get_server_certificate(("127.0.0.1", self.port)).encode()

    def said(self) -> str:
        return self.log.read_text(encoding="utf-8")

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait(timeout=DEADLINE)


def variables(made: dict, container: int = 0) -> dict[str, str]:
    """Name to value, or to the field that it is taken from."""
    def source(variable: dict) -> str:
        return variable.get("value", variable.get("valueFrom", {}).get("fieldRef", {}).get("fieldPath", ""))

    return {each["name"]: source(each) for each in made["spec"]["containers"][container].get("env", [])}


IDS = {"CUDA_VISIBLE_DEVICES": "metadata.annotations['gpu.scheduling/visible-devices']",
       "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}

__all__ = ["CONFIGURATION", "CRDS", "IDS", "IS_LOCAL", "JSON_PATCH", "MERGE_PATCH", "NAME", "PODS", "ROOT", "SECRETS",
           "Api", "Scheduler", "Webhook", "a_plane", "claim", "gpus_of", "lead_to", "pick", "pod", "reason_of", "rendered",
           "variables", "wait_until"]
