"""No GPU is given twice and none is lost, whatever happens to the bytes between schedulers and API server.

Many requests share a connection there.
"""

import dataclasses
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))

from a_plane import a_world  # noqa: E402
from campaign import Campaign  # noqa: E402
from storm_test import settings  # noqa: E402

MOST_FAULTS = 14  # of each kind one, in all


class OnTheWire(unittest.TestCase):
    def test_no_lost_or_late_bytes_give_a_gpu_to_two_pods_or_lose_one(self):
        given = settings()
        world = a_world("wire", self.addCleanup, on_wire=True)
        problems = Campaign(world, dataclasses.replace(given, faults=min(given.faults, MOST_FAULTS))).run()
        if problems:
            self.fail("\n".join(problems))


if __name__ == "__main__":
    unittest.main()
