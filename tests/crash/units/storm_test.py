"""A storm follows from its seed, and has everything in it."""

import itertools
import sys
import unittest
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from storm import ASKS, MOST_PODS, Plan  # noqa: E402


def actions(seed: int, count: int) -> list:
    return list(itertools.islice(Plan(seed), count))


class Plans(unittest.TestCase):
    def test_the_same_seed_gives_the_same_plan(self):
        self.assertEqual(actions(7, 2000), actions(7, 2000))
        self.assertNotEqual(actions(7, 2000), actions(8, 2000))

    def test_everything_happens(self):
        plan = actions(1, 2000)
        whats = {"make", "make again", "run", "finish", "fail", "cut off", "delete", "force delete", "replace",
                 "place foreign", "end foreign"}
        self.assertEqual({action.what for action in plan}, whats)
        self.assertEqual({action.ask for action in plan if action.what == "make"}, set(ASKS))
        foreign = {action.ask.partition(" ")[2] for action in plan if action.what == "place foreign"}
        self.assertEqual(foreign, {"nvidia.com/gpu", "amd.com/gpu", "nvidia.com/gpu.shared"})

    def test_names_come_back_and_there_is_never_more_than_agreed(self):
        plan = Plan(3)
        made = Counter()
        for action in itertools.islice(plan, 3000):
            made[action.name] += action.what == "make"
            self.assertLessEqual(len(plan.there), MOST_PODS)
        self.assertGreater(max(made.values()), 5)


if __name__ == "__main__":
    unittest.main()
