"""Runs the webhooks of a release on a plane without nodes: a process for every pod that has one, with the arguments and the
rights that the chart gives it. API servers call those that the Service leads to.
"""

import json
import signal
import subprocess
import sys
import threading

import paths
from support import PlaneUnderTest

sys.path.insert(0, str(paths.ROOT / "tests" / "webhook"))

from webhook_process import NAME, PROGRAM, Webhook, own_address, pick  # noqa: E402

SLICES = "/apis/discovery.k8s.io/v1/namespaces/{}/endpointslices"
# So that a test need not wait for what takes ten seconds.
QUICK = ("--check-period=1s", "--drain-time=2s")


class WebhookOfPod(Webhook):
    """Asked like one that tests start themselves."""

    def __init__(self, pod: dict, arguments: list[str], kubeconfig: str, folder):
        self.pod, self.port = pod["metadata"]["name"], pick(1)[0]
        self.labels, self.is_in_service = pod["metadata"]["labels"], False
        self.log = folder / f"{self.pod}.log"
        kept = [word for word in arguments if not word.startswith("--listen=")]
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([PROGRAM, "--kubeconfig", kubeconfig, f"--listen=0.0.0.0:{self.port}", *kept, *QUICK],
                                            stderr=log)


class WebhookPods:
    """What a kubelet, an EndpointSlice controller and a network do, every quarter of a second, until close()."""

    def __init__(self, plane: PlaneUnderTest, namespace: str):
        self.plane, self.namespace = plane, namespace
        self.running: dict[str, WebhookOfPod] = {}
        self.ending: list[WebhookOfPod] = []
        self.problem = ""
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def close(self) -> None:
        self.is_over.set()
        self.thread.join()
        for webhook in (*self.running.values(), *self.ending):
            webhook.kill()

    def run(self) -> None:
        try:
            with self.plane.client() as client:
                while not self.is_over.wait(0.25):
                    self.step(client)
        except Exception as problem:  # noqa: BLE001  # a thread must hand it over
            self.problem = repr(problem)

    def step(self, client) -> None:
        pods = {each["metadata"]["name"]: each
                for each in client.request("GET", f"/api/v1/namespaces/{self.namespace}/pods")[1]["items"]}
        for name in self.running.keys() - pods.keys():
            self.lead(client, self.running[name], is_ready=False)
            self.running[name].process.send_signal(signal.SIGTERM)
            self.ending.append(self.running.pop(name))
        selector = client.request("GET", f"/api/v1/namespaces/{self.namespace}/services/{NAME}")[1].get("spec", {}).get("selector")
        for pod in pods.values():
            webhook = self.webhook_of(pod)
            is_ready = webhook is None or webhook.is_ready()
            self.say_ready(client, pod, is_ready)
            if webhook is not None:
                self.lead(client, webhook, is_ready and selector is not None and selector.items() <= webhook.labels.items())

    def webhook_of(self, pod: dict) -> WebhookOfPod | None:
        found = [each for each in pod["spec"]["containers"] if each["name"] == "webhook"]
        name = pod["metadata"]["name"]
        if found and name not in self.running:
            kubeconfig = self.login(pod["spec"]["serviceAccountName"])
            self.running[name] = WebhookOfPod(pod, found[0]["args"], kubeconfig, self.plane.folder.parent)
        return self.running.get(name)

    def login(self, account: str) -> str:
        """With the rights of the account and no others."""
        config = self.plane.json("config", "view", "--raw")
        token = self.plane.kubectl("create", "token", account, "-n", self.namespace).stdout.strip()
        config["users"][0]["user"] = {"token": token}
        path = self.plane.folder.parent / f"{self.namespace}-{account}.kubeconfig"
        path.write_text(json.dumps(config), encoding="utf-8")
        return str(path)

    def say_ready(self, client, pod: dict, is_ready: bool) -> None:
        status = {"phase": "Running", "conditions": [{"type": "Ready", "status": str(is_ready)}]}
        present = [each["status"] for each in pod["status"].get("conditions", []) if each["type"] == "Ready"]
        if present != [str(is_ready)]:
            path = f"/api/v1/namespaces/{self.namespace}/pods/{pod['metadata']['name']}/status"
            client.request("PATCH", path, {"status": status}, "application/strategic-merge-patch+json")

    def lead(self, client, webhook: WebhookOfPod, is_ready: bool) -> None:
        """To it or away from it."""
        if is_ready == webhook.is_in_service:
            return
        webhook.is_in_service = is_ready
        slices = SLICES.format(self.namespace)
        if not is_ready:
            client.request("DELETE", f"{slices}/{webhook.pod}")
            return
        client.request("POST", slices, {
            "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
            "metadata": {"name": webhook.pod, "labels": {"kubernetes.io/service-name": NAME}},
            "endpoints": [{"addresses": [own_address()], "conditions": {"ready": True}}],
            "ports": [{"name": "https", "port": webhook.port, "protocol": "TCP"}]})
