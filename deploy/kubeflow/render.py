#!/usr/bin/env python3
"""Writes apps/ from chart/, or says what is not current: render.py [--check] [--helm HELM].

Argo CD reads apps/kubeflow as it lies in Git, so that what it gets can be read and reviewed there; the chart is the one source
of it.
"""

import argparse
import subprocess
import sys
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
HEAD = "# Made from chart/ by `make render`: change values or presets there.\n"
WAVE = "argocd.argoproj.io/sync-wave"


def file_name(application: str) -> str:
    """Files are called as the applications, without the family name; pipelines keep it."""
    short = application.removeprefix("kubeflow-")
    return "kubeflow-pipelines.yaml" if short == "pipelines" else f"{short}.yaml"


def rendered_texts(helm: str, chart: Path) -> list[str]:
    done = subprocess.run([helm, "template", "kubeflow", str(chart), "--kube-version", "1.30.0"], text=True, capture_output=True,
                          check=False)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    texts = [text.partition("\n")[2] if text.startswith("# Source") else text for text in done.stdout.split("---\n")]
    return [text.strip() + "\n" for text in texts if text.strip()]


def common_services(application: dict) -> str:
    """The same folders for those who have no Argo CD: kubectl apply -k."""
    lines = [f"- {source['repoURL'].removesuffix('.git')}//{source['path']}?ref={source['targetRevision']}"
             for source in application["spec"]["sources"]]
    patches = [patch for source in application["spec"]["sources"] for patch in source.get("kustomize", {}).get("patches", [])]
    text = HEAD + "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n" + "\n".join(lines) + "\n"
    return text + yaml.safe_dump({"patches": patches}, sort_keys=False)


def wanted_files(helm: str, folder: Path) -> dict[Path, str]:
    texts = {}
    for text in rendered_texts(helm, folder / "chart"):
        application = yaml.safe_load(text)
        texts[application["metadata"]["name"]] = (application, text)
    ordered = sorted(texts, key=lambda name: int(texts[name][0]["metadata"]["annotations"][WAVE]))
    listed = "".join(f"- {file_name(name)}\n" for name in ordered)
    files = {folder / "apps" / "kubeflow" / file_name(name): HEAD + text for name, (_, text) in texts.items()}
    files[folder / "apps" / "kubeflow" / "kustomization.yaml"] = (
        HEAD + f"apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n{listed}")
    if "kubeflow-common-services" in texts:
        files[folder / "apps/base/common-services/kustomization.yaml"] = common_services(texts["kubeflow-common-services"][0])
    return files


def differences(files: dict[Path, str], folder: Path) -> list[Path]:
    there = {path for path in (folder / "apps").rglob("*.yaml")}
    changed = [path for path, text in files.items() if path not in there or path.read_text(encoding="utf-8") != text]
    return sorted([*changed, *(there - set(files))])


def write(files: dict[Path, str], changed: list[Path]) -> None:
    for path in changed:
        if path in files:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(files[path], encoding="utf-8")
        else:
            path.unlink()


def main(words: list[str], folder: Path = HERE) -> int:
    parser = argparse.ArgumentParser(prog="render.py", description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 when something is not current")
    parser.add_argument("--helm", default="helm", help="the helm to use")
    arguments = parser.parse_args(words)
    files = wanted_files(arguments.helm, folder)
    changed = differences(files, folder)
    if not arguments.check:
        write(files, changed)
    for path in changed:
        print(f"{'not current' if arguments.check else 'wrote' if path in files else 'removed'}: {path.relative_to(folder)}")
    if arguments.check and changed:
        print("run `make render` and commit what it writes")
    return 1 if arguments.check and changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
