"""Which faults a run has, and when memory grows."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from faults import FAULTS, choose  # noqa: E402
from memory import growth  # noqa: E402

OF_REQUESTS = [fault for fault in FAULTS if not fault.on_wire]


class Choosing(unittest.TestCase):
    def test_names_are_told_apart(self):
        self.assertEqual(len({fault.name for fault in FAULTS}), len(FAULTS))

    def test_the_same_seed_gives_the_same_order(self):
        self.assertEqual(choose(50, 4), choose(50, 4))
        self.assertNotEqual(choose(50, 4), choose(50, 5))

    def test_thirty_have_some_of_every_group_and_none_twice(self):
        for seed in range(20):
            chosen = choose(30, seed)
            self.assertEqual({fault.group for fault in chosen}, {fault.group for fault in OF_REQUESTS})
            self.assertEqual(len(set(fault.name for fault in chosen)), 30)

    def test_all_come_before_any_comes_again(self):
        chosen = choose(2 * len(OF_REQUESTS), 1)
        self.assertEqual({fault.name for fault in chosen[:len(OF_REQUESTS)]}, {fault.name for fault in OF_REQUESTS})

    def test_what_cannot_be_done_is_left_out(self):
        self.assertFalse([fault for fault in choose(100, 1, has_own_plane=False) if fault.needs_own_plane])
        self.assertFalse([fault for fault in choose(100, 1, spares_leader=True) if not fault.spares_leader])
        self.assertEqual(choose(100, 1, only="no such fault"), [])

    def test_bytes_are_lost_only_where_there_is_a_relay(self):
        self.assertFalse([fault for fault in choose(200, 1) if fault.on_wire])
        on_wire = choose(14, 1, on_wire=True)
        self.assertEqual({fault.name for fault in on_wire}, {fault.name for fault in FAULTS if fault.on_wire})


class Memory(unittest.TestCase):
    def test_what_fills_its_caches_first_has_not_grown(self):
        self.assertAlmostEqual(growth([50] * 10 + [100] * 30), 1.0)

    def test_what_grows_all_the_time_has(self):
        self.assertGreater(growth(list(range(100, 200))), 1.3)

    def test_too_few_samples_say_nothing(self):
        self.assertIsNone(growth([1, 2, 3]))


if __name__ == "__main__":
    unittest.main()
