"""A real kubelet: what it says it gave to whom is in the report, and what was chosen for a pod reaches its program."""

import json
import os
import socket
import subprocess
import sys
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2] / "webhook")]

import webhook_process as wp  # noqa: E402
from agent_process import PROGRAMS, UNPRIVILEGED, Agent, Plane, wait_until  # noqa: E402
from failures import SKIP_EXIT_CODE  # noqa: E402  # of tools/cluster, which agent_process knows the way to
from real_node.images import TEST_IMAGE  # noqa: E402

NODE = "first"
RESOURCE = "nvidia.com/gpu"
UUIDS = ["GPU-a", "GPU-b"]


def setUpModule():
    global plane, agent, kubelet
    if os.environ.get("GS_AGENT_ENGINE") == "local":
        raise unittest.SkipTest("gpu-local has no kubelets")
    plane = Plane([])
    unittest.addModuleCleanup(plane.close)
    done = plane.cluster.call("node", "up", NODE, check=False)
    if done.returncode == SKIP_EXIT_CODE:
        raise unittest.SkipTest(done.stderr.strip())
    if done.returncode != 0:
        raise AssertionError(f"{done.stdout}{done.stderr}")
    kubelet = next(plane.folder.rglob(f"{NODE}/var/lib/kubelet"))
    start_plugin()
    machine = plane.folder / "machine.yaml"
    devices = [{"id": number, "uuid": uuid} for number, uuid in enumerate(UUIDS)]
    machine.write_text(json.dumps({"devices": devices}), encoding="utf-8")
    agent = Agent(plane, NODE, "--machine-file", str(machine), kubelet=str(kubelet / "pod-resources" / "kubelet.sock"))
    unittest.addModuleCleanup(agent.close)


def start_plugin() -> None:
    """Until the node offers its devices."""
    plugin = subprocess.Popen([PROGRAMS / "gs-fake-device-plugin", kubelet / "device-plugins", RESOURCE, *UUIDS])
    unittest.addModuleCleanup(plugin.wait)
    unittest.addModuleCleanup(plugin.kill)
    offered = wait_until(lambda: plane.json("get", "node", NODE)["status"]["allocatable"].get(RESOURCE) == "2", 120)
    if not offered:
        raise AssertionError("the kubelet does not offer the plugin's devices")


def pod(name: str) -> dict:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {"terminationGracePeriodSeconds": 1, "automountServiceAccountToken": False,
                     "schedulerName": "by-hand",
                     "containers": [{"name": "main", "image": TEST_IMAGE, "imagePullPolicy": "Never",
                                     "command": ["/bin/sh", "-c", "exec sleep 3600"],
                                     "resources": {"limits": {RESOURCE: "1"}}}]}}


def bind(name: str, plan: str = "") -> None:
    """With a plan, as the scheduler binds a pod that a plugin serves."""
    results = {"allocated": f"{NODE}:{plan}", "visible-devices": plan, "uuids": "",
               "allocation": "v1 mode=exclusive enforced=false"} if plan else {}
    binding = {"apiVersion": "v1", "kind": "Binding",
               "metadata": {"name": name, "annotations": {f"gpu.scheduling/{key}": text for key, text in results.items()}},
               "target": {"apiVersion": "v1", "kind": "Node", "name": NODE}}
    plane.create(pod(name))
    with plane.cluster.client() as client:
        code, answer = client.request("POST", f"/api/v1/namespaces/default/pods/{name}/binding", binding)
    if code != 201:
        raise AssertionError(f"{code}: {answer}")
    plane.kubectl("wait", "--for=condition=Ready", f"pod/{name}", "--timeout=120s")


def users() -> list[list[str]]:
    return [device.get("inUseBy", []) for device in plane.devices(NODE)]


