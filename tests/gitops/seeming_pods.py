"""Pods that seem to run: kwok is the kubelet of all nodes, has one log for all, and forwards ports to servers here."""

import json

import yaml

from argo_cd import ArgoCd
from support import PlaneUnderTest, listens, wait_until

import components  # of tools/cluster, to which argo_cd shows the way
import free_ports
import kwok_stages
from plane import Plane

SAID = "a pod that seems to run"
SECONDS_TO_START = 60


def forward(namespace: str, ports: dict[int, int]) -> dict:
    """Ports of all pods of a namespace lead to ports here."""
    forwards = [{"ports": [port], "target": {"address": "127.0.0.1", "port": here}} for port, here in ports.items()]
    return {"apiVersion": "kwok.x-k8s.io/v1alpha1", "kind": "ClusterPortForward", "metadata": {"name": namespace},
            "spec": {"selector": {"matchNamespaces": [namespace]}, "forwards": forwards}}


def start(argo: ArgoCd, gateway_port: int) -> int:
    """The port at which it is the kubelet."""
    plane = Plane("gitops", argo.plane.folder)
    kwok_stages.write_stages(plane)
    log = argo.folder / "pods.log"
    log.write_text(f"2026-01-01T00:00:00.000000000Z stdout F {SAID}\n", encoding="utf-8")
    logs = {"apiVersion": "kwok.x-k8s.io/v1alpha1", "kind": "ClusterLogs", "metadata": {"name": "all"},
            "spec": {"logs": [{"logsFile": str(log)}]}}
    of_argo_cd = {8080: argo.ports["server"], 6379: argo.ports["redis"], 8081: argo.ports["repo"]}
    more = [logs, forward("argocd", of_argo_cd), forward("istio-system", {8080: gateway_port})]
    with open(plane.folder / "kwok-stages.yaml", "a", encoding="utf-8") as file:
        file.write("---\n" + yaml.safe_dump_all(more))
    port = free_ports.pick(1)[0]
    kubelet = [f"--node-port={port}", f"--server-address=127.0.0.1:{port}",
               f"--tls-cert-file={plane.pki}/apiserver.crt", f"--tls-private-key-file={plane.pki}/apiserver.key"]
    argo.run("kwok", [*components.command_of("kwok", plane), *kubelet])
    if not wait_until(lambda: listens(port), SECONDS_TO_START):
        raise AssertionError(f"kwok does not listen:\n{argo.log('kwok')[-3000:]}")
    return port


def take_over(plane: PlaneUnderTest, node: str, port: int) -> None:
    """Tells API servers where the node's kubelet is."""
    status = {"addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
              "daemonEndpoints": {"kubeletEndpoint": {"Port": port}}}
    plane.kubectl("patch", "node", node, "--subresource=status", "-p", json.dumps({"status": status}))
