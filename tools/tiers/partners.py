"""Tiers with partners (Helm, Argo CD, OpenShift's kinds, a container image, a real node) and when each has to run.

A partner tier runs in `make test` when its inputs changed since it was last green, or when it is its turn: every third run
at the latest. Otherwise the summary names the commit at which it was green. `make partners` runs them all.

Two records say when a tier was green with which inputs: the cache of this machine, written by every run, and tests/partners.json,
written by `make partners` to be committed, for machines whose cache is empty.
"""

import hashlib
import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from tiers import suites
from tiers.count import Count
from tiers.project import ROOT

TURN = 3  # a tier runs at least in every third run
COMMITTED = Path("tests") / "partners.json"
PINS = ("tools/cluster",)  # what decides the versions of the partners, and how they are started


@dataclass(frozen=True)
class Partner:
    tier: Callable[[Count], None]
    tools: tuple[str, ...]  # what tools/cluster builds for it, besides what the other tiers need
    inputs: tuple[str, ...]  # files and folders; what is in them decides whether the tier has to run


PARTNERS = {
    "charts": Partner(suites.charts_tier, ("helm4", "kubeconform"),
                      (*PINS, "charts", "hack", "tests/charts", "examples", "src/programs/webhook", "tests/webhook")),
    "docs": Partner(suites.docs_tier, ("helm4",),
                    (*PINS, "README.md", "docs", "examples", "charts", "hack", "tests/docs")),
    "gitops": Partner(suites.gitops_tier, ("helm4", "kubeconform", "kustomize"),
                      (*PINS, "deploy", "gitops", "charts", "tests/gitops")),
    "argocd": Partner(suites.argocd_tier, ("argocd", "kustomize", "helm4", "kubeconform"),
                      (*PINS, "deploy", "gitops", "charts", "tests/gitops")),
    "openshift": Partner(suites.openshift_tier, (),
                         (*PINS, "deploy/openshift", "tests/openshift", "src/core/machinesets", "src/adapters/machinesets",
                          "src/programs/machinesets")),
    "image": Partner(suites.image_tier, (), ("tools/image", "tools/push", "deploy/images", "tests/image")),
}


def files_under(paths: tuple[str, ...], root: Path) -> list[Path]:
    """Those that git tracks or would track, where there is a git; else all."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *paths], cwd=root,
                            check=False, text=True, capture_output=True)
    if listed.returncode == 0:
        return sorted(root / name for name in set(listed.stdout.split("\0")) if name)
    return sorted(file for path in paths for file in ([root / path] if (root / path).is_file() else (root / path).rglob("*")))


def inputs_sum(partner: Partner, root: Path = ROOT) -> str:
    sums = hashlib.sha256()
    for file in files_under(partner.inputs, root):
        if file.is_file() and "__pycache__" not in file.parts:
            sums.update(f"{file.relative_to(root)}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return sums.hexdigest()[:16]


def git(*words: str, root: Path = ROOT) -> str:
    return subprocess.run(["git", *words], cwd=root, check=False, text=True, capture_output=True).stdout.strip()


class Records:
    """When each partner tier was last green. A record: the sum of its inputs, the commit, the day, and how many runs ago."""

    def __init__(self, root: Path = ROOT, cache: Path | None = None):
        self.root = root
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        self.cache = cache or base / "gpu-scheduler" / "partners"

    def cached(self, name: str) -> dict | None:
        file = self.cache / f"{name}.json"
        return json.loads(file.read_text(encoding="utf-8")) if file.exists() else None

    def committed(self) -> dict:
        file = self.root / COMMITTED
        return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}

    def write(self, name: str, record: dict) -> None:
        self.cache.mkdir(parents=True, exist_ok=True)
        (self.cache / f"{name}.json").write_text(json.dumps(record), encoding="utf-8")

    def green(self, name: str, partner: Partner) -> dict:
        changes = " with changes" if git("status", "--porcelain", "--", *partner.inputs, root=self.root) else ""
        commit = git("rev-parse", "--short=12", "HEAD", root=self.root)
        record = {"inputs": inputs_sum(partner, self.root), "commit": commit + changes, "day": date.today().isoformat(),
                  "runs_ago": 0}
        self.write(name, record)
        return record

    def red(self, name: str) -> None:
        (self.cache / f"{name}.json").unlink(missing_ok=True)

    def wait_a_run(self, name: str, record: dict) -> None:
        self.write(name, record | {"runs_ago": record["runs_ago"] + 1})

    def last_green(self, name: str, partner: Partner) -> dict | None:
        """The newest record with the inputs as they are now. Where only the committed one is known, the number of commits
        says whose turn it is, so that machines that start with nothing take turns too."""
        now = inputs_sum(partner, self.root)
        record = self.cached(name)
        if record and record["inputs"] == now:
            return record
        committed = self.committed().get(name)
        if not committed or committed["inputs"] != now or record:
            return None
        commits = int(git("rev-list", "--count", "HEAD", root=self.root) or 0)
        return committed | {"runs_ago": (commits + list(PARTNERS).index(name)) % TURN}

    def commit_green(self, records: dict) -> None:
        """For the next commit: tests/partners.json with these records."""
        known = self.committed() | {name: {key: record[key] for key in ("inputs", "commit", "day")}
                                    for name, record in records.items()}
        lines = ",\n".join(f'  "{name}": {json.dumps(known[name])}' for name in sorted(known))
        (self.root / COMMITTED).write_text("{\n" + lines + "\n}\n", encoding="utf-8")


def due(records: Records) -> tuple[list[str], dict[str, dict]]:
    """The partner tiers that have to run, and the records of the others."""
    last = {name: records.last_green(name, partner) for name, partner in PARTNERS.items()}
    resting = {name: record for name, record in last.items() if record and record["runs_ago"] + 1 < TURN}
    return [name for name in PARTNERS if name not in resting], resting


def run_partner(name: str, count: Count, records: Records) -> dict | None:
    """Runs one tier and keeps how it ended; the record if it was green. A tier whose tools cannot be had is not."""
    own = Count()
    PARTNERS[name].tier(own)
    count.add(own)
    if own.failures or own.not_run or not own.passed:
        records.red(name)
        return None
    return records.green(name, PARTNERS[name])
