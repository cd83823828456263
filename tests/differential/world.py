"""A generated cluster as objects of a real API server, and pods that a scheduler places there.

A scheduler that has bound a probe has seen everything that was made before: nodes and pods each come to it in the order
in which they changed. The probe has a node of its own that it fills, without labels, so nothing else of it is felt.
"""

import copy

from api_client import MERGE_PATCH, ApiClient
from generator.words import NAMESPACES
from support import wait_until

AT_ONCE = {"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0}
PROBES = "probes"
SECONDS = 120


def new(thing: dict) -> dict:
    """Without what a server says of an object that is there."""
    made = copy.deepcopy(thing)
    for field in ("uid", "resourceVersion"):
        made["metadata"].pop(field, None)
    return made


def unschedulable(pod: dict) -> bool:
    return any(each["type"] == "PodScheduled" and each["status"] == "False" and each.get("reason") == "Unschedulable"
               for each in pod.get("status", {}).get("conditions", []))


class World:
    def __init__(self, client: ApiClient):
        self.client = client

    def ask(self, method: str, path: str, body: dict | None = None, content_type: str = "application/json",
            accepted: tuple[int, ...] = (200, 201)) -> dict:
        status, answer = self.client.request(method, path, body, content_type)
        if status not in accepted:
            raise AssertionError(f"{method} {path} was answered with {status}: {answer}\n{body}")
        return answer

    def make_namespaces(self) -> None:
        for name, labels in (NAMESPACES | {PROBES: {}}).items():
            path = "/api/v1/namespaces"
            if name != "default":
                self.ask("POST", path, {"metadata": {"name": name}})
            self.ask("PATCH", f"{path}/{name}", {"metadata": {"labels": labels}}, MERGE_PATCH)
            account = f"{path}/{name}/serviceaccounts/default"
            if not wait_until(lambda: self.client.request("GET", account)[0] == 200, SECONDS):
                raise AssertionError(f"nobody makes {account}")

    def make_node(self, node: dict) -> None:
        """A new node is tainted as not ready, which only a kubelet's word would change."""
        self.ask("POST", "/api/v1/nodes", new(node))
        taints = node["spec"].get("taints") or None
        self.ask("PATCH", f"/api/v1/nodes/{node['metadata']['name']}", {"spec": {"taints": taints}}, MERGE_PATCH)

    def make_pod(self, pod: dict) -> dict:
        made = new(pod)
        made["spec"]["automountServiceAccountToken"] = False
        return self.ask("POST", f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods", made)

    def make(self, case: dict) -> None:
        for node in case["nodes"]:
            self.make_node(node)
        for pod in case["pods"]:
            self.make_pod(pod)

    def clear(self) -> None:
        for namespace in (*NAMESPACES, PROBES):
            self.ask("DELETE", f"/api/v1/namespaces/{namespace}/pods", AT_ONCE)
        self.ask("DELETE", "/api/v1/nodes")

    def as_it_is(self, pod: dict) -> dict:
        """The case that the schedulers see, with what the API server has added."""
        made = {"namespaces": self.ask("GET", "/api/v1/namespaces")["items"], "pod": pod}
        made["nodes"] = [node for node in self.ask("GET", "/api/v1/nodes")["items"]
                         if not node["metadata"]["name"].startswith("probe")]
        made["pods"] = [each for each in self.ask("GET", "/api/v1/pods")["items"]
                        if each["metadata"]["name"] != pod["metadata"]["name"]
                        and each["metadata"]["namespace"] != PROBES]
        return made

    def place(self, pod: dict, scheduler: str) -> tuple[dict, str]:
        """The pod as it was made, and its node; empty when the scheduler finds none. It is gone again afterwards."""
        wanted = copy.deepcopy(pod)
        wanted["spec"]["schedulerName"] = scheduler
        made = self.make_pod(wanted)
        path = f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}"
        seen = {}

        def is_answered() -> bool:
            seen.update(self.ask("GET", path))
            return bool(seen["spec"].get("nodeName")) or unschedulable(seen)

        if not wait_until(is_answered, SECONDS):
            raise AssertionError(f"{scheduler} says nothing of {path} within {SECONDS} s")
        self.ask("DELETE", path, AT_ONCE)
        return made, seen["spec"].get("nodeName", "")

    def probe(self, node: str, scheduler: str) -> None:
        """Waits until the scheduler has seen everything. The probe stays until the next."""
        wanted = {"key": "metadata.name", "operator": "In", "values": [node]}
        chosen = {"nodeSelectorTerms": [{"matchFields": [wanted]}]}
        pod = {"metadata": {"name": "probe", "namespace": PROBES},
               "spec": {"schedulerName": scheduler, "tolerations": [{"operator": "Exists"}],
                        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": chosen}},
                        "containers": [{"name": "main", "image": "none"}]}}
        path = f"/api/v1/namespaces/{PROBES}/pods"
        self.ask("DELETE", path, AT_ONCE)
        self.make_pod(pod)
        if not wait_until(lambda: self.ask("GET", f"{path}/probe")["spec"].get("nodeName"), SECONDS):
            raise AssertionError(f"{scheduler} does not bind its probe: {self.ask('GET', f'{path}/probe')['status']}")

    def make_probe_node(self, name: str) -> None:
        self.make_node({"metadata": {"name": name}, "spec": {"taints": [{"key": "probe", "effect": "NoSchedule"}]},
                        "status": {"allocatable": {"pods": "1"}, "capacity": {"pods": "1"}}})
