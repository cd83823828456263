"""The generator makes the same case of the same seed, and shrinking keeps what matters."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from comparison import Disagreement  # noqa: E402
from generator.case import case  # noqa: E402
from shrink import shrink  # noqa: E402


class Generating(unittest.TestCase):
    def test_the_same_seed_gives_the_same_case(self):
        self.assertEqual(case("1-7"), case("1-7"))
        self.assertNotEqual(case("1-7"), case("1-8"))

    def test_names_are_unique(self):
        for number in range(200):
            made = case(f"1-{number}")
            names = [each["metadata"]["name"] for each in [*made["nodes"], *made["pods"], made["pod"]]]
            self.assertEqual(len(names), len(set(names)))


class Shrinking(unittest.TestCase):
    def test_keeps_only_what_the_two_disagree_about(self):
        def ask(cases, _rules_off):
            """They disagree as long as the second node has its taint."""
            def ours(case):
                return {node["metadata"]["name"]: "tainted" if node["spec"].get("taints") else ""
                        for node in case.get("nodes", [])}
            return [({"nodes": dict.fromkeys(ours(case), "")}, {"nodes": ours(case)}) for case in cases]

        whole = {"nodes": [{"metadata": {"name": "a", "labels": {"x": "y"}}, "spec": {}},
                           {"metadata": {"name": "b"}, "spec": {"taints": [{"key": "k", "effect": "NoExecute"}]}}],
                 "pods": [{"metadata": {"name": "p"}}],
                 "pod": {"metadata": {"name": "new"}, "spec": {"tolerations": [{}]}}}
        smallest = shrink(Disagreement("1-1", whole, {"b": ""}, {"b": "tainted"}), ask=ask)
        self.assertEqual(smallest.case, {"nodes": [whole["nodes"][1]], "pods": [],
                                         "pod": {"metadata": {"name": "new"}, "spec": {}}})


if __name__ == "__main__":
    unittest.main()
