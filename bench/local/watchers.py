"""Watches of all pods, each in a thread of its own, that only count: reading JSON would cost more than what is measured."""

import http.client
import threading
import time

from engines import Engine


class Watcher(threading.Thread):
    """Counts the changes of pods after `version`; begins again when the server ends the watch, as it does with slow ones."""

    def __init__(self, engine: Engine, version: str = "0"):
        super().__init__(daemon=True)
        self.engine = engine
        self.version = version
        self.seen = 0
        self.is_open = threading.Event()
        self.is_wanted = True
        self.start()

    def run(self) -> None:
        while self.is_wanted:
            self.seen = 0
            connection = self.engine.connection()
            try:
                connection.request("GET", f"/api/v1/pods?watch=1&resourceVersion={self.version}")
                answer = connection.getresponse()
                self.is_open.set()
                while self.is_wanted and (piece := answer.read1(1 << 20)):
                    self.seen += piece.count(b"\n")
            except (OSError, http.client.HTTPException):
                pass  # slow watchers are cut off
            finally:
                connection.close()


def fan_out(engine: Engine, version: str, watchers: int, changes: int, make_changes) -> float:
    """Changes per second that arrive at the watchers, all of them together, while `make_changes` makes so many."""
    all_of_them = [Watcher(engine, version) for _ in range(watchers)]
    try:
        for watcher in all_of_them:
            if not watcher.is_open.wait(60):
                raise TimeoutError(f"{engine.name}: a watch did not begin within a minute")
        began = time.monotonic()
        make_changes()
        while any(watcher.seen < changes for watcher in all_of_them):
            if time.monotonic() - began > 300:
                raise TimeoutError(f"{engine.name}: not all watchers have seen {changes} changes after 5 minutes")
            time.sleep(0.005)
        return watchers * changes / (time.monotonic() - began)
    finally:
        for watcher in all_of_them:
            watcher.is_wanted = False
