"""kube-scheduler's own filters and ours say the same of every node of generated clusters."""

import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from comparison import OURS, ROOT, Disagreement, compare, compare_seeds  # noqa: E402
from settings import settings  # noqa: E402
from shrink import shrink  # noqa: E402

RESULTS = ROOT / "build" / "test-results"
# Each refuses at least so many of 1,000 nodes, and so many fit, else the cases say little about it.
LEAST_PER_THOUSAND = {"": 300, "NodeAffinity": 20, "NodeResourcesFit": 20, "NodeUnschedulable": 10,
                      "TaintToleration": 20, "NodePorts": 10, "InterPodAffinity": 20, "PodTopologySpread": 10,
                      "VolumeBinding": 20, "NodeVolumeLimits": 5, "VolumeZone": 2, "VolumeRestrictions": 10}
# Our rules, and the theme in which each matters.
THEMES_OF_RULES = {"resources": "resources", "node-selector": "nodes", "node-affinity": "nodes", "taints": "taints",
                   "cordons": "taints", "host-ports": "ports", "pod-affinity": "affinity",
                   "anti-affinity": "anti-affinity", "anti-affinity-of-others": "anti-affinity", "spread": "spread",
                   "volumes": "storage", "disks": "disks",
                   "volume-node-affinity": "storage", "volume-zones": "storage", "attach-limits": "storage"}
CASES_WITH_A_RULE_OFF = 250


def report(found: Disagreement) -> str:
    """The smallest case that shows it, as a file as well."""
    smallest = shrink(found)
    RESULTS.mkdir(parents=True, exist_ok=True)
    file = RESULTS / f"differential-{found.seed}.json"
    file.write_text(json.dumps(smallest.case) + "\n", encoding="utf-8")
    return f"{found}\nmade smaller:\n{smallest}\n{json.dumps(smallest.case, indent=1)}\nwritten to {file}"


class SameVerdicts(unittest.TestCase):
    def test_on_every_node_of_all_cases(self):
        found = compare(settings().seeds())
        print(found)
        if found.disagreements:
            first = min(found.disagreements, key=lambda each: len(json.dumps(each.case)))
            self.fail(f"{len(found.disagreements)} of {found.cases} cases; one of them:\n{report(first)}\n"
                      f"again: tests/differential/run --seed {settings().seed} --cases {settings().cases}")
        nodes = sum(found.plugins.values())
        for plugin, least in LEAST_PER_THOUSAND.items():
            with self.subTest(plugin or "fits"):
                self.assertGreaterEqual(found.plugins[plugin] * 1000, least * nodes, found)


class RulesOff(unittest.TestCase):
    """The comparison can fail: each of our rules is missed when it is off."""

    def disagreements(self, rule: str, theme: str) -> list[Disagreement]:
        return compare_seeds(settings().seeds(CASES_WITH_A_RULE_OFF), [theme], (rule,)).disagreements

    def test_each_is_missed(self):
        for rule, theme in THEMES_OF_RULES.items():
            with self.subTest(rule):
                self.assertTrue(self.disagreements(rule, theme), f"{OURS} {rule}")

    def test_what_is_found_is_made_small(self):
        found = self.disagreements("taints", "taints")[0]
        smallest = shrink(found, ("taints",))
        self.assertEqual(len(smallest.case["nodes"]), 1, smallest.case)
        self.assertEqual(len(smallest.case["nodes"][0]["spec"]["taints"]), 1, smallest.case)
        self.assertEqual(smallest.case["pods"], [], smallest.case)


if __name__ == "__main__":
    unittest.main()
