"""kube-scheduler's own filters and ours say the same of every node of generated clusters."""

import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from comparison import OURS, ROOT, Disagreement, compare  # noqa: E402
from settings import settings  # noqa: E402
from shrink import shrink  # noqa: E402

RESULTS = ROOT / "build" / "test-results"
# Each refuses at least so many of 1,000 nodes, and so many fit, else the cases say little about it.
LEAST_PER_THOUSAND = {"": 200, "NodeAffinity": 20, "NodeResourcesFit": 20, "NodeUnschedulable": 10, "TaintToleration": 20}
RULES = ("resources", "node-selector", "node-affinity", "taints", "cordons")
CASES_WITH_A_RULE_OFF = 1000


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

    def test_each_is_missed(self):
        for rule in RULES:
            with self.subTest(rule):
                found = compare(settings().seeds(CASES_WITH_A_RULE_OFF), (rule,))
                self.assertTrue(found.disagreements, f"{OURS} without {rule}: {found}")

    def test_what_is_found_is_made_small(self):
        found = compare(settings().seeds(CASES_WITH_A_RULE_OFF), ("taints",)).disagreements[0]
        smallest = shrink(found, ("taints",))
        self.assertEqual(len(smallest.case["nodes"]), 1, smallest.case)
        self.assertEqual(len(smallest.case["nodes"][0]["spec"]["taints"]), 1, smallest.case)
        self.assertEqual(smallest.case["pods"], [], smallest.case)


if __name__ == "__main__":
    unittest.main()
