"""A GPU that two pods have is found, and only while both live."""

import unittest

from pod_stream import held_twice


def pod(allocated: str, phase: str = "Running") -> dict:
    return {"metadata": {"annotations": {"gpu.scheduling/allocated": allocated}}, "status": {"phase": phase}}


class HeldTwice(unittest.TestCase):
    def test_one_gpu_in_two_sets_is_found(self):
        self.assertEqual(held_twice([pod("a:0,1,2"), pod("a:2,3", "Pending")]), ["a:2"])

    def test_the_same_ids_of_two_nodes_are_different_gpus(self):
        self.assertEqual(held_twice([pod("a:0"), pod("b:0")]), [])

    def test_pods_that_have_ended_or_have_nothing_hold_nothing(self):
        waiting = {"metadata": {}, "status": {"phase": "Pending"}}
        self.assertEqual(held_twice([pod("a:0", "Succeeded"), pod("a:0"), waiting, waiting]), [])
