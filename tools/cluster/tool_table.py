"""The programs that tests need, where their source comes from, and where the built file is kept.

A built file is named after the sums of everything that decides its content, so a changed wrapper module means a new
name and never a stale file. This file only computes names; go_build.py makes the files.

The environment's K8S_VERSION asks for another Kubernetes than the pinned one.
"""

import hashlib
import os
import platform
import re
import sys
from dataclasses import dataclass
from pathlib import Path

WRAPPERS = Path(__file__).resolve().parent / "wrappers"
ONE_FOR_ALL = "tools"  # the wrapper of every program, so that what they share is compiled once
BASE_FLAGS = ("-trimpath", "-buildvcs=false")
PINNED_KUBERNETES = "1.36.4"


def kubernetes_version() -> str:
    version = os.environ.get("K8S_VERSION") or PINNED_KUBERNETES
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        sys.exit(f"cluster: K8S_VERSION={version} is no version of Kubernetes; write one such as 1.33.1")
    return version


KUBERNETES = kubernetes_version()


@dataclass(frozen=True)
class Tool:
    name: str
    version: str
    package: str
    version_variables: tuple[str, ...] = ()  # NAME=VALUE, set by the linker
    seconds: int = 60  # on two cores when nothing is cached but what the tools before it left, roughly
    wrapper: str = ONE_FOR_ALL  # the folder in wrappers/; none where kubernetes_module.py writes one

    @property
    def flags(self) -> tuple[str, ...]:
        settings = ["-s", "-w"] + [f"-X {setting}" for setting in self.version_variables]
        return (*BASE_FLAGS, "-ldflags", " ".join(settings))

    @property
    def recipe(self) -> str:
        """Of everything that decides the content but the versions of modules."""
        sums = hashlib.sha256()
        for path in self.own_sources:
            sums.update(path.read_bytes())
        sums.update("\0".join((self.package, platform.machine(), *self.flags, *self.settings)).encode())
        return sums.hexdigest()[:8]

    @property
    def settings(self) -> list[str]:
        """Lines of its go.mod that are no versions of modules."""
        text = self.pins[0].read_text(encoding="utf-8") if self.pins else ""
        return re.findall(r"^(?:go|godebug|toolchain) (?:\([^)]*\)|.*)$", text, re.MULTILINE)

    @property
    def key(self) -> str:
        sums = hashlib.sha256()
        for path in self.pins:
            sums.update(path.read_bytes())
        return f"{self.recipe}-{sums.hexdigest()[:12]}"

    @property
    def pins(self) -> list[Path]:
        """What its sources follow from, where that is not the version alone: go.mod, then go.sum."""
        return [WRAPPERS / self.wrapper / name for name in ("go.mod", "go.sum")] if self.wrapper else []

    @property
    def own_sources(self) -> list[Path]:
        """Of a package that lies in the wrapper itself; the others are pinned by its sums."""
        if not self.package.startswith("./"):
            return []
        return sorted((WRAPPERS / self.wrapper / self.package).glob("*.go"))

    @property
    def path(self) -> Path:
        return tools_folder() / f"{self.name}-{self.key}"


def cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gpu-scheduler"


def tools_folder() -> Path:
    return cache_folder() / "tools"


def kubernetes_tool(name: str, seconds: int) -> Tool:
    """Without the version variables servers call themselves v0.0.0, and version checks of charts break."""
    major, minor, _ = KUBERNETES.split(".")
    settings = tuple(f"k8s.io/{module}.{variable}={value}"
                     for module in ("component-base/version", "client-go/pkg/version")
                     for variable, value in (("gitVersion", f"v{KUBERNETES}"), ("gitMajor", major),
                                             ("gitMinor", minor), ("gitTreeState", "clean")))
    wrapper = ONE_FOR_ALL if KUBERNETES == PINNED_KUBERNETES else ""
    return Tool(name, KUBERNETES, f"k8s.io/kubernetes/cmd/{name}", settings, seconds, wrapper)


def helm3_settings(version: str) -> tuple[str, ...]:
    """Without them `helm template` and `helm lint` take the cluster for one of 2020. Helm 4 finds out by itself."""
    major, minor, _ = PINNED_KUBERNETES.split(".")
    return (f"helm.sh/helm/v3/internal/version.version=v{version}",
            *(f"helm.sh/helm/v3/pkg/{package}.k8sVersion{part}={value}"
              for package in ("chartutil", "lint/rules") for part, value in (("Major", major), ("Minor", minor))))


ALL = (
    Tool("etcd", "3.6.8", "go.etcd.io/etcd/server/v3", (), 70),
    kubernetes_tool("kube-apiserver", 270),
    kubernetes_tool("kube-controller-manager", 80),
    kubernetes_tool("kubectl", 30),
    kubernetes_tool("kube-scheduler", 10),
    Tool("filter-verdicts", PINNED_KUBERNETES, "./filter-verdicts", (), 10),
    kubernetes_tool("kubelet", 30),
    Tool("kustomize", "5.8.1", "sigs.k8s.io/kustomize/kustomize/v5",
         ("sigs.k8s.io/kustomize/api/provenance.version=v5.8.1",), 5),
    Tool("helm3", "3.21.4", "helm.sh/helm/v3/cmd/helm", helm3_settings("3.21.4"), 25),
    Tool("helm4", "4.2.4", "helm.sh/helm/v4/cmd/helm", ("helm.sh/helm/v4/internal/version.version=v4.2.4",), 30),
    Tool("kubeconform", "0.8.0", "github.com/yannh/kubeconform/cmd/kubeconform", ("main.version=v0.8.0",), 5),
    Tool("kwok", "0.8.0", "sigs.k8s.io/kwok/cmd/kwok", (), 40),
    Tool("argocd", "3.5.6", "github.com/argoproj/argo-cd/v3/cmd",
         ("github.com/argoproj/argo-cd/v3/common.version=3.5.6",), 200),
)
BY_NAME = {tool.name: tool for tool in ALL}
CONTROL_PLANE = ("kubectl", "etcd", "kube-apiserver", "kube-controller-manager")
# What the tiers that always run use, in the order in which they ask: gpu-local, planes and nodes, webhook, differential.
# tools/tiers/partners.py names what the others need.
FOR_TESTS = (*CONTROL_PLANE, "kubelet", "kwok", "helm3", "kube-scheduler", "filter-verdicts")
