"""Helm 3 and Helm 4, as the tests call them."""

import os
import subprocess
import tempfile
from pathlib import Path

import paths
from support import PROGRAM


class Helm:
    def __init__(self, tool: str):
        self.name = tool
        self.path = subprocess.run([PROGRAM, "path", tool], text=True, capture_output=True, check=True).stdout.strip()

    def __call__(self, *words: str, kubeconfig: Path | None = None, check: bool = True) -> subprocess.CompletedProcess:
        with tempfile.TemporaryDirectory(prefix="helm-home-") as home:
            places = {f"HELM_{kind}_HOME": home for kind in ("CACHE", "CONFIG", "DATA")}
            done = subprocess.run([self.path, *words], text=True, capture_output=True, check=False,
                                  env=os.environ | places | {"KUBECONFIG": str(kubeconfig or "/dev/null")})
        if check and done.returncode != 0:
            said = done.stdout + done.stderr
            raise AssertionError(f"{self.name} {' '.join(words)} ended with {done.returncode}:\n{said}")
        return done

    def template(self, *words: str, check: bool = True, chart: Path = paths.CHART) -> subprocess.CompletedProcess:
        return self("template", "gpu-scheduler", str(chart), "--namespace=gpus", *words, check=check)

    def notes(self, *words: str, chart: Path = paths.CHART) -> str:
        """What Helm says after an installation."""
        done = self("install", "gpu-scheduler", str(chart), "--namespace=gpus", "--dry-run=client", *words)
        return done.stdout.split("NOTES:\n", 1)[1]


HELM3, HELM4 = Helm("helm3"), Helm("helm4")
