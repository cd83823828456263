"""What pods want of other pods: host ports, affinity, anti-affinity, an even spread."""

from generator.draw import Draw
from generator.selectors import POD_LABELS, selector
from generator.words import HOSTNAME, NAMESPACES, RACK, ZONE

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
TOPOLOGY_KEYS = [HOSTNAME, ZONE, ZONE, RACK, "unheard-of"]
NAMESPACE_LABELS = {"team": ["blue", "red", "none"], "stage": ["test", "live"]}


def ports(draw: Draw) -> list[dict]:
    """As an API server would accept them: none twice in one container."""
    drawn = [{"containerPort": draw.choice([80, 81]), "protocol": draw.choice(["TCP", "TCP", "UDP"])}
             | draw.maybe(0.85, hostPort=draw.choice([8080, 8081]))
             | draw.maybe(0.5, hostIP=draw.choice(["0.0.0.0", "127.0.0.1", "10.0.0.1"]))
             for _ in range(draw.randint(1, 2))]
    unique = {(each["protocol"], each.get("hostIP", ""), each.get("hostPort", 0)): each for each in drawn}
    return list(unique.values())


def merged(labels: dict, keys: list[str], into: dict, operator: str) -> dict:
    """matchLabelKeys as an API server writes them into the selector."""
    known = [{"key": key, "operator": operator, "values": [labels[key]]} for key in keys if key in labels]
    return into | ({"matchExpressions": into.get("matchExpressions", []) + known} if known else {})


def term(draw: Draw, labels: dict) -> dict:
    topology = draw.choice(TOPOLOGY_KEYS)
    if draw.chance(0.05):
        return {"topologyKey": topology}
    found = {"labelSelector": selector(draw), "topologyKey": topology}
    if draw.chance(0.15):
        words, operator = draw.choice([("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn")])
        found[words] = ["hash"]
        found["labelSelector"] = merged(labels, ["hash"], {"matchLabels": {"app": "web"}}, operator)
    if draw.chance(0.3):
        found["namespaces"] = draw.some(list(NAMESPACES), 1, 2)
    if draw.chance(0.3):
        found["namespaceSelector"] = selector(draw, NAMESPACE_LABELS)
    return found


def pod_affinity(draw: Draw, labels: dict, most: int = 2) -> dict:
    preferred = [{"weight": 5, "podAffinityTerm": term(draw, labels)}]
    return ({REQUIRED: [term(draw, labels) for _ in range(draw.randint(1, most))]}
            | draw.maybe(0.1, **{PREFERRED: preferred}))


def spread_constraint(draw: Draw) -> dict:
    constraint = {"maxSkew": draw.choice([1, 1, 2, 3]), "topologyKey": draw.choice(TOPOLOGY_KEYS),
                  "whenUnsatisfiable": "DoNotSchedule" if draw.chance(0.85) else "ScheduleAnyway"}
    if draw.chance(0.95):
        constraint["labelSelector"] = selector(draw)
    constraint |= draw.maybe(0.3, nodeAffinityPolicy=draw.choice(["Honor", "Ignore"]))
    constraint |= draw.maybe(0.4, nodeTaintsPolicy=draw.choice(["Honor", "Ignore"]))
    if constraint["whenUnsatisfiable"] == "DoNotSchedule":
        constraint |= draw.maybe(0.3, minDomains=draw.randint(1, 4))
    if "labelSelector" in constraint and draw.chance(0.2):
        constraint["labelSelector"] = {"matchLabels": {"app": draw.choice(POD_LABELS["app"])}}
        constraint["matchLabelKeys"] = ["hash"]
    return constraint


def spread(draw: Draw) -> list[dict]:
    """No two of them about the same key and with the same action."""
    drawn = [spread_constraint(draw) for _ in range(draw.randint(1, 2))]
    return list({(each["topologyKey"], each["whenUnsatisfiable"]): each for each in drawn}.values())
