"""One plane with one Argo CD for all tests of on_argocd, started when the first of them asks.

There are three nodes on which kwok makes pods run, and kube-scheduler stands in for all schedulers. The repositories
are a fork of this project and a stand-in for Kubeflow's manifests.
"""

import atexit
import json
import shutil
import subprocess
import tempfile
import time
import unittest
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import api_schemas
import kubeflow_stand_ins
import login_stand_in
import places
import seeming_pods
import shell_blocks
from application_log import ApplicationLog
from argo_cd import ArgoCd
from git_repository import GitRepository, fork_of_this_project
from support import PlaneUnderTest

INSTALLED = "https://raw.githubusercontent.com/argoproj/argo-cd/v3.5.6/manifests/install.yaml"
GOOD = "Synced/Healthy"
SECONDS = 300
# How long something that must not happen is waited for.
QUIET_SECONDS = 8


class Lab:
    def __init__(self, folder: Path, ends: ExitStack):
        """Whatever is started ends with `ends`, also when the next thing does not start."""
        self.project = fork_of_this_project(folder / "gpu-scheduler.git")
        self.manifests: GitRepository = kubeflow_stand_ins.repository(folder / "manifests.git")
        self.plane = PlaneUnderTest("gitops")
        ends.callback(self.plane.close)
        self.plane.up()
        self.argo = ArgoCd(self.plane)
        ends.callback(self.argo.stop)
        self._keep_manifest_of_argo_cd()
        self._add_nodes(seeming_pods.start(self.argo, login_stand_in.start(ends)))
        self.argo.run_kube_scheduler(("default-scheduler", "gpu-scheduler"))
        self.argo.start()
        self.log = ApplicationLog(self.plane)
        ends.callback(self.log.close)
        self.followed: list[tuple[str, shell_blocks.Block]] = []
        self.schemas = self._write_schemas(folder / "schemas")

    def _keep_manifest_of_argo_cd(self) -> None:
        """What deploy/kubeflow fetches from the network is here a file, out of Argo CD's own module."""
        shutil.copy(self.argo.module / "manifests" / "install.yaml", self.project.folder / "deploy/kubeflow/argocd")
        self.project.replace("deploy/kubeflow/argocd/kustomization.yaml", INSTALLED, "install.yaml")
        self.project.commit("Argo CD")

    def _add_nodes(self, kubelet_port: int) -> None:
        """Under the names that the map of the check has."""
        names = self.plane.call("nodes", "add", "3", "--gpus", "8").stdout.split()
        for number, name in enumerate(names, start=1):
            self.plane.kubectl("label", "node", name, f"gpu-node-name=node{number}")
            seeming_pods.take_over(self.plane, name, kubelet_port)

    def _write_schemas(self, folder: Path) -> str:
        """Of every kind that the API server knows by now, Argo CD's as well."""
        folder.mkdir()
        return api_schemas.write(json.loads(self.plane.kubectl("get", "--raw", "/openapi/v2").stdout), folder)

    # --- acting

    def shell(self, text: str, folder: str, **environment: str) -> subprocess.CompletedProcess:
        """As somebody types it who has the tools, in a folder of the fork."""
        return subprocess.run(["sh", "-euc", text], cwd=self.project.folder / folder, text=True, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env=self.argo.environment() | {"KUBECONFORM_SCHEMAS": self.schemas} | environment)

    def blocks_of(self, page: str) -> list[shell_blocks.Block]:
        """The commands of a page, without those that are not to be run."""
        text = (self.project.folder / page).read_text(encoding="utf-8")
        return [each for each in shell_blocks.blocks_of(text) if not each.is_left_out]

    def follow_what_needs_argo_cd(self, page: str, heading: str) -> str:
        """Runs the block of a page of ours, not of the fork, that the tests of its other blocks leave to us."""
        text = (places.ROOT / page).read_text(encoding="utf-8")
        return self._run(page, next(each for each in shell_blocks.blocks_of(text)
                                    if each.heading == heading and each.is_left_out), ".")

    def follow(self, page: str, heading: str, number: int = 0, **environment: str) -> str:
        """Runs a block of commands of a page, in the folder where the page is."""
        block = [each for each in self.blocks_of(page) if each.heading == heading][number]
        return self._run(page, block, str(Path(page).parent), **environment)

    def _run(self, page: str, block: shell_blocks.Block, folder: str, **environment: str) -> str:
        text = block.text.replace("https://git.example.com/team/gpu-scheduler.git", self.project.url)
        done = self.shell(text, folder, **environment)
        if done.returncode != 0:
            raise AssertionError(f"{page}, {block.heading}: ended with {done.returncode}:\n{text}\n{done.stdout}")
        self.followed.append((page, block))
        return done.stdout

    # --- waiting

    def wait_for(self, what: Callable[[], object], sentence: str) -> None:
        deadline = time.monotonic() + SECONDS
        while not what():
            if time.monotonic() > deadline:
                raise AssertionError(f"{sentence}: {json.dumps(self.log.states())}\n"
                                     f"{self.argo.log('application-controller')[-3000:]}")
            time.sleep(0.2)

    def wait_until_settled(self, *names: str) -> None:
        """In order, and no sync of them runs: Argo CD refuses to begin another."""
        for name in names:
            self.wait_for(lambda name=name: self.log.state(name) == GOOD and "operation" not in self.log.there[name],
                          f"{name} does not come to rest")

    def stays(self, is_true: Callable[[], object]) -> bool:
        deadline = time.monotonic() + QUIET_SECONDS
        while time.monotonic() < deadline:
            if not is_true():
                return False
            time.sleep(0.2)
        return True


@cache
def the_lab() -> Lab:
    ends = ExitStack()
    folder = Path(ends.enter_context(tempfile.TemporaryDirectory(prefix="gitops-repositories-")))
    # Only now: what is registered later happens earlier, and with its first temporary folder Python registers to remove
    # them all.
    atexit.register(ends.close)
    return Lab(folder, ends)


class Story(unittest.TestCase):
    """Steps in the order of their names. Each needs the one before it, so after a failure the rest is left out."""

    failed_step = ""

    @classmethod
    def setUpClass(cls):
        cls.lab = the_lab()
        cls.plane, cls.argo, cls.log = cls.lab.plane, cls.lab.argo, cls.lab.log

    def run(self, result=None):
        if self.failed_step:
            result.addSkip(self, f"{self.failed_step} failed")
            return result
        before = len(result.failures) + len(result.errors)
        super().run(result)
        if len(result.failures) + len(result.errors) > before:
            type(self).failed_step = self.id().rpartition(".")[2]
        return result
