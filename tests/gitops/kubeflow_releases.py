"""The folders that releases of Kubeflow have, where lists of them are available: $GS_SHARED_DATA/kubeflow."""

import os
from pathlib import Path

LISTS = Path(os.environ.get("GS_SHARED_DATA", "/nonexistent")) / "kubeflow"


def folders_of(tag: str) -> set[str] | None:
    path = LISTS / f"kustomize-paths-{tag}.txt"
    return set(path.read_text(encoding="utf-8").split()) if path.exists() else None
