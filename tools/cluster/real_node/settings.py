"""The settings of containerd, the pod network and the kubelet of a real node. Paths are as the node sees them."""

import json
from pathlib import Path

from real_node.images import PAUSE_IMAGE
from real_node.init import NODE
from real_node.network import Addresses

CONTAINERD_SOCKET = "/run/containerd/containerd.sock"

# The native snapshotter copies, which works on every file system; without AppArmor no profile stays in the kernel.
CONTAINERD = """version = 2
disabled_plugins = ["io.containerd.internal.v1.opt"]
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{pause}"
  restrict_oom_score_adj = true
  disable_apparmor = true
[plugins."io.containerd.grpc.v1.cri".containerd]
  snapshotter = "native"
[plugins."io.containerd.grpc.v1.cri".cni]
  bin_dir = "{plugins}"
  conf_dir = "{node}/cni"
"""


def containerd(plugins: Path) -> str:
    return CONTAINERD.format(pause=PAUSE_IMAGE, plugins=plugins, node=NODE)


def pod_network(addresses: Addresses) -> str:
    bridge = {"type": "bridge", "bridge": "pods", "isGateway": True,
              "ipam": {"type": "host-local", "ranges": [[{"subnet": addresses.pods}]],
                       "routes": [{"dst": "0.0.0.0/0"}]}}
    return json.dumps({"cniVersion": "0.4.0", "name": "pods", "plugins": [bridge]})


def kubelet() -> str:
    """Made for machines that are not set up as nodes: swap, any cgroup version, no right to raise OOM scores."""
    return json.dumps({
        "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",
        "authentication": {"anonymous": {"enabled": False}, "webhook": {"enabled": True},
                           "x509": {"clientCAFile": f"{NODE}/ca.crt"}},
        "authorization": {"mode": "Webhook"},
        "containerRuntimeEndpoint": f"unix://{CONTAINERD_SOCKET}",
        "cgroupDriver": "cgroupfs", "failCgroupV1": False, "failSwapOn": False, "enforceNodeAllocatable": [],
        "oomScoreAdj": 0, "makeIPTablesUtilChains": False, "resolvConf": "",
        "evictionHard": {"memory.available": "10Mi", "nodefs.available": "1%", "imagefs.available": "1%"},
        "imageGCHighThresholdPercent": 100,  # the images cannot be pulled again
    })
