"""Watches how much memory processes have, and whether it stays the same."""

import statistics
import threading
from collections import defaultdict

from replicas import Replica

SECONDS_BETWEEN = 2
FEWEST_SAMPLES = 40
MOST_GROWTH = 1.2


class MemoryWatch:
    """Samples whoever is a member, until it is stopped."""

    def __init__(self, members):
        self.members = members  # a function
        self.samples: dict[Replica, list[int]] = defaultdict(list)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="memory", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.wait(SECONDS_BETWEEN):
            for member in list(self.members()):
                if (kib := member.memory_kib) > 0:
                    self.samples[member].append(kib)

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()


def growth(samples: list[int]) -> float | None:
    """The last quarter's median as a multiple of the second quarter's; None: too few to say. The first does not count:
    a process fills its caches then."""
    if len(samples) < FEWEST_SAMPLES:
        return None
    quarter = len(samples) // 4
    return statistics.median(samples[-quarter:]) / statistics.median(samples[quarter:2 * quarter])
