"""A plane is a real Kubernetes: what a scheduler relies on behaves as it does in production."""

import unittest

from support import PlaneUnderTest

from api_client import MERGE_PATCH
from tool_table import KUBERNETES

POD = {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{"name": "main", "image": "none"}]}}
PODS = "/api/v1/namespaces/default/pods"


def setUpModule():
    global plane
    plane = PlaneUnderTest("one")
    unittest.addModuleCleanup(plane.close)
    plane.up()


class Plane(unittest.TestCase):
    def test_says_how_to_use_it(self):
        self.assertIn(f"export KUBECONFIG={plane.folder}/admin.kubeconfig", plane.said)

    def test_client_and_server_have_the_version_that_was_asked_for(self):
        versions = plane.json("version")
        self.assertEqual(versions["clientVersion"]["gitVersion"], f"v{KUBERNETES}")
        self.assertEqual(versions["serverVersion"]["gitVersion"], f"v{KUBERNETES}")
        self.assertEqual(versions["serverVersion"]["minor"], KUBERNETES.split(".")[1])

    def test_a_config_map_comes_back(self):
        plane.kubectl("create", "configmap", "round-trip", "--from-literal=colour=blue")
        self.assertEqual(plane.json("get", "configmap", "round-trip")["data"], {"colour": "blue"})
        plane.kubectl("delete", "configmap", "round-trip")
        self.assertIn("NotFound", plane.kubectl("get", "configmap", "round-trip", check=False).stderr)

    def test_an_unknown_client_is_refused(self):
        self.assertIn("Forbidden", plane.kubectl("get", "nodes", "--as=nobody", check=False).stderr)

    def test_the_controllers_work(self):
        plane.kubectl("create", "deployment", "web", "--image=none", "--replicas=2")
        plane.kubectl("wait", "--for=create", "pod", "--selector=app=web", "--timeout=120s")
        plane.kubectl("delete", "deployment", "web")

    def test_status_and_logs_tell_about_each_component(self):
        status = plane.call("status").stdout
        self.assertRegex(status, r"kube-apiserver +process \d+")
        self.assertRegex(status, r"kwok +not running")
        self.assertIn("ready to serve client requests", plane.call("logs", "etcd").stdout)

    def test_a_second_plane_in_its_folder_is_refused_and_does_not_harm_it(self):
        refused = plane.call("up", check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("already", refused.stderr)
        self.assertEqual(plane.kubectl("get", "--raw=/readyz").stdout, "ok")


class Nodes(unittest.TestCase):
    def test_nodes_with_gpus_are_ready_and_without_a_taint(self):
        names = plane.call("nodes", "add", "2", "--gpus", "4", "--prefix", "four", "--label", "rack=r1").stdout.split()
        self.assertEqual(names, ["four-0", "four-1"])
        for name in names:
            node = plane.json("get", "node", name)
            self.assertEqual(node["status"]["allocatable"]["nvidia.com/gpu"], "4")
            self.assertEqual(node["metadata"]["labels"]["rack"], "r1")
            self.assertNotIn("taints", node["spec"])
        self.assertRegex(plane.kubectl("get", "nodes").stdout, r"four-0 +Ready ")

    def test_more_nodes_get_the_next_numbers(self):
        plane.call("nodes", "add", "1", "--prefix", "next")
        self.assertEqual(plane.call("nodes", "add", "2", "--prefix", "next").stdout.split(), ["next-1", "next-2"])


class Binding(unittest.TestCase):
    def bind(self, client, pod, version, annotations):
        body = {"apiVersion": "v1", "kind": "Binding",
                "target": {"apiVersion": "v1", "kind": "Node", "name": "anywhere"},
                "metadata": {"name": pod, "resourceVersion": version, "annotations": annotations}}
        return client.request("POST", f"{PODS}/{pod}/binding", body)

    def make_pod(self, client, name):
        status, pod = client.request("POST", PODS, POD | {"metadata": {"name": name}})
        self.assertEqual(status, 201, pod)
        return pod["metadata"]["resourceVersion"]

    def test_a_stale_version_is_refused_with_409(self):
        with plane.client() as client:
            stale = self.make_pod(client, "stale")
            client.request("PATCH", f"{PODS}/stale", {"metadata": {"labels": {"a": "b"}}}, MERGE_PATCH)
            status, answer = self.bind(client, "stale", stale, {})
            self.assertEqual(status, 409, answer)
            self.assertNotIn("nodeName", client.request("GET", f"{PODS}/stale")[1]["spec"])

    def test_annotations_of_the_binding_end_up_on_the_pod(self):
        with plane.client() as client:
            version = self.make_pod(client, "annotated")
            status, answer = self.bind(client, "annotated", version, {"example.com/gpus": "2,3"})
            self.assertEqual(status, 201, answer)
            pod = client.request("GET", f"{PODS}/annotated")[1]
        self.assertEqual(pod["spec"]["nodeName"], "anywhere")
        self.assertEqual(pod["metadata"]["annotations"]["example.com/gpus"], "2,3")


class Restart(unittest.TestCase):
    def test_a_restarted_apiserver_has_the_same_data_at_the_same_place(self):
        plane.kubectl("create", "configmap", "kept", "--from-literal=a=b")
        before = plane.call("status").stdout
        plane.call("restart", "apiserver")
        self.assertEqual(plane.json("get", "configmap", "kept")["data"], {"a": "b"})
        self.assertNotEqual(plane.call("status").stdout, before, "it is another process")

    def test_an_unknown_component_is_refused(self):
        refused = plane.call("restart", "dashboard", check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("there is no component 'dashboard'", refused.stderr)
