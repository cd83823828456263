"""What became of Argo CD's Applications, in the order in which the API server tells it."""

import json
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass

from argo_cd import NAMESPACE
from support import PlaneUnderTest


@dataclass(frozen=True)
class Seen:
    kind: str  # ADDED, MODIFIED or DELETED
    name: str
    state: str
    is_good: bool  # in sync with what its spec asks for, and healthy
    revision: str  # that its spec asks for; empty where there are several sources


def state_of(application: dict) -> str:
    """Sync and health, such as Synced/Healthy; empty when Argo CD has not looked at it."""
    status = application.get("status", {})
    return f"{status.get('sync', {}).get('status')}/{status.get('health', {}).get('status')}" if status else ""


def seen_in(event: dict) -> Seen:
    found = event["object"]
    spec, status = found["spec"], found.get("status", {})
    compared = status.get("sync", {}).get("comparedTo", {})
    revision = spec.get("source", {}).get("targetRevision", "")
    state = state_of(found)
    is_good = state == "Synced/Healthy" and compared.get("source", {}).get("targetRevision", "") == revision
    return Seen(event["type"], found["metadata"]["name"], state, is_good, revision)


class ApplicationLog:
    def __init__(self, plane: PlaneUnderTest):
        self.seen: list[Seen] = []
        self.there: dict[str, dict] = {}  # by name, as they are now
        command = [plane.folder / "bin" / "kubectl", f"--kubeconfig={plane.folder}/admin.kubeconfig", "get",
                   "applications.argoproj.io", "-n", NAMESPACE, "--watch", "--output-watch-events", "-o", "json"]
        self.process = subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        """An event is a line."""
        for line in self.process.stdout:
            self._take(json.loads(line))

    def _take(self, event: dict) -> None:
        name = event["object"]["metadata"]["name"]
        if event["type"] == "DELETED":
            self.there.pop(name, None)
        else:
            self.there[name] = event["object"]
        self.seen.append(seen_in(event))

    def close(self) -> None:
        self.process.terminate()
        self.process.wait()
        self.reader.join()

    def state(self, name: str) -> str:
        return state_of(self.there.get(name, {}))

    def states(self) -> dict[str, str]:
        return {name: state_of(each) for name, each in list(self.there.items())}

    def now(self) -> int:
        """A place in the log, for what comes after it."""
        return len(self.seen)

    def first(self, is_it: Callable[[Seen], bool], since: int = 0) -> int | None:
        """Where something was seen first."""
        return next((place for place, seen in enumerate(self.seen) if place >= since and is_it(seen)), None)

    def added(self, name: str, since: int = 0) -> int | None:
        return self.first(lambda seen: seen.kind == "ADDED" and seen.name == name, since)

    def good(self, name: str, since: int = 0, revision: str | None = None) -> int | None:
        def is_it(seen: Seen) -> bool:
            return seen.name == name and seen.is_good and revision in (None, seen.revision)

        return self.first(is_it, since)

    def asked_for(self, name: str, revision: str, since: int = 0) -> int | None:
        return self.first(lambda seen: seen.name == name and seen.revision == revision, since)

    def deleted(self, since: int = 0) -> list[str]:
        """Names in the order in which they went away."""
        return [seen.name for seen in self.seen[since:] if seen.kind == "DELETED"]
