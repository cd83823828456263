"""gpu-local in the place of a control plane, for the tests that a plane of tools/cluster runs."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "local"))

from local_cluster import LocalCluster  # noqa: E402

NODES = {"nodes": {f"gpu-node-{number}": {"gpus": 8} for number in range(2)}}


class LocalPlane:
    """Has the two nodes from the start that the tests add."""

    def __init__(self, name: str):  # noqa: ARG002  as for a plane
        self.cluster = LocalCluster(up=False)
        self.folder = self.cluster.state

    def up(self) -> "LocalPlane":
        nodes = self.cluster.folder / "nodes.yaml"
        nodes.write_text(json.dumps(NODES), encoding="utf-8")
        done = self.cluster.up("--bare", "--nodes", str(nodes))
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        (self.folder / "admin.kubeconfig").symlink_to(self.cluster.kubeconfig)
        return self

    def close(self) -> None:
        self.cluster.close()

    def call(self, *words: str) -> None:
        if words != ("nodes", "add", "2", "--gpus", "8"):
            raise AssertionError(f"gpu-local cannot {' '.join(words)}")

    def kubectl(self, *words: str, stdin: str = "") -> str:
        return self.cluster.kubectl(*words, stdin=stdin)

    def json(self, *words: str) -> dict:
        return json.loads(self.kubectl(*words, "-o", "json"))
