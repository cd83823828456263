"""Documents of YAML files, what Argo CD's own kinds say in them, and small objects that others need."""

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


def namespace(name: str, **labels: str) -> dict:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def definition(group: str, version: str, kind: str, scope: str = "Namespaced") -> dict:
    """Of a kind that may have any fields."""
    plural = f"{kind.lower()}s"
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    names = {"kind": kind, "plural": plural, "singular": kind.lower()}
    versions = [{"name": version, "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}]
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{group}"},
            "spec": {"group": group, "scope": scope, "names": names, "versions": versions}}
