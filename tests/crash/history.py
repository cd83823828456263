"""The recorder: takes the whole history of some kinds out of an API server, without gaps, over connections of its own.

A watch that breaks goes on from the last version. A server that has restarted does not know older versions in its
watch cache; then every version in between is listed from its storage one by one, and the changes follow from that.
Where that is impossible too, the history is void, and says so: nothing may be concluded from it.

All kinds lie in one storage, so that versions order the changes of all of them.
"""

import json
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

from api import BROKEN, Api
from event import ADDED, DELETED, MODIFIED, Event

KINDS = {
    "pods": "/api/v1/pods",
    "nodes": "/api/v1/nodes",
    "leases": "/apis/coordination.k8s.io/v1/leases",
    "gpuclaims": "/apis/gpu.scheduling/v1/gpuclaims",
    "gpunodestatuses": "/apis/gpu.scheduling/v1/gpunodestatuses",
}
MOST_VERSIONS_TO_LIST = 3000
WATCH_SECONDS = 300


class Gone(Exception):
    """The server has forgotten this version."""


class Void(Exception):
    """There is a gap, so nothing can be concluded."""


def version_of(thing: dict) -> int:
    return int(thing["metadata"]["resourceVersion"])


def trim(thing: dict) -> dict:
    thing["metadata"].pop("managedFields", None)
    return thing


class KindRecorder:
    """One kind, on a thread of its own."""

    def __init__(self, api: Api, kind: str, tell: Callable[[Event], None]):
        self.api, self.kind, self.path, self.tell = api, kind, KINDS[kind], tell
        self.objects: dict[str, dict] = {}  # by UID
        self.version = 0  # everything up to here was told
        self.void = ""
        self.has_begun = threading.Event()
        self._connection = None
        self._is_stopping = False
        self._thread = threading.Thread(target=self._run, name=f"history of {kind}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._is_stopping = True
        try:
            self._connection.sock.shutdown(socket.SHUT_RDWR)  # it may wait for the next change
        except (OSError, AttributeError):
            pass  # there is none at this moment
        self._thread.join(timeout=30)

    def _run(self) -> None:
        while not self._is_stopping and not self.void:
            try:
                if not self.has_begun.is_set():
                    self._begin()
                self._watch()
            except Gone:
                self._fill_gap()
            except Void as reason:
                self.void = str(reason)
            except BROKEN:
                time.sleep(0.1)

    def _begin(self) -> None:
        status, listed = self.api.request("GET", self.path)
        if status != 200:
            raise OSError(f"listing {self.kind} answered {status}")
        self._compare(listed["items"], version_of(listed))
        self.has_begun.set()

    def _watch(self) -> None:
        connection = self.api.connect(timeout_seconds=30)
        try:
            connection.request("GET", f"{self.path}?watch=1&allowWatchBookmarks=true&resourceVersion={self.version}"
                               f"&timeoutSeconds={WATCH_SECONDS}", headers=self.api.headers)
            answer = connection.getresponse()
            if answer.status == 410:
                raise Gone
            if answer.status != 200:
                time.sleep(0.2)
                return
            connection.sock.settimeout(None)
            self._connection = connection
            while not self._is_stopping and (line := answer.readline()):
                self._frame(json.loads(line))
        finally:
            connection.close()

    def _frame(self, frame: dict) -> None:
        thing = frame["object"]
        if frame["type"] == "ERROR":
            if thing.get("code") == 410:
                raise Gone
            raise OSError(thing.get("message", "the watch failed"))
        if frame["type"] == "BOOKMARK":
            self.version = max(self.version, version_of(thing))
        else:
            self._note(frame["type"], version_of(thing), thing)

    def _note(self, change: str, version: int, thing: dict) -> None:
        if version <= self.version:
            return
        uid = thing["metadata"]["uid"]
        if change == DELETED:
            self.objects.pop(uid, None)
        else:
            self.objects[uid] = thing
        self.version = max(self.version, version)
        self.tell(Event(self.kind, change, version, time.time(), trim(thing)))

    def _fill_gap(self) -> None:
        """Lists every version that was missed."""
        try:
            now = version_of(self.api.insist("GET", f"{self.path}?limit=1")[1])
            if now - self.version > MOST_VERSIONS_TO_LIST:
                raise Void(f"{self.kind}: {now - self.version} versions were missed, too many to list")
            for version in range(self.version + 1, now + 1):
                self._list_at(version)
        except TimeoutError as error:
            self.void = f"{self.kind}: {error}"
        except Void as reason:
            self.void = str(reason)

    def _list_at(self, version: int) -> None:
        status, listed = self.api.insist("GET", f"{self.path}?resourceVersion={version}&resourceVersionMatch=Exact")
        if status != 200:
            raise Void(f"{self.kind}: version {version} was missed and cannot be listed: {listed.get('message')}")
        self._compare(listed["items"], version)

    def _compare(self, items: list[dict], version: int) -> None:
        """Tells what is different from what was known. Of one version there is one change at most, but at the start."""
        there = {item["metadata"]["uid"]: item for item in items}
        for uid, thing in sorted(self.objects.items()):
            if uid not in there:
                self._note(DELETED, version, thing)
        for uid, item in sorted(there.items(), key=lambda pair: version_of(pair[1])):
            if uid not in self.objects:
                self._note(ADDED, version_of(item), item)
            elif version_of(item) > version_of(self.objects[uid]):
                self._note(MODIFIED, version_of(item), item)
        self.version = max(self.version, version)


class Recorder:
    """Tells each event to `see`, one at a time, and writes it down."""

    def __init__(self, api: Api, file: Path, see: Callable[[Event], None]):
        self._see, self._lock = see, threading.Lock()
        self._file = open(file, "w", encoding="utf-8")
        self._kinds = [KindRecorder(api, kind, self.tell) for kind in KINDS]

    def start(self) -> None:
        for kind in self._kinds:
            kind.start()
        for kind in self._kinds:
            if not kind.has_begun.wait(60):
                raise TimeoutError(f"{kind.kind} could not be listed")

    def stop(self) -> None:
        for kind in self._kinds:
            kind.stop()
        with self._lock:
            self._file.close()

    @property
    def void(self) -> str:
        """Why nothing can be concluded; empty: all is well."""
        return "; ".join(kind.void for kind in self._kinds if kind.void)

    def with_all_told(self, function):
        """Calls it while no event is being told."""
        with self._lock:
            return function()

    def tell(self, event: Event) -> None:
        with self._lock:
            if not self._file.closed:
                self._file.write(json.dumps([event.seconds, event.kind, event.change, event.version, event.object]))
                self._file.write("\n")
                self._see(event)
