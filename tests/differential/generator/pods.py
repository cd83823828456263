"""Pods: the one that is to be placed, and those that are there already."""

from generator import node_rules, pod_rules
from generator.draw import Draw
from generator.selectors import pod_labels
from generator.words import GPU, NAMESPACES_OF_PODS, WIDGET

ONLY_WHOLE = (GPU, WIDGET, "hugepages-2Mi")  # of these an API server wants limits, equal to the requests


def amounts(draw: Draw, may_have_gpus: bool) -> dict:
    asked = (draw.maybe(0.8, cpu=draw.choice(["0", "100m", "1", "1500m", "0.3", "2"]))
             | draw.maybe(0.7, memory=draw.choice(["64Mi", "500M", "1Gi", "1Gi", "1500Mi"]))
             | draw.maybe(0.15, **{"ephemeral-storage": draw.choice(["1Gi", "9Gi"])})
             | draw.maybe(0.15, **{WIDGET: draw.choice(["1", "2"])}))
    if asked:
        asked |= draw.maybe(0.1, **{"hugepages-2Mi": draw.choice(["2Mi", "4Mi"])})
    return asked | (draw.maybe(0.3, **{GPU: draw.choice(["1", "1", "2", "3", "4"])}) if may_have_gpus else {})


def resources(asked: dict) -> dict:
    limits = {name: amount for name, amount in asked.items() if name in ONLY_WHOLE}
    return {"requests": asked} | ({"limits": limits} if limits else {})


def container(draw: Draw, name: str, themes: set[str], ports: set, may_have_gpus: bool = True) -> dict:
    made = {"name": name, "image": "none"}
    if "resources" in themes:
        made["resources"] = resources(amounts(draw, may_have_gpus))
    elif may_have_gpus and draw.chance(0.7 if "gpus" in themes else 0.1):
        made["resources"] = resources({GPU: draw.choice(["1", "1", "2", "3", "4"])})
    if "ports" in themes and draw.chance(0.7):
        made["ports"] = pod_rules.ports(draw, ports)
    return made


def init_container(draw: Draw, name: str, themes: set[str], ports: set) -> dict:
    return container(draw, name, themes, ports, may_have_gpus=False) | draw.maybe(0.5, restartPolicy="Always")


def containers(draw: Draw, themes: set[str]) -> dict:
    ports: set = set()
    made = {"containers": [container(draw, f"c{i}", themes, ports) for i in range(1 + draw.chance(0.3))]}
    if draw.chance(0.2) and themes & {"resources", "ports"}:
        made["initContainers"] = [init_container(draw, f"i{i}", themes, ports) for i in range(draw.randint(1, 3))]
    return made


def whole_pod(draw: Draw, made: dict) -> dict:
    """Requests of the pod as a whole, which must be no less than those of its containers together."""
    if any("resources" not in each for each in made["containers"]) or "initContainers" in made:
        return {}
    return {"resources": {"requests": {"cpu": draw.choice(["5", "6"])}}}


def pod(draw: Draw, name: str, namespace: str, themes: set[str], for_cluster: bool) -> dict:
    """What any pod may have. Anti-affinity and ports concern others as long as it runs."""
    labels = pod_labels(draw)
    spec = containers(draw, themes)
    if "resources" in themes and not for_cluster:
        spec |= draw.maybe(0.1, overhead={"cpu": "250m", "memory": "120Mi"})
    if "resources" in themes and draw.chance(0.05):
        spec |= whole_pod(draw, spec)
    if "anti-affinity" in themes and draw.chance(0.4):
        spec["affinity"] = {"podAntiAffinity": pod_rules.pod_affinity(draw, labels, 1, for_cluster)}
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": namespace, "uid": draw.uid(f"{namespace}-{name}"),
                         "resourceVersion": "1", "labels": labels},
            "spec": spec, "status": {"phase": "Pending"}}


def pod_there(draw: Draw, number: int, nodes: list[str], themes: set[str], for_cluster: bool) -> dict:
    made = pod(draw, f"there-{number}", draw.choice(NAMESPACES_OF_PODS), themes, for_cluster)
    made["spec"]["schedulerName"] = "default-scheduler"
    made["spec"]["nodeName"] = draw.choice(nodes)
    made["status"]["phase"] = "Running"
    if not for_cluster:
        if draw.chance(0.1):
            made["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
        if draw.chance(0.1):
            made["status"]["phase"] = draw.choice(["Succeeded", "Failed", "Pending"])
        if draw.chance(0.03):
            made["spec"]["nodeName"] = "node-gone"
    return made


def pod_to_place(draw: Draw, themes: set[str], for_cluster: bool) -> dict:
    made = pod(draw, "new", draw.choice(NAMESPACES_OF_PODS), themes, for_cluster)
    spec, labels = made["spec"], made["metadata"]["labels"]
    spec["schedulerName"] = "gpu-scheduler"
    affinity = spec.pop("affinity", {})
    if "nodes" in themes:
        spec |= draw.maybe(0.5, nodeSelector=node_rules.node_selector(draw))
        affinity |= draw.maybe(0.7, nodeAffinity=node_rules.node_affinity(draw))
    if "taints" in themes:
        spec |= draw.maybe(0.7, tolerations=[node_rules.toleration(draw) for _ in range(draw.randint(1, 3))])
    if "affinity" in themes:
        affinity |= draw.maybe(0.8, podAffinity=pod_rules.pod_affinity(draw, labels, 2, for_cluster))
    if "anti-affinity" in themes:
        affinity |= draw.maybe(0.5, podAntiAffinity=pod_rules.pod_affinity(draw, labels, 2, for_cluster))
    if "spread" in themes:
        spec["topologySpreadConstraints"] = pod_rules.spread(draw, labels)
    return made | {"spec": spec | ({"affinity": affinity} if affinity else {})}
