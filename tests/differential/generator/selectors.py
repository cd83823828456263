"""Label selectors, of pods, namespaces and volumes."""

from generator.draw import Draw

POD_LABELS = {"app": ["web", "db"], "tier": ["front", "back"], "hash": ["1", "2"]}


def pod_labels(draw: Draw) -> dict:
    return {key: draw.choice(values) for key, values in POD_LABELS.items() if draw.chance(0.7)}


def expression(draw: Draw, labels: dict[str, list[str]]) -> dict:
    key = draw.choice([*labels, "unheard-of"] if draw.chance(0.1) else list(labels))
    operator = draw.choice(["In", "In", "NotIn", "Exists", "DoesNotExist"])
    values = draw.some(labels.get(key, ["x"]), 1, 2)
    return {"key": key, "operator": operator} | ({"values": values} if operator in ("In", "NotIn") else {})


def selector(draw: Draw, labels: dict[str, list[str]] | None = None) -> dict:
    labels = labels or POD_LABELS
    if draw.chance(0.08):
        return {}
    if draw.chance(0.6):
        return {"matchLabels": {key: draw.choice(labels[key]) for key in draw.some(list(labels), 1, 2)}}
    return {"matchExpressions": [expression(draw, labels) for _ in range(draw.randint(1, 2))]}
