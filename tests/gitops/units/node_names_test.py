"""How validate-applicationset.sh finds the nodes of a map: by the rule of the scheduler."""

import contextlib
import io
import unittest

import places  # noqa: F401  it shows the way to the next
import validate_applicationset as validating


def node(name: str, **labels: str) -> dict:
    return {"metadata": {"name": name, "labels": {key.replace("_", "-"): value for key, value in labels.items()}}}


# As in tests/scenarios/schedule/maps.yaml, where the scheduler is asked the same.
NODES = [node("node1", gpu_node="rack-7"), node("node2", gpu_node_name="west", gpu_node="rack-7"), node("node3", gpu_node="node1"),
         {"metadata": {"name": "bare"}}]


def said_of(word: str) -> tuple[int, str]:
    report, said = validating.Report(), io.StringIO()
    with contextlib.redirect_stdout(said):
        validating.check_node_of_map(report, word, NODES)
    return report.failures, said.getvalue()


class NodeNames(unittest.TestCase):
    def test_a_name_comes_before_a_label_and_one_label_before_the_other(self):
        self.assertEqual(validating.nodes_meant("node1", NODES), ["node1"])
        self.assertEqual(validating.nodes_meant("west", NODES), ["node2"])
        both = [*NODES, node("node4", gpu_node="west")]
        self.assertEqual(validating.nodes_meant("west", both), ["node2"])

    def test_what_is_there_is_said_with_its_own_name(self):
        self.assertEqual(said_of("bare"), (0, "ok      node bare of the map is there\n"))
        self.assertEqual(said_of("west"), (0, "ok      node node2 of the map is there, called west by a label\n"))

    def test_a_label_of_several_nodes_is_none(self):
        failures, said = said_of("rack-7")
        self.assertEqual(failures, 1)
        self.assertIn("node rack-7 of the map is the label of several nodes: node1, node2\n", said)

    def test_a_node_that_nobody_has_says_how_to_name_one_so(self):
        failures, said = said_of("node9")
        self.assertEqual(failures, 1)
        self.assertIn("kubectl label node <node> gpu-node-name=node9\n", said)


if __name__ == "__main__":
    unittest.main()
