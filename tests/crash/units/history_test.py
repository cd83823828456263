"""The recorder loses nothing: neither when a watch breaks nor when a server has forgotten; or it says that it has."""

import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from event import ADDED, DELETED, MODIFIED  # noqa: E402
from history import KindRecorder  # noqa: E402


class Server:
    """An API server with one kind of objects and a watch cache that can forget. It is the Api of the recorder."""
    headers: dict = {}

    def __init__(self):
        self.changes: list[tuple[int, str, str]] = []  # version, change, name
        self.version = 10
        self.oldest_watch = 0
        self.oldest_list = 0
        self.on_watch_end = lambda: None

    def change(self, change: str, name: str) -> None:
        self.version += 1
        self.changes.append((self.version, change, name))

    def thing(self, name: str, version: int) -> dict:
        return {"metadata": {"name": name, "uid": name, "resourceVersion": str(version), "managedFields": []}}

    def listed(self, at: int) -> dict:
        there: dict[str, dict] = {}
        for version, change, name in self.changes:
            if version <= at:
                there.pop(name, None)
                if change != DELETED:
                    there[name] = self.thing(name, version)
        return {"metadata": {"resourceVersion": str(at)}, "items": list(there.values())}

    def request(self, method: str, path: str) -> tuple[int, dict]:
        if "resourceVersion=" not in path:
            return 200, self.listed(self.version)
        at = int(path.partition("resourceVersion=")[2].partition("&")[0])
        return (200, self.listed(at)) if at >= self.oldest_list else (410, {"message": "compacted"})

    insist = request

    def connect(self, timeout_seconds: float) -> "Watch":
        return Watch(self)


class Watch:
    """A connection with a watch on it that ends when there is nothing more to tell."""

    def __init__(self, server: Server):
        self.server, self.sock, self.status = server, self, 200

    def settimeout(self, seconds) -> None:
        pass

    def close(self) -> None:
        pass

    def request(self, method: str, path: str, headers: dict) -> None:
        since = int(path.partition("resourceVersion=")[2].partition("&")[0])
        server = self.server
        if since < server.oldest_watch:
            self.frames = [{"type": "ERROR", "object": {"code": 410}}]
        else:
            self.frames = [{"type": change, "object": server.thing(name, version)}
                           for version, change, name in server.changes if version > since]

    def getresponse(self) -> "Watch":
        return self

    def readline(self) -> bytes:
        if self.frames:
            return json.dumps(self.frames.pop(0)).encode()
        self.server.on_watch_end()
        return b""


class Recording(unittest.TestCase):
    def setUp(self):
        self.server, self.told = Server(), []
        self.recorder = KindRecorder(self.server, "pods", lambda event: self.told.append(
            (event.version, event.change, event.name)))
        self.stages = []
        self.server.on_watch_end = self.next_stage

    def next_stage(self):
        if self.stages:
            self.stages.pop(0)()
        else:
            self.recorder._is_stopping = True

    def record(self, *stages):
        """Runs until all stages, each of which comes when a watch has broken, are over."""
        self.stages = list(stages)
        self.recorder._run()

    def test_it_begins_with_what_is_there(self):
        self.server.change(ADDED, "b")
        self.server.change(ADDED, "a")
        self.server.change(MODIFIED, "b")
        self.record()
        self.assertEqual(self.told, [(12, ADDED, "a"), (13, ADDED, "b")])

    def test_a_broken_watch_goes_on_where_it_was(self):
        self.record(lambda: self.server.change(ADDED, "a"), lambda: self.server.change(MODIFIED, "a"),
                    lambda: self.server.change(DELETED, "a"))
        self.assertEqual(self.told, [(11, ADDED, "a"), (12, MODIFIED, "a"), (13, DELETED, "a")])

    def lose(self):
        """Much happens, and the server restarts without a memory of it."""
        for change, name in ((ADDED, "a"), (MODIFIED, "a"), (ADDED, "b"), (DELETED, "a"), (ADDED, "c"), (DELETED, "c")):
            self.server.change(change, name)
        self.server.oldest_watch = self.server.version

    def test_what_a_restarted_server_has_forgotten_is_listed(self):
        self.record(self.lose)
        self.assertEqual(self.told, [(11, ADDED, "a"), (12, MODIFIED, "a"), (13, ADDED, "b"), (14, DELETED, "a"),
                                     (15, ADDED, "c"), (16, DELETED, "c")])
        self.assertEqual(self.recorder.void, "")

    def test_what_cannot_be_listed_either_makes_the_history_void(self):
        self.server.oldest_list = 13
        self.record(self.lose)
        self.assertIn("version 11 was missed and cannot be listed: compacted", self.recorder.void)


if __name__ == "__main__":
    unittest.main()
