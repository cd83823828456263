"""One generated case: a small cluster and a pod to place, as an API server would return the objects.

A case has one or a few themes, so that rules matter and yet seldom all refuse: what is no theme is plentiful or absent.
"""

from generator import nodes, pods
from generator.draw import Draw

THEMES = ["resources", "gpus", "nodes", "taints"]
THEMES_OF_CLUSTERS = [theme for theme in THEMES if theme != "storage"]  # there, controllers make volumes of their own


def case(seed: str, themes: list[str] | None = None, for_cluster: bool = False) -> dict:
    """`for_cluster`: only what can be created in a cluster just so."""
    draw = Draw(seed)
    chosen = set(draw.sample(themes or THEMES, draw.choice([1, 1, 1, 2, 2, 3])))
    names = [f"node-{i}" for i in range(draw.randint(1, 6))]
    made = {"nodes": [nodes.node(draw, name, chosen) for name in names]}
    busy = draw.choice([0, 3, 6, 12])
    made["pods"] = [pods.pod_there(draw, i, names, chosen, for_cluster) for i in range(draw.randint(0, busy))]
    made["pod"] = pods.pod_to_place(draw, chosen, for_cluster)
    return made
