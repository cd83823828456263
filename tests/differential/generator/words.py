"""The names that generated objects have in common. Few of each, so that rules meet what they speak of."""

HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
REGION = "topology.kubernetes.io/region"
RACK = "example.com/rack"
ZONES = ["a", "b", "c"]
NAMESPACES = {"default": {"team": "none"}, "blue": {"team": "blue", "stage": "test"}, "red": {"team": "red"}}
NAMESPACES_OF_PODS = ["default"] * 4 + ["blue", "red"]
GPU = "nvidia.com/gpu"
WIDGET = "example.com/widget"
TAINT_KEYS = ["dedicated", "node.kubernetes.io/not-ready", "example.com/old"]
DRIVER = "disks.example.com"
