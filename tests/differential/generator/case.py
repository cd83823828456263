"""One generated case: a small cluster and a pod to place, as an API server would return the objects.

A case has one or a few themes, so that rules matter and yet seldom all refuse: what is no theme is plentiful or absent.
"""

from generator import nodes, pods
from generator.draw import Draw
from generator.storage import Storage, disk
from generator.words import NAMESPACES

THEMES = ["resources", "gpus", "nodes", "taints", "ports", "affinity", "anti-affinity", "spread",
          "storage", "disks"]
THEMES_OF_CLUSTERS = [theme for theme in THEMES if theme != "storage"]  # there, controllers make volumes of their own

BUSY_THEMES = {"ports", "affinity", "anti-affinity", "spread", "disks"}  # they are about the pods that are there


def namespace(name: str, labels: dict) -> dict:
    return {"apiVersion": "v1", "kind": "Namespace",
            "metadata": {"name": name, "uid": f"uid-{name}", "labels": labels, "resourceVersion": "1"}}


def give_volumes(draw: Draw, made: dict, names: list[str]) -> None:
    """To the pods that are there and to the new one."""
    storage = Storage(draw, names)
    for pod in [*made["pods"], made["pod"]]:
        is_on_node = pod["spec"].get("nodeName") in names
        if pod is made["pod"] or (is_on_node and draw.chance(0.5)):
            pod["spec"]["volumes"] = storage.volumes_of(pod)
    made |= storage.objects()


def case(seed: str, themes: list[str] = THEMES, for_cluster: bool = False) -> dict:
    """`for_cluster`: only what can be created in a cluster just so."""
    draw = Draw(seed)
    count = draw.choice([1, 1, 1, 2, 2, 3])
    chosen = set(draw.some(themes, count, count))
    names = [f"node-{i}" for i in range(draw.randint(1, 6))]
    made = {"nodes": [nodes.node(draw, name, chosen) for name in names]}
    if chosen & {"affinity", "anti-affinity"}:  # nothing else asks for them
        made["namespaces"] = [namespace(name, labels) for name, labels in NAMESPACES.items()]
    busy = draw.choice([3, 8, 16] if chosen & BUSY_THEMES else [0, 3, 6])
    made["pods"] = [pods.pod_there(draw, i, names, chosen, for_cluster) for i in range(draw.randint(0, busy))]
    made["pod"] = pods.pod_to_place(draw, chosen, for_cluster)
    if "storage" in chosen:
        give_volumes(draw, made, names)
    if "disks" in chosen:
        for pod in [*made["pods"], made["pod"]]:
            pod["spec"].setdefault("volumes", []).append(disk(draw))
    return made
