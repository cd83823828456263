"""make verify of deploy/kubeflow on a real API server, with stand-ins: pods whose state is written, and a gateway with a login."""

import json
import os
import subprocess
import unittest
from contextlib import ExitStack

import yaml

import login_stand_in
import places
from kubeflow_stand_ins import USER
from login_stand_in import PASSWORD, Gateway
from manifests import definition, namespace
from support import PlaneUnderTest, wait_for_kinds

KINDS = {"Application": "argoproj.io/v1alpha1", "Profile": "kubeflow.org/v1", "Notebook": "kubeflow.org/v1",
         "Workflow": "argoproj.io/v1alpha1", "InferenceService": "serving.kserve.io/v1beta1"}
WITH_PODS = ("auth", "kubeflow")
GOOD = "Kubeflow is as it should be."


def application(name: str, **more: str) -> dict:
    """What Argo CD writes about one that has deployed something to all namespaces."""
    deployed = [{"kind": "Deployment", "namespace": each} for each in WITH_PODS] + [{"kind": "ConfigMap", "namespace": "unlooked"}]
    return {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
            "metadata": {"name": name, "namespace": "argocd", "labels": {"app.kubernetes.io/part-of": "kubeflow"}},
            "status": {"sync": {"status": "Synced"}, "health": {"status": "Healthy"}, "resources": deployed} | more}


def status(phase: str, ready: bool, **state: dict) -> dict:
    """Of a pod with one container."""
    container = {"name": "main", "image": "none", "imageID": "none", "ready": ready, "restartCount": 0, "state": state}
    return {"phase": phase, "containerStatuses": [container]}


RUNNING = status("Running", True, running={})
UNREADY = status("Running", False, running={})
COMPLETED = status("Succeeded", False, terminated={"exitCode": 0, "reason": "Completed"})
CRASHING = status("Running", False, waiting={"reason": "CrashLoopBackOff"})


