"""Nodes: labels to be chosen by, taints, and what they offer."""

from generator.draw import Draw
from generator.words import GPU, HOSTNAME, RACK, REGION, TAINT_KEYS, WIDGET, ZONE, ZONES

EFFECTS = ["NoSchedule", "NoExecute", "PreferNoSchedule"]
CORDONED = "node.kubernetes.io/unschedulable"


def labels(draw: Draw, name: str) -> dict:
    return ({HOSTNAME: name} | draw.maybe(0.95, **{ZONE: draw.choice(ZONES)})
            | draw.maybe(0.8, **{REGION: "north"}) | draw.maybe(0.85, **{RACK: draw.choice(["1", "2"])})
            | draw.maybe(0.6, disk=draw.choice(["ssd", "hdd"]))
            | draw.maybe(0.6, generation=draw.choice(["1", "2", "5", "007", "new", ""])))


def offers(draw: Draw, themes: set[str]) -> dict:
    if "resources" not in themes:
        gpus = draw.choice(["0", "1", "2", "4", "8"]) if "gpus" in themes else "64"
        return {"cpu": "64", "memory": "256Gi", "ephemeral-storage": "1Ti", "pods": "110", GPU: gpus}
    room = {"cpu": draw.choice(["500m", "1", "2", "3500m", "4.2"]),
            "pods": draw.choice(["0", "1", "2", "3", "110", "110"]),
            "memory": draw.choice(["1Gi", "1500Mi", "2000000000", "2Gi", "4Gi", "2097153Ki"])}
    return (room | draw.maybe(0.7, **{"ephemeral-storage": draw.choice(["1Gi", "10Gi"])})
            | draw.maybe(0.5, **{"hugepages-2Mi": draw.choice(["0", "4Mi", "64Mi"])})
            | draw.maybe(0.5, **{WIDGET: draw.choice(["0", "1", "3"])})
            | draw.maybe(0.7, **{GPU: draw.choice(["0", "1", "2", "4", "8"])}))


def taint(draw: Draw) -> dict:
    return ({"key": draw.choice(TAINT_KEYS), "effect": draw.choice(EFFECTS)}
            | draw.maybe(0.6, value=draw.choice(["x", "y"])))


def taints(draw: Draw) -> list[dict]:
    """A node has no two taints with the same key and effect."""
    drawn = [taint(draw) for _ in range(draw.choice([0, 0, 1, 2]))]
    return list({(each["key"], each["effect"]): each for each in drawn}.values())


def node(draw: Draw, name: str, themes: set[str]) -> dict:
    room = offers(draw, themes)
    spec: dict = {}
    if "taints" in themes:
        spec = {"taints": taints(draw)}
        if draw.chance(0.15):
            spec["unschedulable"] = True
            if draw.chance(0.7):
                spec["taints"].append({"key": CORDONED, "effect": "NoSchedule"})
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "uid": draw.uid(name), "resourceVersion": "1", "labels": labels(draw, name)},
            "spec": spec, "status": {"capacity": room, "allocatable": room}}
