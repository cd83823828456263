"""Documents of YAML files, and what Argo CD's own kinds say in them."""

from pathlib import Path

import yaml


def documents(path: Path) -> list[dict]:
    return [each for each in yaml.safe_load_all(path.read_text(encoding="utf-8")) if each]


def the_only(path: Path) -> dict:
    found = documents(path)
    assert len(found) == 1, f"{path} has {len(found)} documents"
    return found[0]


def wave_of(found: dict) -> int:
    return int(found["metadata"].get("annotations", {}).get("argocd.argoproj.io/sync-wave", "0"))


def sources_of(application: dict) -> list[dict]:
    spec = application["spec"]
    return spec.get("sources") or [spec["source"]]
