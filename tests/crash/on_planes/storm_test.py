"""Whatever is killed, paused, delayed, lost, refused, deleted or edited: no GPU is given twice, and none is lost."""

import json
import os
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))

from a_plane import a_world  # noqa: E402
from campaign import Campaign, Settings  # noqa: E402


def settings() -> Settings:
    """As tests/crash/run was told."""
    return Settings(**{"seed": 1, "faults": 30}
                    | json.loads(os.environ.get("GS_CRASH_SETTINGS", "{}")))


class Storming(unittest.TestCase):
    def test_no_fault_gives_a_gpu_to_two_pods_or_loses_one(self):
        world = a_world("storm", self.addCleanup)
        problems = Campaign(world, settings()).run()
        if problems:
            self.fail("\n".join(problems))


if __name__ == "__main__":
    unittest.main()
