"""gpu-local for tests: each cluster has a folder of its own, so that nothing of the user's is seen or touched."""

import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ.get("GS_PROGRAMS", ROOT / "build" / "dev" / "bin"))
PROGRAM = PROGRAMS / "gpu-local"
CLUSTER = ROOT / "tools" / "cluster" / "cluster"
DEADLINE = 120  # seconds; only a machine that hangs needs so many


def wait_until(what: str, is_so, deadline: float = DEADLINE):
    """What `is_so` returns, once it is true."""
    end = time.monotonic() + deadline
    while True:
        found = is_so()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"not so after {deadline} s: {what}")
        time.sleep(0.05)


class LocalCluster:
    """A cluster that runs in the background between `up` and `close`."""

    def __init__(self, *options: str, up: bool = True):
        self.folder = Path(tempfile.mkdtemp(prefix="gpu-local-test-"))
        self.environment = os.environ | {"XDG_RUNTIME_DIR": str(self.folder)}
        self.environment.pop("KUBECONFIG", None)
        if up:
            done = self.up(*options)
            if done.returncode != 0:
                shutil.rmtree(self.folder)
                raise AssertionError(f"gpu-local up: {done.stderr}")

    def run(self, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run([PROGRAM, *arguments], env=self.environment, text=True, capture_output=True, check=False,
                              timeout=DEADLINE)

    def up(self, *options: str) -> subprocess.CompletedProcess:
        return self.run("up", "--background", *options)

    @property
    def state(self) -> Path:
        return self.folder / "gpu-local"

    @property
    def kubeconfig(self) -> Path:
        return self.state / "gpu-local.kubeconfig"

    def kubectl(self, *arguments: str, stdin: str = "") -> str:
        done = subprocess.run([kubectl(), f"--kubeconfig={self.kubeconfig}", f"--cache-dir={self.folder}/cache", *arguments],
                              input=stdin, cwd=ROOT, text=True, capture_output=True, check=False, timeout=DEADLINE)
        if done.returncode != 0:
            raise AssertionError(f"kubectl {' '.join(arguments)}: {done.stdout}{done.stderr}")
        return done.stdout

    def get(self, *arguments: str) -> dict:
        return json.loads(self.kubectl("get", "-o", "json", *arguments))

    def close(self) -> None:
        self.run("down")
        shutil.rmtree(self.folder, ignore_errors=True)


def kubectl() -> str:
    global _KUBECTL
    if not _KUBECTL:
        _KUBECTL = subprocess.run([CLUSTER, "path", "kubectl"], text=True, capture_output=True,
                                  check=True).stdout.strip().splitlines()[-1]
    return _KUBECTL


_KUBECTL = ""
