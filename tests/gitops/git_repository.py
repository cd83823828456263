"""Git repositories that Argo CD reads in tests, and in which tests can commit."""

import shutil
import subprocess
from pathlib import Path

import places

# The checkout's retries wait for minutes after some tries; here the next one comes at once.
SLOW_TRIES = {
    "gpu-scheduler-complete-applicationset.yaml": "backoff: {duration: 5s, factor: 2, maxDuration: 3m}",
    "apps/values.yaml": "backoff:\n    duration: 5s\n    factor: 2\n    maxDuration: 3m"}


class GitRepository:
    def __init__(self, folder: Path):
        self.folder = folder
        self.url = f"file://{folder}"
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *words: str) -> str:
        command = ["git", "-c", "user.name=test", "-c", "user.email=test@example.com", *words]
        done = subprocess.run(command, cwd=self.folder, text=True, capture_output=True, check=False)
        if done.returncode != 0:
            raise AssertionError(f"git {' '.join(words)}: {done.stderr}")
        return done.stdout.strip()

    def commit(self, message: str) -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def replace(self, name: str, old: str, new: str) -> None:
        path = self.folder / name
        text = path.read_text(encoding="utf-8")
        if old not in text:
            raise AssertionError(f"{name} does not contain {old}")
        path.write_text(text.replace(old, new), encoding="utf-8")


def fork_of_this_project(folder: Path) -> GitRepository:
    """This checkout as a repository of its own. Its manifests do not know yet where it is."""
    fork = GitRepository(folder)
    for name in ("deploy", "charts"):
        shutil.copytree(places.ROOT / name, folder / name, symlinks=True)
    for name, slow in SLOW_TRIES.items():
        fork.replace(f"deploy/argocd/{name}", slow, "backoff: {duration: 1s, factor: 1, maxDuration: 1s}")
    fork.commit("first")
    return fork
