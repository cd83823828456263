"""A plane with one real node that has our image, and a kube-scheduler for pods that are not ours: what the pages need."""

import atexit
import functools
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cluster"))

from support import PROGRAM, PlaneUnderTest, wait_until  # noqa: E402

from failures import SKIP_EXIT_CODE  # noqa: E402  # of tools/cluster, which support knows the way to

IMAGE = "registry.example.com/team/gpu-scheduler:v1"
NODE = "node1"
# What the pages leave to the reader: there is no driver here, so a file tells which GPUs there are.
VALUES = {"image": dict(zip(("repository", "tag"), IMAGE.rsplit(":", 1))),
          "agent": {"podResources": "off", "seesProcesses": False, "machineFile": "/etc/machine/machine.yaml",
                    "extraVolumes": [{"name": "machine", "configMap": {"name": "machine"}}],
                    "extraVolumeMounts": [{"name": "machine", "mountPath": "/etc/machine"}]},
          "election": {"leaseDuration": "6s", "renewDeadline": "4s", "retryPeriod": "1s"}}
HELM = """#!/bin/sh
case "$1 $2" in
"install gpu-scheduler" | "upgrade gpu-scheduler") exec {helm} "$@" -f {values} ;;
esac
exec {helm} "$@"
"""


def tool(name: str) -> str:
    return subprocess.run([PROGRAM, "path", name], text=True, capture_output=True, check=True).stdout.strip()


class RealCluster:
    """Everything is gone after close(). Says SkipTest where a node cannot run."""

    def __init__(self, name: str, programs: Path):
        self.closing = []
        self.scratch = tempfile.TemporaryDirectory(prefix="docs-cluster-")
        self.closing.append(self.scratch.cleanup)
        self.folder = Path(self.scratch.name)
        self.plane = PlaneUnderTest(name)
        self.closing.append(self.plane.close)
        try:
            self.start(programs)
        except BaseException:
            self.close()
            raise

    def start(self, programs: Path) -> None:
        archive = self.folder / "image.tar"
        subprocess.run([ROOT / "tools" / "image", "--programs", programs, "--output", archive, "--name", IMAGE], check=True,
                       stdout=subprocess.DEVNULL)
        self.plane.up()
        done = self.plane.call("node", "up", NODE, "--image", str(archive), check=False)
        if done.returncode == SKIP_EXIT_CODE:
            raise unittest.SkipTest(done.stderr.strip())
        if done.returncode != 0:
            raise AssertionError(f"{done.stdout}{done.stderr}")
        # The kubelet makes it a moment later; tests compare what there is.
        assert wait_until(lambda: "/" in self.plane.kubectl("get", "lease", "-n", "kube-node-lease", "-o", "name").stdout, 60)
        self.plane.kubectl("label", "node", NODE, "node-role.kubernetes.io/control-plane=")
        self.start_kube_scheduler()
        self.write_helm()

    def start_kube_scheduler(self) -> None:
        with open(self.folder / "kube-scheduler.log", "wb") as log:
            process = subprocess.Popen([tool("kube-scheduler"), f"--kubeconfig={self.plane.folder}/admin.kubeconfig",
                                        "--leader-elect=false", "--secure-port=0"], stdout=log, stderr=log)
        self.closing += [process.wait, process.terminate]

    def write_helm(self) -> None:
        values = self.folder / "here.yaml"
        values.write_text(json.dumps(VALUES), encoding="utf-8")
        helm = self.folder / "bin" / "helm"
        helm.parent.mkdir()
        helm.write_text(HELM.format(helm=tool("helm3"), values=values), encoding="utf-8")
        helm.chmod(0o755)

    def environment(self) -> dict[str, str]:
        path = f"{self.folder}/bin:{self.plane.folder}/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        return {"PATH": path, "KUBECONFIG": f"{self.plane.folder}/admin.kubeconfig", "HOME": str(self.folder)}

    def make_machine(self, namespace: str) -> None:
        """The file with the node's GPUs, where the agent looks for it. The namespace is made as well."""
        if namespace != "default":
            self.plane.kubectl("create", "namespace", namespace)
        self.plane.kubectl("create", "configmap", "machine", "-n", namespace,
                           f"--from-file=machine.yaml={ROOT}/examples/machines/hgx-a100.yaml")

    def remove(self, *namespaces: str) -> None:
        """With the releases in them, and what was made in the default namespace; the CRDs stay."""
        run = functools.partial(subprocess.run, env=self.environment(), check=False, capture_output=True, text=True)
        self.plane.kubectl("delete", "pods", "--all", "--timeout=120s")
        for namespace in namespaces:
            for release in run(["helm", "list", "-q", "-n", namespace]).stdout.split():
                run(["helm", "uninstall", release, "-n", namespace])
        self.plane.kubectl("delete", "namespace", "--ignore-not-found", *namespaces, "--timeout=180s")

    def close(self) -> None:
        while self.closing:
            self.closing.pop()()


@functools.cache
def shared() -> RealCluster:
    """One for all modules, since it takes long to start; it goes with the process."""
    cluster = RealCluster("docs", Path(os.environ.get("GS_PROGRAMS", ROOT / "build" / "dev" / "bin")))
    atexit.register(cluster.close)
    return cluster


__all__ = ["IMAGE", "NODE", "RealCluster", "shared", "wait_until"]
