"""docs/gpus-in-containers.md on a real node without NVIDIA's runtime: the check says which setting is missing."""

from on_node import OnNode

SYSTEM = "gpu-scheduler-system"


class GpusInContainers(OnNode):
    def test_the_page_finds_out_what_the_node_lacks(self):
        self.install(SYSTEM)
        self.addCleanup(self.cluster.remove, "gpu-preflight")
        self.addCleanup(self.kubectl, "delete", "runtimeclass", "nvidia", "--ignore-not-found")
        self.follow("gpus-in-containers.md", at_least=3)

    def test_helm_test_shows_what_its_pod_says(self):
        self.install(SYSTEM)
        said = self.type(f"helm test gpu-scheduler --namespace {SYSTEM} --timeout 5m --logs")
        self.assertIn("Note: no driver shows a GPU to this container: NVIDIA_VISIBLE_DEVICES is \"all\"", said)
        self.assertIn("Node: node1, CUDA_VISIBLE_DEVICES: 0", said)