class Verify(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        ends = ExitStack()
        cls.addClassCleanup(ends.close)
        cls.plane = PlaneUnderTest("verify")
        ends.callback(cls.plane.close)
        cls.plane.up()
        cls.port = login_stand_in.start(ends)
        definitions = [definition(*version.split("/"), kind, "Cluster" if kind == "Profile" else "Namespaced")
                       for kind, version in KINDS.items()]
        names = ("argocd", USER, *WITH_PODS)
        cls.apply(*definitions, *(namespace(each) for each in names))
        wait_for_kinds(cls.plane.kubectl, *(each["metadata"]["name"] for each in definitions))
        cls.apply(application("kubeflow-all"))
        for each in names:
            cls.plane.kubectl("wait", "--for=create", "serviceaccount/default", "-n", each, "--timeout=120s")
        for each in WITH_PODS:
            cls.make_pod(each, "main", RUNNING)

    @classmethod
    def apply(cls, *objects: dict) -> None:
        cls.plane.kubectl("apply", "-f", "-", stdin=yaml.safe_dump_all(objects))

    @classmethod
    def make_pod(cls, where: str, name: str, state: dict) -> None:
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": where},
               "spec": {"containers": [{"name": "main", "image": "none"}], "schedulerName": "nobody"}}
        cls.apply(pod)
        cls.plane.kubectl("patch", "pod", name, "-n", where, "--subresource=status", "-p", json.dumps({"status": state}))

    def with_pod(self, where: str, state: dict) -> None:
        """For this test."""
        self.make_pod(where, "other", state)
        self.addCleanup(self.plane.kubectl, "delete", "pod", "other", "-n", where, "--force")

    def verify(self, **environment: str) -> tuple[int, str]:
        known = {"PATH": f"{self.plane.folder}/bin:{os.environ['PATH']}", "KUBECONFIG": f"{self.plane.folder}/admin.kubeconfig",
                 "DASHBOARD": f"http://127.0.0.1:{self.port}", "PAUSE": "0"}
        done = subprocess.run(["make", "-s", "verify"], cwd=places.KUBEFLOW, text=True, check=False, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=os.environ | known | environment)
        return done.returncode, done.stdout

    def expect_failure(self, *sentences: str, **environment: str) -> str:
        code, said = self.verify(**environment)
        self.assertNotEqual(code, 0, said)
        for sentence in sentences:
            self.assertIn(f"FAILED  {sentence}", said)
        return said

    def other_kubeconfig(self, **changes: dict) -> str:
        """The admin's with changes of its user or its cluster."""
        config = yaml.safe_load((self.plane.folder / "admin.kubeconfig").read_text(encoding="utf-8"))
        config["users"][0]["user"] |= changes.get("user", {})
        config["clusters"][0]["cluster"] |= changes.get("cluster", {})
        path = self.plane.folder / "other.kubeconfig"
        path.touch(mode=0o600)
        path.write_text(yaml.safe_dump(config), encoding="utf-8")
        return str(path)

    def test_what_is_ready_or_completed_is_well_and_a_user_without_pods_too(self):
        self.with_pod("auth", COMPLETED)
        code, said = self.verify()
        self.assertEqual(code, 0, said)
        for expected in ("pods in auth are ready", "pods in kubeflow are ready", f"no pod runs in {USER}", GOOD):
            self.assertIn(expected, said)
        self.assertNotIn("unlooked", said)
        self.assertIn("skipped nobody has logged in", said)

    def test_pods_that_run_and_are_not_ready_are_named(self):
        self.with_pod("kubeflow", UNREADY)
        self.expect_failure("pods in kubeflow: other (0/1 ready)")
        self.with_pod("auth", CRASHING)
        self.expect_failure("pods in auth: other (CrashLoopBackOff)", "pods in kubeflow: other (0/1 ready)")

    def test_a_namespace_that_is_missing_or_empty_is_named(self):
        missing = application("kubeflow-more", resources=[{"kind": "StatefulSet", "namespace": "nowhere"},
                                                          {"kind": "DaemonSet", "namespace": "default"}])
        self.apply(missing)
        self.addCleanup(self.plane.kubectl, "delete", "application", "kubeflow-more", "-n", "argocd")
        self.expect_failure("there is no namespace nowhere", "no pod runs in default")
        self.with_pod("default", COMPLETED)
        self.expect_failure("no pod runs in default")
        self.expect_failure("there is no namespace nobody", USER_NAMESPACE="nobody")

    def test_applications_that_have_deployed_nothing_are_not_enough(self):
        self.apply(application("kubeflow-all", resources=[]))
        self.addCleanup(self.apply, application("kubeflow-all"))
        self.expect_failure("the applications have deployed nothing that makes pods")

    def test_what_kubectl_says_is_shown(self):
        forbidden = self.other_kubeconfig(user={"as": "nobody"})
        said = self.expect_failure("cannot look at applications: Error from server (Forbidden)",
                                   "cannot look at what the applications have deployed: Error", KUBECONFIG=forbidden)
        self.assertIn("kubectl auth can-i --list", said)
        unreachable = self.other_kubeconfig(cluster={"server": "https://127.0.0.1:1"})
        said = self.expect_failure("cannot look at the cluster: The connection to the server 127.0.0.1:1 was refused",
                                   KUBECONFIG=unreachable)
        self.assertEqual(said.count("FAILED"), 1)

    def test_a_gateway_that_cannot_be_reached_says_why(self):
        self.expect_failure("cannot forward a port of the gateway: Error from server (NotFound): namespaces \"istio-system\"",
                            DASHBOARD="")
        self.expect_failure("the dashboard answers nothing: curl:", "Dex answers nothing: curl:", DASHBOARD="http://127.0.0.1:1")

    def test_something_else_than_dex_is_noticed(self):
        self.addCleanup(setattr, Gateway, "pages", Gateway.pages)
        Gateway.pages = Gateway.pages | {"/dex/keys": {"keys": []}}
        self.expect_failure(f"what answers at http://127.0.0.1:{self.port}/dex/keys is not Dex")
        Gateway.pages = Gateway.pages | {"/oauth2/start": {}}
        self.expect_failure("oauth2-proxy answers 200 and does not lead to Dex")

    def test_a_user_logs_in_with_the_right_password_only(self):
        code, said = self.verify(LOGIN=login_stand_in.USER, PASSWORD=PASSWORD)
        self.assertEqual(code, 0, said)
        self.assertIn(f"ok      {login_stand_in.USER} can log in and sees the dashboard", said)
        self.expect_failure(f"Dex does not let {login_stand_in.USER} in", LOGIN=login_stand_in.USER, PASSWORD="wrong")
        self.addCleanup(setattr, Gateway, "pages", Gateway.pages)
        Gateway.pages = Gateway.pages | {"/": {}}
        self.expect_failure(f"the dashboard leads to http://127.0.0.1:{self.port}/ and not to Dex's form", LOGIN="a", PASSWORD="b")


if __name__ == "__main__":
    unittest.main()
