"""gpu-infrastructure-application.yaml on a real Argo CD: the Job that makes MachineSets comes last, with every sync."""

import yaml

import places
from argo_cd import NAMESPACE
from lab import Story
from manifests import definition, documents, namespace

APPLICATION = "gpu-infrastructure"
JOB = "gpu-machineset-generator"
MACHINES = "openshift-machine-api"
POLICY = "gpu-cluster-policy"
MACHINE_SET = {"apiVersion": "machine.openshift.io/v1beta1", "kind": "MachineSet", "spec": {"replicas": 0},
               "metadata": {"name": "made-by-the-job", "namespace": MACHINES}}


class Openshift(Story):
    """What OpenShift and its operators would have brought is small, and their part is played by hand."""

    def job(self) -> str:
        """The Job's UID; empty when it is not there."""
        found = self.plane.kubectl("get", "job", JOB, "-n", MACHINES, "-o", "jsonpath={.metadata.uid}", check=False)
        return found.stdout if found.returncode == 0 else ""

    def file(self, name: str) -> str:
        return str(self.lab.project.folder / "deploy" / "argocd" / name)

    def test_1_the_job_waits_for_the_operators(self):
        self.lab.follow("deploy/argocd/README.md", "Installation")
        self.lab.project.commit("the repository")
        operators = [each for each in documents(places.ROOT / "tests" / "openshift" / "other_kinds.yaml")
                     if each["spec"]["names"]["kind"] in ("ClusterPolicy", "NodeFeatureDiscovery")]
        objects = [*(namespace(name) for name in (MACHINES, "openshift-nfd", "nvidia-gpu-operator")), *operators,
                   definition("machine.openshift.io", "v1beta1", "MachineSet")]
        self.plane.kubectl("apply", "-f", "-", stdin=yaml.safe_dump_all(objects))
        self.lab.follow("deploy/argocd/README.md", "0. Make Argo CD wait between waves")
        self.plane.kubectl("apply", "-f", self.file("gpu-infrastructure-application.yaml"))
        self.lab.wait_for(lambda: self.plane.kubectl("get", "clusterpolicy", POLICY, check=False).returncode == 0,
                          "there is no policy")
        self.assertTrue(self.lab.stays(lambda: not self.job()), "the Job did not wait for the policy")

    def test_2_it_runs_when_they_are_ready(self):
        self.plane.kubectl("patch", "clusterpolicy", POLICY, "--type=merge", "-p",
                           '{"status": {"state": "ready", "namespace": "nvidia-gpu-operator"}}')
        self.lab.wait_until_settled(APPLICATION)
        self.lab.wait_for(self.job, "the Job does not run")

    def test_3_it_runs_again_with_every_sync(self):
        before = self.job()
        self.argo.cli("app", "sync", APPLICATION)
        self.assertNotEqual(self.job(), before)

    def test_4_machine_sets_stay_when_all_else_goes(self):
        self.plane.kubectl("wait", "--for=create", "crd/machinesets.machine.openshift.io", "--timeout=60s")
        self.plane.kubectl("apply", "-f", "-", stdin=yaml.safe_dump(MACHINE_SET))
        self.plane.kubectl("delete", "application", APPLICATION, "-n", NAMESPACE, "--timeout=300s")
        self.assertEqual(self.job(), "")
        self.assertNotEqual(self.plane.kubectl("get", "clusterpolicy", POLICY, check=False).returncode, 0)
        self.plane.kubectl("get", "machinesets.machine.openshift.io", "made-by-the-job", "-n", MACHINES)
