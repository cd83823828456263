"""A module like wrappers/tools for the programs of another Kubernetes, written into the cache when it is first asked for.

What it is made of is what that Kubernetes was published with; Go's checksum database vouches for the sums.
"""

import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

import go_toolchain
from tool_table import cache_folder

MODULE = "k8s.io/kubernetes"
PROGRAMS = ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl", "kubelet")


def ask_go(go: str, words: list[str], folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run([go, *words], cwd=folder, env=environment, text=True, capture_output=True, check=False)
    if done.returncode != 0:
        go_toolchain.raise_for(f"go {' '.join(words)}", (done.stdout + done.stderr)[-4000:])
    return done.stdout


def text_of(version: str, published: str) -> str:
    """The parts of Kubernetes that are modules of their own lie in its folder there, and are fetched by number here."""
    _, minor, patch = version.split(".")
    parts = re.findall(r"^\s+(k8s\.io/\S+) => \./staging/", published, re.MULTILINE)
    lines = [f"module gpu-scheduler.test/tools/k8s-{version}", *re.findall(r"^(?:go|godebug) .*$", published, re.MULTILINE),
             f"require {MODULE} v{version}", *(f"tool {MODULE}/cmd/{program}" for program in PROGRAMS),
             *(f"replace {part} => {part} v0.{minor}.{patch}" for part in parts)]
    return "\n".join(lines) + "\n"


def folder(version: str, go: str, environment: dict[str, str]) -> Path:
    """Complete when it is there: it is written beside its place and renamed. The builder's lock keeps others out."""
    place = cache_folder() / "wrappers" / f"k8s-{version}"
    if place.exists():
        return place
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=".writing-") as scratch:
        written = Path(scratch) / "module"
        written.mkdir()
        found = json.loads(ask_go(go, ["mod", "download", "-json", f"{MODULE}@v{version}"], Path(scratch), environment))
        published = Path(found["GoMod"]).read_text(encoding="utf-8")
        (written / "go.mod").write_text(text_of(version, published), encoding="utf-8")
        ask_go(go, ["mod", "tidy"], written, environment)
        os.rename(written, place)
    return place
