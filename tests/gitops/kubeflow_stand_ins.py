"""A repository with the folders of Kubeflow's manifests that deploy/kubeflow names, and something small in each.

The real ones need images and other repositories. Here a folder has one Deployment whose pod counts as available after a
while, and the folders that bring namespaces or kinds which others need bring those.
"""

import re
from pathlib import Path

import yaml

import places
from git_repository import GitRepository
from manifests import definition, documents, namespace, sources_of

TAG = "v1.11.0"
SECONDS_UNTIL_AVAILABLE = 2
USER = "kubeflow-user-example-com"


def deployment(name: str, where: str) -> dict:
    labels = {"app": name}
    pod = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "stand-in"}]}}
    spec = {"replicas": 1, "minReadySeconds": SECONDS_UNTIL_AVAILABLE, "selector": {"matchLabels": labels},
            "template": pod}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": where}, "spec": spec}


PROFILE = {"apiVersion": "kubeflow.org/v1", "kind": "Profile", "metadata": {"name": USER},
           "spec": {"owner": {"kind": "User", "name": "user@example.com"}}}
GATEWAY = {"apiVersion": "v1", "kind": "Service",
           "metadata": {"name": "istio-ingressgateway", "namespace": "istio-system"},
           "spec": {"selector": {"app": "istio-ingressgateway"}, "ports": [{"port": 80, "targetPort": 8080}]}}
MORE = {
    "common/cert-manager/base": [namespace("cert-manager"), definition("cert-manager.io", "v1", "Certificate")],
    "common/istio/istio-namespace/base": [namespace("istio-system"), GATEWAY,
                                          deployment("istio-ingressgateway", "istio-system")],
    "common/kubeflow-namespace/base": [namespace("kubeflow", **{"pod-security.kubernetes.io/enforce": "restricted"})],
    "applications/profiles/pss": [definition("kubeflow.org", "v1", "Profile", "Cluster")],
    "applications/pipeline/upstream/env/platform-agnostic-multi-user": [
        definition("argoproj.io", "v1alpha1", "Workflow")],
    "applications/jupyter/notebook-controller/upstream/overlays/kubeflow": [
        definition("kubeflow.org", "v1", "Notebook")],
    "applications/kserve/kserve": [definition("serving.kserve.io", "v1beta1", "InferenceService")],
    "common/user-namespace/base": [PROFILE],
}


def applications() -> list[dict]:
    """The parts of Kubeflow."""
    paths = sorted((places.KUBEFLOW / "apps" / "kubeflow").glob("*.yaml"))
    return [each for path in paths if path.name != "kustomization.yaml" for each in documents(path)]


def folders() -> dict[str, str]:
    """Every folder of Kubeflow's repository that an Application names, with the namespace that it is deployed to."""
    return {source["path"]: each["spec"]["destination"]["namespace"]
            for each in applications() for source in sources_of(each)}


def name_of(folder: str) -> str:
    """The name of the folder's Deployment."""
    return re.sub(r"[^a-z0-9]+", "-", folder.removeprefix("applications/").removeprefix("common/"))


def repository(folder: Path) -> GitRepository:
    made = GitRepository(folder)
    for path, where in folders().items():
        (folder / path).mkdir(parents=True)
        objects = [*MORE.get(path, []), deployment(name_of(path), where)]
        (folder / path / "objects.yaml").write_text(yaml.safe_dump_all(objects), encoding="utf-8")
        kustomization = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization",
                         "resources": ["objects.yaml"]}
        (folder / path / "kustomization.yaml").write_text(yaml.safe_dump(kustomization), encoding="utf-8")
    made.commit("stand-ins")
    made.git("tag", TAG)
    return made
