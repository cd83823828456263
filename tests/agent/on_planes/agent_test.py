"""What a node's agent reports, and that it goes on doing so whatever happens around it."""

import json
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agent_process import PROGRAM, ROOT, Agent, Plane, unprivileged, wait_until  # noqa: E402

DGX = ROOT / "examples" / "machines" / "dgx-1v.yaml"
FAKE_NVML = PROGRAM.parent.parent / "fake_nvml" / "libnvidia-ml.so.1"  # see tests/fake_nvml
NVML_MACHINES = ROOT / "tests" / "fake_nvml"
NODES = [f"node-{number}" for number in range(10)]
MAX_PRIVATE_KIB = 20 * 1024


def pod(name: str, node: str, gpus: str) -> dict:
    """As the scheduler leaves one behind: bound, with the results on it."""
    results = {"allocated": f"{node}:{gpus}", "visible-devices": gpus, "uuids": "",
               "allocation": "v1 mode=exclusive enforced=true"}
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "annotations": {f"gpu.scheduling/{key}": text for key, text in results.items()}},
            "spec": {"nodeName": node, "automountServiceAccountToken": False, "tolerations": [{"operator": "Exists"}],
                     "containers": [{"name": "main", "image": "none"}]}}


class OnAPlane(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.plane = Plane(NODES)
        cls.addClassCleanup(cls.plane.close)
        cls.unused = list(NODES)

    def setUp(self):
        self.node = self.unused.pop()  # one per test, so that none sees what another has left
        self.machine = self.plane.folder / f"{self.node}.yaml"
        self.write([{"id": 0, "uuid": "GPU-a", "model": "A40"}, {"id": 1, "uuid": "GPU-b", "model": "A40"}])

    def write(self, devices: list[dict]) -> None:
        self.write_json({"devices": devices})

    def write_json(self, machine: dict) -> None:
        new = self.machine.with_suffix(".new")
        new.write_text(json.dumps(machine), encoding="utf-8")
        new.rename(self.machine)

    def start(self, *more: str, machine: Path | None = None) -> Agent:
        agent = Agent(self.plane, self.node, "--machine-file", str(machine or self.machine), *more)
        self.addCleanup(agent.close)
        return agent

    def expect(self, read, wanted, seconds: float = 90):
        if not wait_until(lambda: read() == wanted, seconds):
            self.assertEqual(read(), wanted)

    def await_report(self) -> dict:
        self.assertTrue(wait_until(lambda: self.plane.devices(self.node), 90), "no report")
        return self.plane.status(self.node)

    def node_uid(self) -> str:
        return self.plane.json("get", "node", self.node)["metadata"]["uid"]

    def test_the_report_is_as_documented(self):
        agent = self.start(machine=DGX)
        found = self.await_report()
        row = self.plane.kubectl("get", "gns", self.node).splitlines()
        self.assertEqual([line.split() for line in row], [["NAME", "NODE", "DEVICES"], [self.node, self.node, "8"]])
        self.assertEqual(found["spec"], {"nodeName": self.node})
        owner = found["metadata"]["ownerReferences"]
        self.assertEqual([(each["kind"], each["name"], each["uid"]) for each in owner],
                         [("Node", self.node, self.node_uid())])
        status = found["status"]
        self.assertEqual(status["total"], 8)
        self.assertEqual([device["id"] for device in status["devices"]], list(range(8)))
        self.assertEqual({device["health"] for device in status["devices"]}, {"Healthy"})
        self.assertEqual(len(status["devices"][0]["links"]), 7)
        self.assertEqual([(each["type"], each["status"]) for each in status["conditions"]], [("Ready", "True")])
        self.assertIn("observedAt", status)
        self.assertEqual(agent.get("/health"), "ok\n")
        self.assertEqual(agent.metrics()[f'gpu_agent_gpus{{node="{self.node}"}}'], 8)
        self.assertLess(agent.private_kib(), MAX_PRIVATE_KIB)
        self.assertEqual(agent.end(), 0)

    def test_a_node_without_gpus_has_no_report(self):
        self.write([])
        agent = self.start()
        self.expect(lambda: agent.metrics().get(f'gpu_agent_gpus{{node="{self.node}"}}'), 0)
        self.assertEqual(self.plane.status(self.node), {})
        self.write([{"id": 0, "uuid": "GPU-late"}])
        self.await_report()

    def test_an_ill_gpu_is_told_everywhere(self):
        agent = self.start("--quiet-period", "0s")
        self.await_report()
        healthy = f'gpu_agent_gpu_healthy{{id="1",model="A40",node="{self.node}",uuid="GPU-b"}}'
        self.expect(lambda: agent.metrics().get(healthy), 1)
        self.write([{"id": 0, "uuid": "GPU-a", "model": "A40"},
                    {"id": 1, "uuid": "GPU-b", "model": "A40", "health": "Unhealthy", "healthReason": "fan"}])
        self.expect(lambda: [device["health"] for device in self.plane.devices(self.node)], ["Healthy", "Unhealthy"])
        self.expect(lambda: agent.metrics().get(healthy), 0)
        self.expect(lambda: self.plane.events(self.node).get("GpuUnhealthy"),
                    "GPU 1 (A40, GPU-b) is unhealthy: fan; no pod uses it")

    def test_pods_are_shown_on_their_gpus_while_they_are_there(self):
        self.start()
        self.await_report()
        name = f"user-{self.node}"
        self.plane.create(pod(name, self.node, "1"))
        self.expect(lambda: [device.get("inUseBy", []) for device in self.plane.devices(self.node)],
                    [[], [f"default/{name}"]])
        self.plane.kubectl("delete", "pod", name, "--force", "--grace-period=0")
        self.expect(lambda: [device.get("inUseBy", []) for device in self.plane.devices(self.node)], [[], []])
        self.assertEqual([device.get("residue", []) for device in self.plane.devices(self.node)], [[], []])

    def test_what_cannot_be_read_keeps_what_was_seen_last(self):
        self.start()
        before = self.await_report()["status"]["devices"]
        self.machine.write_text("devices: [", encoding="utf-8")
        self.expect(lambda: self.plane.status(self.node)["status"]["conditions"][0]["status"], "False")
        found = self.plane.status(self.node)["status"]
        self.assertEqual(found["devices"], before)
        self.assertIn("line 1", found["conditions"][0]["message"])
        self.write([{"id": 0, "uuid": "GPU-a"}])
        self.expect(lambda: self.plane.status(self.node)["status"]["conditions"][0]["status"], "True")

    def test_of_two_agents_the_younger_reports_until_it_is_silent(self):
        elder = self.start("--instance", "elder", "--confirm-interval", "3s")
        self.await_report()

        def reporter() -> str:
            return self.plane.status(self.node)["metadata"]["annotations"]["gpu.scheduling/agent"]

        self.expect(reporter, "elder")
        younger = self.start("--instance", "younger", "--confirm-interval", "1s")
        self.expect(reporter, "younger")
        stands_back = f'gpu_agent_standing_back{{node="{self.node}"}}'
        self.expect(lambda: elder.metrics().get(stands_back), 1)
        self.assertEqual(younger.metrics().get(stands_back), 0)
        self.expect(lambda: "agent younger reports for this node too" in
                    self.plane.events(self.node).get("GpuAgentConflict", ""), True)
        younger.close()
        self.expect(reporter, "elder")

    def test_a_node_that_is_made_anew_gets_a_report_of_its_own(self):
        self.start()
        old = self.await_report()["metadata"]["ownerReferences"][0]["uid"]
        self.plane.kubectl("delete", "node", self.node)
        if not self.plane.is_local:  # where simulated nodes come back by themselves
            self.plane.add_node(self.node)
        self.expect(lambda: self.plane.status(self.node).get("metadata", {}).get("ownerReferences", [{}])[0].get("uid")
                    not in (None, old) and bool(self.plane.devices(self.node)), True)
        self.expect(lambda: self.plane.status(self.node)["metadata"]["ownerReferences"][0]["uid"], self.node_uid())

    def test_a_report_that_somebody_deletes_or_edits_is_put_right(self):
        self.start()
        first = self.await_report()["metadata"]["uid"]
        self.plane.kubectl("delete", "gns", self.node)
        self.expect(lambda: self.plane.status(self.node).get("metadata", {}).get("uid", first) != first and
                    len(self.plane.devices(self.node)), 2)
        self.plane.kubectl("patch", "gns", self.node, "--subresource=status", "--type=merge", "-p",
                           '{"status": {"devices": [], "total": 0}}')
        self.expect(lambda: len(self.plane.devices(self.node)), 2)

    @unittest.skipUnless(FAKE_NVML.exists(), "the fake NVML is not built")
    def test_what_nvidias_library_says_is_reported_and_so_are_its_faults(self):
        machine = yaml.safe_load((NVML_MACHINES / "machines" / "dgx-a100.yaml").read_text(encoding="utf-8"))
        self.write_json(machine)
        agent = Agent(self.plane, self.node, "--nvml-library", str(FAKE_NVML), GS_FAKE_NVML=str(self.machine))
        self.addCleanup(agent.close)
        devices = self.await_report()["status"]["devices"]
        wanted = yaml.safe_load((NVML_MACHINES / "reported" / "dgx-a100.yaml").read_text(encoding="utf-8"))["devices"]
        for field in ("id", "uuid", "model", "memoryMiB", "pciBusId", "island", "bandwidthGBps"):
            self.assertEqual([device.get(field) for device in devices], [device.get(field) for device in wanted], field)
        self.assertEqual({(link["type"], link["bandwidthGBps"]) for link in devices[0]["links"]}, {("NVSwitch", 600)})
        self.write_json(machine | {"events": [{"number": 1, "gpu": 3, "xid": 79}]})
        self.expect(lambda: sorted(device["health"] for device in self.plane.devices(self.node)),
                    ["Healthy"] * 7 + ["Unhealthy"])
        self.expect(lambda: "Xid 79" in self.plane.events(self.node).get("GpuUnhealthy", ""), True)

    @unittest.skipUnless(FAKE_NVML.exists() and os.geteuid() == 0, "the fake NVML is not built, or there is no other user")
    def test_it_reads_the_gpus_as_any_user(self):
        """As it does in the chart with agent.podResources=off."""
        if self.plane.is_local:
            self.skipTest("the kubeconfig of gpu-local is its owner's alone")
        machine = NVML_MACHINES / "machines" / "dgx-a100.yaml"
        home = unprivileged(self.plane, FAKE_NVML, machine)
        self.addCleanup(shutil.rmtree, home)
        agent = Agent(self.plane, self.node, "--nvml-library", str(home / FAKE_NVML.name), home=home,
                      GS_FAKE_NVML=str(home / machine.name))
        self.addCleanup(agent.close)
        self.assertEqual(len(self.await_report()["status"]["devices"]), 8)
        self.assertEqual(os.stat(f"/proc/{agent.process.pid}").st_uid, 65532)


class CommandLine(unittest.TestCase):
    def test_wrong_arguments_are_refused_before_anything_happens(self):
        done = subprocess.run([PROGRAM, "--node", "a", "--read-interval", "0s"], text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--read-interval", done.stderr)
