"""Pods of other schedulers, which ask device plugins for GPUs and know nothing of ours.

Their scheduler is this: it binds a pod where it sees room, as any scheduler does that counts what pods request. It sees
neither GPU ids nor the fence.
"""

from api import PODS, Api
import objects
from event import gpu_requests, is_terminal, node_of


def room_left(api: Api, node: str, resource: str) -> int:
    """What a scheduler that counts sees there; 0: no such node."""
    found = api.get(f"/api/v1/nodes/{node}")
    if found is None:
        return 0
    pods = [pod for pod in api.insist("GET", "/api/v1/pods")[1]["items"] if node_of(pod) == node and not is_terminal(pod)]
    asked = sum(gpu_requests(pod).get(resource, 0) for pod in pods)
    return int(found["status"]["allocatable"].get(resource, 0)) - asked


class ForeignScheduler:
    def __init__(self, api: Api, namespace: str):
        self.api, self.pods = api, PODS.format(namespace)

    def place(self, name: str, node: str, resource: str, count: int, scheduler: str) -> bool:
        """False: there is no room. Some come with their node's name from the start, as those of a DaemonSet used to."""
        if room_left(self.api, node, resource) < count:
            return False
        pod = objects.pod(name, f"plain {count} {resource}", scheduler=scheduler)
        if scheduler == "default-scheduler":
            self.api.insist("POST", self.pods, pod)
            self.api.insist("POST", f"{self.pods}/{name}/binding", {
                "apiVersion": "v1", "kind": "Binding", "metadata": {"name": name},
                "target": {"apiVersion": "v1", "kind": "Node", "name": node}})
        else:
            pod["spec"]["nodeName"] = node
            self.api.insist("POST", self.pods, pod)
        return True

    def end(self, name: str) -> None:
        self.api.insist("DELETE", f"{self.pods}/{name}?gracePeriodSeconds=0")
