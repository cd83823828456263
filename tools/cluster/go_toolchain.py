"""Finds a Go that is new enough for the wrapper modules, or has an older Go fetch one as a module.

Never installs a package and never changes the Go that it found.
"""

import json
import os
import platform
import re
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from failures import Failed, Unavailable

NEEDED = (1, 26)
FETCHED = "1.26.8"
DEBIAN_GO = "/usr/lib/go-1.19/bin/go"
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
NETWORK_TROUBLE = re.compile(r"dial tcp|no such host|i/o timeout|connection re(fused|set)|proxyconnect|TLS handshake|"
                             r"x509:|network is unreachable|Client\.Timeout|module lookup disabled|50[234] ")


def version_of(go: str) -> tuple[int, int] | None:
    environment = os.environ | {"GOTOOLCHAIN": "local"}
    try:
        said = subprocess.run([go, "version"], env=environment, cwd="/", capture_output=True, text=True, check=False)
    except OSError:
        return None
    found = re.search(r"go version go(\d+)\.(\d+)", said.stdout)
    return (int(found[1]), int(found[2])) if found else None


def candidates() -> list[tuple[tuple[int, int], str]]:
    """The Go that GS_GO names, or every Go on this machine that runs, the newest first."""
    named = os.environ.get("GS_GO")
    paths = [named] if named else [shutil.which("go"), DEBIAN_GO]
    found = [(version_of(path), path) for path in paths if path]
    return sorted((pair for pair in found if pair[0]), reverse=True)


def raise_for(what: str, said: str) -> None:
    """A machine without a way to the modules skips; anything else that goes wrong is a failure."""
    if NETWORK_TROUBLE.search(said):
        raise Unavailable(f"{what}: Go modules cannot be fetched here, so tests on a real cluster are skipped.\n{said}")
    raise Failed(f"{what} failed; run it again with the network up, or read what Go says:\n{said}")


def make_runnable(root: Path) -> None:
    """Module archives carry no permission to execute."""
    for path in [*(root / "bin").iterdir(), *(root / "pkg" / "tool").rglob("*")]:
        if path.is_file() and not os.access(path, os.X_OK):
            path.chmod(path.stat().st_mode | 0o111)


def fetch_with(go: str) -> str:
    """Fetches a newer Go as a module, into the module cache of `go`."""
    architecture = ARCHITECTURES.get(platform.machine())
    if not architecture:
        raise Unavailable(f"no Go is known for {platform.machine()}; tests on a real cluster are skipped.")
    module = f"golang.org/toolchain@v0.0.1-go{FETCHED}.linux-{architecture}"
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([go, "mod", "download", "-json", module], cwd=folder, text=True, capture_output=True,
                              env=os.environ | {"GOTOOLCHAIN": "local"}, check=False)
    if done.returncode != 0:
        raise_for(f"fetching Go {FETCHED} with {go}", done.stdout + done.stderr)
    root = Path(json.loads(done.stdout)["Dir"])
    make_runnable(root)
    return str(root / "bin" / "go")


@cache
def find() -> str:
    """The path of a Go that can build the wrappers. Throws Unavailable where there is none and none can be had."""
    found = candidates()
    if not found:
        raise Unavailable("Go is not installed, so tests on a real cluster are skipped. On Debian 12: "
                          "apt-get install golang-1.19-go (it fetches the newer Go that is needed).")
    version, path = found[0]
    return path if version >= NEEDED else fetch_with(path)
