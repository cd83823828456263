"""The chart of the check service without a cluster: what its map becomes, and which maps are refused."""

import json
import unittest

import paths
from helm import HELM3, HELM4

CHART = paths.ROOT / "charts" / "gpu-scheduler-check"


def entry(index: int, node: str = "node1", ids: str | int = "0") -> dict:
    return {"podIndex": index, "nodeName": node, "gpuDevices": ids}


class CheckChartTests:
    """What must be so with either Helm."""

    def template(self, *words: str, check: bool = True):
        return self.helm.template(*words, check=check, chart=CHART)

    def with_map(self, *entries: dict, check: bool = True):
        return self.template("--set-json", f"gpuScheduling.schedulingMap={json.dumps(entries)}", check=check)

    def refuse(self, message: str, *entries: dict) -> None:
        done = self.with_map(*entries, check=False)
        self.assertNotEqual(done.returncode, 0, f"{entries} was accepted")
        self.assertIn(message, done.stderr)

    def test_lint_finds_nothing(self):
        said = self.helm("lint", "--strict", str(CHART)).stdout
        self.assertIn("0 chart(s) failed", said)

    def test_the_map_has_a_line_per_pod_and_so_many_pods_there_are(self):
        text = self.template().stdout
        self.assertIn("gpu-scheduling-map: |\n          0=node1:0,1\n          1=node2:2\n          2=node3:0,1,2\n", text)
        self.assertIn("replicas: 3\n", text)
        self.assertIn("podManagementPolicy: Parallel", text)
        self.assertIn("schedulerName: gpu-scheduler\n", text)
        self.assertNotIn("nvidia.com/gpu:", text)
        self.assertIn("replicas: 1\n", self.with_map(entry(0, ids=3)).stdout)

    def test_order_in_the_values_does_not_matter(self):
        self.assertIn("1=node1:2-5\n          0=b:0\n", self.with_map(entry(1, ids="2-5"), entry(0, "b")).stdout)

    def test_without_gpu_scheduling_they_are_ordinary_pods(self):
        text = self.template("--set", "gpuScheduling.enabled=false").stdout
        for word in ("schedulerName", "gpu-scheduling-map", "annotations", "--verify"):
            self.assertNotIn(word, text)

    def test_the_pods_verify_what_they_see_unless_told_not_to(self):
        self.assertRegex(self.template().stdout, r"(?m)^ +- --verify$")
        self.assertNotIn("--verify", self.template("--set", "testService.verify=false").stdout)

    def test_nvidias_runtime_lets_all_gpus_in_to_be_looked_for(self):
        self.assertIn("- name: NVIDIA_VISIBLE_DEVICES\n          value: all\n", self.template().stdout)
        self.assertNotIn("runtimeClassName", self.template().stdout)
        text = self.template("--set", "gpuScheduling.runtimeClassName=nvidia").stdout
        self.assertIn("      runtimeClassName: nvidia\n", text)

    def test_a_value_makes_a_missing_driver_wrong(self):
        self.assertNotIn("--require-devices", self.template().stdout)
        self.assertRegex(self.template("--set", "testService.requireDevices=true").stdout, r"(?m)^ +- --require-devices$")
        for value in ("testService.verify=false", "gpuScheduling.enabled=false"):
            self.assertNotIn("--require-devices", self.template("--set", f"testService.requireDevices=true,{value}").stdout)

    def test_the_commands_people_type_work(self):
        text = self.template("--set", "image.repository=registry.example.com/a", "--set", "image.tag=v1", "--set",
                             "testService.logInterval=5", "--set", "gpuScheduling.schedulerName=mine").stdout
        self.assertIn('image: "registry.example.com/a:v1"', text)
        self.assertRegex(text, r"(?m)^ +- --interval=5$")
        self.assertIn("schedulerName: mine", text)

    def test_maps_that_cannot_be_are_refused_with_what_is_wrong(self):
        self.refuse("podIndex 0: is there twice; give every pod one entry", entry(0), entry(0, "node2"))
        self.refuse("there is no podIndex 0; indices count from 0 without a gap", entry(1))
        self.refuse('gpuDevices "0,x" are no GPU ids; write them as 0,1 or 4-7', entry(0, ids="0,x"))
        self.refuse('gpuDevices "" are no GPU ids', entry(0, ids=""))
        self.refuse("the range 3-1 runs backwards", entry(0, ids="3-1"))
        self.refuse("GPU 0 is listed twice", entry(0, ids="0,0-2"))
        self.refuse("no node has a GPU 5000", entry(0, ids="0-5000"))

    def test_typos_are_refused(self):
        for value in ("gpuScheduling.schedulerNmae=a", "image.tga=a", "testService.interval=1"):
            done = self.template("--set", value, check=False)
            self.assertNotEqual(done.returncode, 0, f"{value} was accepted")
            self.assertIn("additional properties", done.stderr)


class Notes(unittest.TestCase):
    """With Helm 4 alone: Helm 3 shows notes only where it reaches a cluster."""

    def test_the_notes_say_where_a_missing_runtime_is_named(self):
        notes = HELM4.notes(chart=CHART)
        self.assertIn("docs/gpus-in-containers.md", notes)
        self.assertIn("kubectl logs -n gpus -l app.kubernetes.io/name=gpu-scheduler-check --prefix --tail=-1 | grep -E", notes)


class WithHelm3(CheckChartTests, unittest.TestCase):
    helm = HELM3


class WithHelm4(CheckChartTests, unittest.TestCase):
    helm = HELM4


if __name__ == "__main__":
    unittest.main()