class Handover(unittest.TestCase):
    """Agent, webhook, scheduler and kubelet together."""

    def setUp(self):
        api = wp.Api(plane.cluster)
        api.apply(wp.rendered("webhook-secret", "webhook-configuration"))
        webhook = wp.Webhook(plane.cluster)
        self.addCleanup(webhook.kill)
        wp.lead_to(api, [webhook.port])
        asking = f"{wp.PODS}?dryRun=All"
        self.assertTrue(wait_until(lambda: wp.variables(api.request("POST", asking, self.pod("a"))[1]) == wp.IDS, 120),
                        webhook.said())
        scheduler = wp.Scheduler(plane.cluster, wp.pick(1)[0], "--webhook-pods", "wait", home="default")
        self.addCleanup(scheduler.close)

    @staticmethod
    def pod(name: str, **annotations: str) -> dict:
        made = pod(name)
        made["metadata"]["annotations"] = annotations or {"gpu.scheduling/claim": "one"}
        made["spec"]["schedulerName"] = "gpu-scheduler"
        del made["spec"]["containers"][0]["resources"]  # no plugin decides
        return made

    def test_programs_see_the_ids_that_were_chosen(self):
        plane.create(wp.claim("one", 1), self.pod("mapped-0", **{"gpu-scheduling-map": f"0={NODE}:1"}))
        self.addCleanup(plane.kubectl, "delete", "pods,gpuclaims", "--all", "--timeout=120s")
        for name, ids in (("mapped-0", "1"), ("claimed", "0")):
            if name == "claimed":
                plane.create(self.pod(name))
            plane.kubectl("wait", "--for=condition=Ready", f"pod/{name}", "--timeout=120s")
            annotations = plane.json("get", "pod", name)["metadata"]["annotations"]
            self.assertEqual(annotations["gpu.scheduling/visible-devices"], ids)
            environment = plane.kubectl("exec", name, "--", "env").splitlines()
            self.assertEqual([line for line in environment if line.startswith("CUDA_VISIBLE_DEVICES")],
                             [f"CUDA_VISIBLE_DEVICES={ids}"])


class PodResourcesSocket(unittest.TestCase):
    """Why the chart runs the agent as root: docs/gpu-agent.md."""

    @staticmethod
    def may_connect(user: int, group: int) -> bool:
        """From inside the socket's folder, as in a container that has this folder alone."""
        child = os.fork()
        if child == 0:
            try:
                os.chdir(kubelet / "pod-resources")
                os.setgroups([])
                os.setgid(group)
                os.setuid(user)
                socket.socket(socket.AF_UNIX).connect("kubelet.sock")
                os._exit(0)
            except PermissionError:
                os._exit(1)
            finally:
                os._exit(2)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code == 2:
            raise AssertionError("the socket is not there")
        return code == 0

    def test_only_root_may_connect(self):
        self.assertTrue(self.may_connect(0, 0))
        for group in (0, UNPRIVILEGED):
            self.assertFalse(self.may_connect(UNPRIVILEGED, group))
        self.assertEqual(kubelet.joinpath("pod-resources").stat().st_mode & 0o777, 0o750)
        self.assertEqual(kubelet.joinpath("pod-resources", "kubelet.sock").stat().st_mode & 0o022, 0)


class PodResources(unittest.TestCase):
    def expect(self, read, wanted, seconds: float = 90):
        if not wait_until(lambda: read() == wanted, seconds):
            self.assertEqual(read(), wanted)

    def test_what_the_kubelet_gave_is_shown_and_compared_with_the_plan(self):
        bind("foreign")
        self.expect(lambda: sorted(users()), [[], ["default/foreign"]])
        taken = users().index(["default/foreign"])
        bind("planned", plan=str(taken))  # the plugin can only give the other one
        expected = [["default/planned"], ["default/planned"]]
        expected[taken] = ["default/foreign"]
        self.expect(users, expected)
        self.expect(lambda: agent.metrics().get(f'gpu_agent_mismatched_pods{{node="{NODE}"}}'), 1)
        self.expect(lambda: plane.events(NODE).get("GpuMismatch"),
                    f"default/planned was given GPUs {1 - taken} by the device plugin of the node; the scheduler had "
                    f"planned {taken}")
        plane.kubectl("delete", "pod", "planned", "foreign")
        self.expect(users, [[], []])
        self.assertNotIn("does not tell", agent.log.read_text(encoding="utf-8"))
