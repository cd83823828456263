"""What the tests of tools/cluster share: calling the program, and looking for what it left behind."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

DEADLINE = 120  # seconds; only a machine that hangs needs so many
PROGRAM = Path(__file__).resolve().parents[2] / "tools" / "cluster" / "cluster"
sys.path.insert(0, str(PROGRAM.parent))

from api_client import ApiClient  # noqa: E402  found only now


def cluster(*words: str, check: bool = True, **options) -> subprocess.CompletedProcess:
    """Calls the program and shows everything it said when it fails."""
    done = subprocess.run([PROGRAM, *words], text=True, capture_output=True, check=False, **options)
    if check and done.returncode != 0:
        raise AssertionError(f"cluster {' '.join(words)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


def processes_about(text: str) -> list[str]:
    """The command lines of living processes that contain the text, without this one."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if text in line:
            found.append(f"{entry.name} {line[:120]}")
    return found


def wait_until(is_true, seconds: float = DEADLINE) -> bool:
    deadline = time.monotonic() + seconds
    while not is_true():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def wait_for_kinds(kubectl, *kinds: str) -> None:
    """Until they are served. `kubectl wait` would give up on a definition that has no conditions yet.

    `kubectl` is a method that raises where the program fails.
    """
    def are_served() -> bool:
        try:
            kubectl("get", ",".join(kinds))
        except (AssertionError, subprocess.CalledProcessError):
            return False
        return True

    if not wait_until(are_served, 120):
        raise AssertionError(f"not served: {', '.join(kinds)}")


def listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(5)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def lists_of(client: ApiClient) -> list[str]:
    """The path of every list that the API server serves."""
    groups = client.request("GET", "/apis")[1]["groups"]
    served = ["/api/v1", *(f"/apis/{version['groupVersion']}" for group in groups for version in group["versions"])]
    return [f"{path}/{each['name']}" for path in served for each in client.request("GET", path)[1]["resources"]
            if "list" in each["verbs"]]


class PlaneUnderTest:
    """A plane in a folder of its own, brought up and down through the program."""

    def __init__(self, name: str):
        self.parent = tempfile.TemporaryDirectory(prefix="cluster-test-")
        self.folder = Path(self.parent.name) / name
        self.options = ("--name", name, "--dir", str(self.folder))

    def up(self, *words: str) -> "PlaneUnderTest":
        self.said = self.call("up", *words).stdout
        return self

    def close(self) -> None:
        if (self.folder / "state.json").exists():
            self.call("down")
        self.parent.cleanup()

    def call(self, *words: str, check: bool = True) -> subprocess.CompletedProcess:
        return cluster(*words, *self.options, check=check)

    def kubectl(self, *words: str, stdin: str = "", check: bool = True) -> subprocess.CompletedProcess:
        return subprocess.run([self.folder / "bin" / "kubectl", f"--kubeconfig={self.folder}/admin.kubeconfig", *words],
                              input=stdin, text=True, capture_output=True, check=check)

    def json(self, *words: str) -> dict:
        return json.loads(self.kubectl(*words, "-o", "json").stdout)

    def client(self):
        return ApiClient(self.state()["apiserver_port"], self.folder / "pki")

    def everything(self) -> set[tuple[str, str, str]]:
        """Every object of every kind but Events, which go by themselves: path of its list, namespace, name."""
        with self.client() as client:
            return {(path, each["metadata"].get("namespace", ""), each["metadata"]["name"]) for path in lists_of(client)
                    if not path.endswith("/events") for each in client.request("GET", path)[1].get("items", [])}

    def state(self) -> dict:
        return json.loads((self.folder / "state.json").read_text(encoding="utf-8"))

    def ports(self) -> list[int]:
        return [value for name, value in self.state().items() if name.endswith("_port")]
