"""Which nodes a pod accepts, and which accept it: node selectors, node affinity, tolerations."""

from generator.draw import Draw
from generator.nodes import CORDONED
from generator.words import HOSTNAME, RACK, REGION, TAINT_KEYS, ZONE, ZONES

NODE_LABELS = {ZONE: ZONES, REGION: ["north", "south"], RACK: ["1", "2"], "disk": ["ssd", "hdd"],
               HOSTNAME: ["node-0", "node-1", "node-2"]}


def node_selector(draw: Draw) -> dict:
    keys = draw.some([ZONE, "disk", RACK, REGION], 1, 1 + draw.chance(0.3))
    return {key: draw.choice(NODE_LABELS[key]) for key in keys}


def requirement(draw: Draw) -> dict:
    if draw.chance(0.25):
        number = draw.choice(["0", "1", "2", "4"])
        return {"key": "generation", "operator": draw.choice(["Gt", "Lt"]), "values": [number]}
    key = draw.choice([*NODE_LABELS, "unheard-of"])
    operator = draw.choice(["In", "In", "NotIn", "Exists", "DoesNotExist"])
    values = draw.some(NODE_LABELS.get(key, ["x"]), 1, 2)
    return {"key": key, "operator": operator} | ({"values": values} if operator in ("In", "NotIn") else {})


def term(draw: Draw) -> dict:
    term = {}
    if draw.chance(0.85):
        term["matchExpressions"] = [requirement(draw) for _ in range(draw.randint(1, 2))]
    if draw.chance(0.2):
        term["matchFields"] = [{"key": "metadata.name", "operator": draw.choice(["In", "NotIn"]),
                                "values": [draw.choice(["node-0", "node-1", "node-2"])]}]
    return term


def node_affinity(draw: Draw) -> dict:
    preferred = [{"weight": draw.randint(1, 100), "preference": term(draw)}]
    return ({"requiredDuringSchedulingIgnoredDuringExecution":
             {"nodeSelectorTerms": [term(draw) for _ in range(draw.randint(1, 3))]}}
            | draw.maybe(0.2, preferredDuringSchedulingIgnoredDuringExecution=preferred))


def toleration(draw: Draw) -> dict:
    effect = draw.choice(["NoSchedule", "NoExecute", "PreferNoSchedule", ""])
    lasts = draw.maybe(0.5, tolerationSeconds=60) if effect == "NoExecute" else {}
    effects = {"effect": effect} if effect else {}
    if draw.chance(0.15):
        return {"operator": "Exists"} | effects | lasts
    key = draw.choice([*TAINT_KEYS, CORDONED])
    if draw.chance(0.4):
        return {"key": key, "operator": "Exists"} | effects | lasts
    value = draw.maybe(0.7, value=draw.choice(["x", "y"]))
    return {"key": key} | draw.maybe(0.7, operator="Equal") | value | effects | lasts
