"""When each pod was first seen bound, by a watch of its own thread."""

import http.client
import json
import re
import ssl
import threading
import time
import urllib.request
from pathlib import Path

# Of the bytes of an event, because reading all of it as JSON would cost more than what is measured.
NAME = re.compile(rb'"metadata":\{"name":"([^"]+)"')
VERSION = re.compile(rb'"resourceVersion":"(\d+)"')
NODE = re.compile(rb'"nodeName":"([^"]+)"')


class BoundTimes(threading.Thread):
    """Of the pods of one namespace, from now on."""

    def __init__(self, server: str, pki: Path, namespace: str):
        super().__init__(daemon=True)
        self.context = ssl.create_default_context(cafile=str(pki / "ca.crt"))
        self.context.load_cert_chain(pki / "admin.crt", pki / "admin.key")
        self.pods = f"{server}/api/v1/namespaces/{namespace}/pods"
        self.seen: dict[str, float] = {}
        self.missing: set[str] = set()  # somebody waits until there are no more than so many of them
        self.may_be_missing = 0
        self.changed = threading.Condition()
        with self._get("?limit=1") as answer:
            self.version = json.load(answer)["metadata"]["resourceVersion"]
        self.start()

    def _get(self, query: str):
        return urllib.request.urlopen(self.pods + query, context=self.context)  # noqa: S310

    def run(self) -> None:
        while True:
            try:
                with self._get(f"?watch=1&resourceVersion={self.version}") as stream:
                    for line in stream:
                        self._take(line)
            except http.client.HTTPException:
                continue  # slow watchers are cut off
            except OSError:
                return  # the plane has ended

    def _take(self, line: bytes) -> None:
        if version := VERSION.search(line):
            self.version = version.group(1).decode()
        node, name = NODE.search(line), NAME.search(line)
        if not node or not name:
            return
        with self.changed:
            if name.group(1).decode() not in self.seen:
                self.seen[name.group(1).decode()] = time.monotonic()
                self.missing.discard(name.group(1).decode())
                if len(self.missing) <= self.may_be_missing:
                    self.changed.notify_all()

    def wait_for(self, names: list[str], seconds: float, is_alive=lambda: True, count: int | None = None) -> bool:
        """Whether all of them, or so many, are bound by then, while whoever binds them is alive.

        Wakes only then: what is measured runs on the same processors."""
        deadline = time.monotonic() + seconds
        with self.changed:
            self.missing = {name for name in names if name not in self.seen}
            self.may_be_missing = 0 if count is None else len(names) - count
            while len(self.missing) > self.may_be_missing:
                if time.monotonic() >= deadline or not is_alive():
                    return False
                self.changed.wait(timeout=0.5)
        return True

    def count(self, names: list[str]) -> int:
        with self.changed:
            return sum(name in self.seen for name in names)

    def times(self, names: list[str]) -> list[float]:
        with self.changed:
            return [self.seen[name] for name in names]
