"""Picks loopback ports that nobody listens on.

They come from below the range the kernel hands out to outgoing connections, so that no connection of somebody else sits
on a port while a server of ours restarts. Two planes that start in the same moment can still pick the same port; the
one that loses picks again (lifecycle.py).
"""

import random
import socket

from failures import Failed

FIRST, LAST = 20000, 32000


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def pick(count: int) -> list[int]:
    found: set[int] = set()
    for _ in range(1000):
        port = random.randint(FIRST, LAST)
        if port not in found and is_free(port):
            found.add(port)
        if len(found) == count:
            return list(found)
    raise Failed(f"no {count} free ports between {FIRST} and {LAST} on 127.0.0.1")
