"""What pods want of other pods: host ports, affinity, anti-affinity, an even spread."""

from generator.draw import Draw
from generator.selectors import POD_LABELS, expression, selector
from generator.words import HOSTNAME, NAMESPACES, RACK, ZONE

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
TOPOLOGY_KEYS = [HOSTNAME] * 6 + [ZONE] * 9 + [RACK] * 3 + ["unheard-of"]
NAMESPACE_LABELS = {"team": ["blue", "red", "none"], "stage": ["test", "live"]}


def ports(draw: Draw, taken: set) -> list[dict]:
    """As an API server would accept them: none twice in a pod, whose ports so far are `taken`."""
    drawn = [{"containerPort": draw.choice([80, 81]), "protocol": draw.choice(["TCP", "TCP", "UDP"])}
             | draw.maybe(0.85, hostPort=draw.choice([8080, 8081]))
             | draw.maybe(0.5, hostIP=draw.choice(["0.0.0.0", "127.0.0.1", "10.0.0.1"]))
             for _ in range(draw.randint(1, 2))]
    kept = []
    for each in drawn:
        key = (each["protocol"], each.get("hostIP", ""), each.get("hostPort", 0))
        if key not in taken:
            kept.append(each)
        taken.add(key)
    return kept


def merged(labels: dict, keys: list[str], into: dict, operator: str) -> dict:
    """matchLabelKeys as an API server writes them into the selector."""
    known = [{"key": key, "operator": operator, "values": [labels[key]]} for key in keys if key in labels]
    return into | ({"matchExpressions": into.get("matchExpressions", []) + known} if known else {})


def namespace_selector(draw: Draw) -> dict:
    """All, or some of those that have a label: see "Where we differ on purpose" in README.md."""
    if draw.chance(0.2):
        return {}
    more = [expression(draw, NAMESPACE_LABELS)] if draw.chance(0.3) else []
    key = draw.choice(list(NAMESPACE_LABELS))
    wanted = draw.choice([{"operator": "Exists"}, {"operator": "In", "values": draw.some(NAMESPACE_LABELS[key], 1, 2)}])
    return {"matchExpressions": [{"key": key} | wanted, *more]}


def term(draw: Draw, labels: dict, for_cluster: bool) -> dict:
    topology = draw.choice(TOPOLOGY_KEYS)
    if draw.chance(0.05):
        return {"topologyKey": topology}
    found = {"labelSelector": own_or_any(draw, labels), "topologyKey": topology}
    if draw.chance(0.15):
        words, operator = draw.choice([("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn")])
        found[words] = ["hash"]
        found["labelSelector"] = {"matchLabels": {"app": "web"}}
        if not for_cluster:  # where a server does it
            found["labelSelector"] = merged(labels, ["hash"], found["labelSelector"], operator)
    if draw.chance(0.3):
        found["namespaces"] = draw.some(list(NAMESPACES), 1, 2)
    if draw.chance(0.3):
        found["namespaceSelector"] = namespace_selector(draw)
    return found


def pod_affinity(draw: Draw, labels: dict, most: int, for_cluster: bool) -> dict:
    preferred = [{"weight": 5, "podAffinityTerm": term(draw, labels, for_cluster)}]
    return ({REQUIRED: [term(draw, labels, for_cluster) for _ in range(draw.randint(1, most))]}
            | draw.maybe(0.1, **{PREFERRED: preferred}))


def own_or_any(draw: Draw, labels: dict) -> dict:
    """Most pods keep away from, or want to be near, those that look like them."""
    key = draw.choice(list(POD_LABELS))
    return {"matchLabels": {key: labels[key]}} if key in labels and draw.chance(0.7) else selector(draw)


def spread_constraint(draw: Draw, labels: dict) -> dict:
    constraint = {"maxSkew": draw.choice([1, 1, 1, 1, 2, 3]), "topologyKey": draw.choice(TOPOLOGY_KEYS),
                  "whenUnsatisfiable": "DoNotSchedule" if draw.chance(0.85) else "ScheduleAnyway"}
    if draw.chance(0.95):
        constraint["labelSelector"] = own_or_any(draw, labels)
    constraint |= draw.maybe(0.3, nodeAffinityPolicy=draw.choice(["Honor", "Ignore"]))
    constraint |= draw.maybe(0.4, nodeTaintsPolicy=draw.choice(["Honor", "Ignore"]))
    if constraint["whenUnsatisfiable"] == "DoNotSchedule":
        constraint |= draw.maybe(0.3, minDomains=draw.randint(1, 4))
    if "labelSelector" in constraint and draw.chance(0.2):
        constraint["labelSelector"] = {"matchLabels": {"app": draw.choice(POD_LABELS["app"])}}
        constraint["matchLabelKeys"] = ["hash"]
    return constraint


def spread(draw: Draw, labels: dict) -> list[dict]:
    """No two of them about the same key and with the same action."""
    drawn = [spread_constraint(draw, labels) for _ in range(draw.randint(1, 2))]
    return list({(each["topologyKey"], each["whenUnsatisfiable"]): each for each in drawn}.values())
