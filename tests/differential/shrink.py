"""Makes a case smaller as long as the two still disagree about it: whole objects first, then fields and items of lists.

What Kubernetes insists on stays, so that the result is a case that a cluster could have.
"""

import copy
import itertools

from comparison import Disagreement, ask_both, nodes_apart

STAYS = {"apiVersion", "kind", "metadata", "name", "namespace", "uid", "spec", "status", "phase", "containers", "pod",
         "operator", "values", "key", "effect", "topologyKey", "maxSkew", "whenUnsatisfiable", "nodeName", "pods",
         "nodeSelectorTerms", "required", "provisioner", "volumeBindingMode", "accessModes", "capacity", "storage",
         "driver", "volumeHandle", "nodeID", "drivers", "allocatable", "containerPort", "protocol",
         "claimName", "weight", "resourceVersion", "schedulerName", "image", "limits",
         "requiredDuringSchedulingIgnoredDuringExecution", "preference", "podAffinityTerm"}
MOST_ROUNDS = 200


def removable(value, path: tuple = ()):
    """Paths of what may be left out, the larger parts before what they contain."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        here = (*path, key)
        is_only_container = len(path) > 0 and path[-1] == "containers" and len(value) == 1
        if key not in STAYS and not is_only_container:
            yield here
        yield from removable(child, here)


def without(case: dict, path: tuple) -> dict:
    smaller = copy.deepcopy(case)
    parent = smaller
    for key in path[:-1]:
        parent = parent[key]
    del parent[path[-1]]
    return smaller


def still_apart(their: dict, our: dict) -> bool:
    return "error" not in their and "error" not in our and bool(nodes_apart(their["nodes"], our["nodes"]))


def smaller_cases(case: dict) -> list[dict]:
    paths = sorted(removable(case), key=len)
    return [without(case, path) for path in paths]


def shrink(found: Disagreement, rules_off: tuple[str, ...] = (), ask=ask_both) -> Disagreement:
    for _ in itertools.repeat(None, MOST_ROUNDS):
        tried = smaller_cases(found.case)
        said = ask(tried, rules_off) if tried else []
        left = next(((case, *pair) for case, pair in zip(tried, said) if still_apart(*pair)), None)
        if left is None:
            return found
        case, their, our = left
        found = Disagreement(found.seed, case, their["nodes"], our["nodes"])
    return found
