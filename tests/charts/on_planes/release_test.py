"""The chart on a real API server: installed, upgraded, rolled back and removed, with Helm 3 and with Helm 4."""

import json
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import api_schemas
import paths
from helm import HELM3, HELM4
from support import PROGRAM, PlaneUnderTest, wait_for_kinds, wait_until

import go_build  # of tools/cluster, which support knows the way to
from failures import Unavailable

LEASE = "/apis/coordination.k8s.io/v1/namespaces/{}/leases/scheduler-leader"
CONFIGURATIONS = "mutatingwebhookconfiguration.admissionregistration.k8s.io"
CRDS = ("gpuclaims.gpu.scheduling", "gpunodestatuses.gpu.scheduling")
ACCOUNT = "system:serviceaccount:{}:gpu-scheduler"

# What is off by default and needs nothing that a plane does not have.
EVERYTHING_ON = ("--set", "networkPolicy.enabled=true,dashboard.enabled=true,agent.securityContextConstraints=privileged,"
                 "agent.podResources=off,agent.seesProcesses=false")
MATRIX = (
    (), ("networkPolicy.enabled=true", "dashboard.enabled=true", "agent.securityContextConstraints=privileged"),
    ("webhook.enabled=false", "agent.enabled=false", "disruptionBudget.enabled=false", "flowControl.enabled=false"),
    ("webhook.placement=sidecar", "networkPolicy.enabled=true", "webhook.failurePolicy=Fail", "webhook.handover=uuid"),
    ("webhook.caBundle=LS0tLS1CRUdJTg==", "webhook.placement=deployment", "webhook.guardResults=false"),
    ("webhook.secretName=mine", "webhook.certificates=secret", "imagePullSecrets[0].name=login"),
    ("agent.driverRoot=/run/nvidia/driver", "agent.nvmlLibrary=/run/nvidia/driver/nvml.so", "agent.priorityClassName="
     "system-node-critical"),
    ("agent.podResources=off", "agent.seesProcesses=false", "agent.machineFile=/etc/gpus.yaml", "agent.nodeSelector.gpu=yes",
     "agent.extraVolumes[0].name=f", "agent.extraVolumes[0].configMap.name=f", "agent.extraVolumeMounts[0].name=f",
     "agent.extraVolumeMounts[0].mountPath=/etc/gpus"),
    ("nodeSelector=null", "tolerations=null", "resources=null", "webhook.resources=null", "agent.resources=null",
     "priorityClassName=system-cluster-critical", "podAnnotations.a=b", "webhook.podAnnotations.a=b",
     "agent.podAnnotations.a=b", "disruptionBudget.maxUnavailable=50%"),
    ("scheduler.name=other", "locks.namespace=kube-public", "api.listen=off", "replicas=1", "webhook.replicas=1"),
)


def setUpModule():
    global plane
    plane = PlaneUnderTest("release")
    unittest.addModuleCleanup(plane.close)
    plane.up()


def names(kinds: str, *words: str) -> list[str]:
    return plane.kubectl("get", kinds, "-o", "name", *words).stdout.split()


def settings(values: tuple[str, ...]) -> list[str]:
    return [word for value in values for word in ("--set", value)]


class Rendered(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """The chart has a claim in it, and pods need an account."""
        plane.kubectl("apply", "-f", str(paths.CRDS))
        plane.kubectl("create", "namespace", "gpus")
        assert wait_until(lambda: '"GpuClaim"' in plane.kubectl("get", "--raw=/openapi/v2").stdout, 120)
        assert wait_until(lambda: plane.kubectl("get", "serviceaccount", "default", "-n", "gpus", check=False).returncode == 0, 120)

    def test_every_object_fits_the_schemas_of_the_api_server(self):
        kubeconform = subprocess.run([PROGRAM, "path", "kubeconform"], text=True, capture_output=True, check=True)
        with tempfile.TemporaryDirectory() as folder:
            location = api_schemas.write(json.loads(plane.kubectl("get", "--raw=/openapi/v2").stdout), Path(folder))

            def check(text: str):
                return subprocess.run([kubeconform.stdout.strip(), "-summary", "-schema-location", location, "-"],
                                      input=text, text=True, capture_output=True, check=False)

            for helm in (HELM3, HELM4):
                done = check(helm.template("--include-crds").stdout)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertIn("34 resources found", done.stdout)
                self.assertIn("Skipped: 0", done.stdout)
            for values in MATRIX:
                done = check(HELM3.template(*settings(values)).stdout)
                self.assertEqual(done.returncode, 0, f"{values}: {done.stdout}{done.stderr}")
                self.assertIn("Skipped: 0", done.stdout)
            broken = helm.template().stdout.replace("readOnlyRootFilesystem", "readOnlyRoot")
            self.assertIn("readOnlyRoot", check(broken).stdout, "the check must be able to fail")

    def test_the_api_server_would_take_every_object(self):
        for values in MATRIX:
            with self.subTest(values):
                text = HELM3.template(*settings(values)).stdout
                done = plane.kubectl("apply", "--server-side", "--dry-run=server", "-f", "-", stdin=text, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stdout.count("serverside-applied"), text.count("\nkind: "), done.stdout)


class CertManager(unittest.TestCase):
    """Its own definitions, from its module; nothing of it runs."""

    @classmethod
    def setUpClass(cls):
        try:
            cls.module = go_build.module_folder("cert-manager", "github.com/cert-manager/cert-manager")
        except Unavailable as why:
            raise unittest.SkipTest(str(why)) from why
        kinds = ("certificates", "issuers", "clusterissuers")
        files = [word for kind in kinds for word in ("-f", str(cls.module / f"deploy/crds/cert-manager.io_{kind}.yaml"))]
        plane.kubectl("create", *files)
        cls.addClassCleanup(plane.kubectl, "delete", *files)  # others count what is there
        wait_for_kinds(plane.kubectl, *kinds)

    @staticmethod
    def template(helm, template: str, *values: str) -> str:
        words = [word for value in ("webhook.certificates=cert-manager", *values) for word in ("--set", value)]
        return helm.template("--namespace=default", "--show-only", f"templates/webhook-{template}.yaml", *words).stdout

    @staticmethod
    def try_out(text: str) -> subprocess.CompletedProcess:
        return plane.kubectl("create", "--dry-run=server", "--validate=strict", "-f", "-", stdin=text, check=False)

    def test_what_is_made_for_it_fits(self):
        self.assertTrue(wait_until(lambda: plane.kubectl("get", "issuers,certificates", check=False).returncode == 0, 60))
        of_ones_own = ("webhook.certManager.issuerRef.name=mine", "webhook.certManager.issuerRef.kind=ClusterIssuer")
        for helm, values, count in ((HELM3, (), 4), (HELM4, (), 4), (HELM3, of_ones_own, 1)):
            done = self.try_out(self.template(helm, "certificate", *values))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout.count("created (server dry run)"), count, done.stdout)
        broken = self.template(HELM3, "certificate").replace("dnsNames:", "dnsName:")
        self.assertIn('unknown field "spec.dnsName"', self.try_out(broken).stderr, "the check must be able to fail")

    def test_its_injector_is_asked_in_its_words(self):
        words = (self.module / "pkg/apis/certmanager/v1/types.go").read_text(encoding="utf-8")
        annotation = re.search(r'WantInjectAnnotation = "(.*)"', words).group(1)
        self.assertIn(f"{annotation}: default/gpu-scheduler-webhook\n", self.template(HELM3, "configuration"))


class ReleaseTests:
    """What both versions of Helm must do alike. Every test has a namespace of its own."""

    def setUp(self):
        test = self._testMethodName.removeprefix("test_").replace("_", "-")
        self.namespace = f"{self.helm.name}-{test}"[:40].strip("-")
        self.helm_on_plane("install", "gpu-scheduler", str(paths.CHART), "--create-namespace")
        self.addCleanup(self.helm_on_plane, "uninstall", "gpu-scheduler", "--ignore-not-found")

    def helm_on_plane(self, *words: str, namespace: str = ""):
        return self.helm(*words, "-n", namespace or self.namespace, kubeconfig=plane.folder / "admin.kubeconfig")

    def lead(self) -> dict:
        """Writes into the election Lease what a leader writes, the way it does."""
        with plane.client() as client:
            lease = client.request("GET", LEASE.format(self.namespace))[1]
            lease["spec"] = {"holderIdentity": "uid-of-the-leader", "leaseTransitions": 3, "leaseDurationSeconds": 15}
            lease["metadata"]["annotations"] |= {"gpu.scheduling/in-flight-format": "1", "gpu.scheduling/in-flight":
                                                 '[{"namespace":"a","name":"b","uid":"c"}]'}
            code, written = client.request("PUT", LEASE.format(self.namespace) + "?fieldManager=gpu-scheduler", lease)
        self.assertEqual(code, 200, written)
        return written

    def assert_still_led(self, before: dict) -> None:
        after = plane.json("get", "lease", "scheduler-leader", "-n", self.namespace)
        self.assertEqual(after["spec"], before["spec"])
        self.assertEqual(after["metadata"]["annotations"], before["metadata"]["annotations"])
        self.assertEqual(after["metadata"]["uid"], before["metadata"]["uid"])

    def test_install_makes_what_people_look_for(self):
        for thing in ("deploy", "serviceaccount", "service"):
            self.assertIn("gpu-scheduler", " ".join(names(thing, "-n", self.namespace)))
        self.assertEqual(names("lease", "-n", self.namespace, "-l", "gpu.scheduling/role=election"),
                         ["lease.coordination.k8s.io/scheduler-leader"])
        self.assertTrue(wait_until(lambda: len(names("pods", "-n", self.namespace, "-l", "app=gpu-scheduler")) == 2))
        pod = plane.json("get", "pods", "-n", self.namespace, "-l", "app.kubernetes.io/name=gpu-scheduler")["items"][0]
        self.assertEqual([each["name"] for each in pod["spec"]["containers"]], ["scheduler"])
        self.assertEqual(pod["spec"]["schedulerName"], "default-scheduler")
        for thing in ("deploy", "serviceaccount", "service"):
            self.assertIn("gpu-scheduler-webhook", " ".join(names(thing, "-n", self.namespace)))
        webhooks = ("pods", "-n", self.namespace, "-l", "app=gpu-scheduler-webhook")
        self.assertTrue(wait_until(lambda: len(names(*webhooks)) == 2))
        self.assertEqual(names("mutatingwebhookconfiguration"), [f"{CONFIGURATIONS}/gpu-scheduler-webhook"])
        self.assertEqual(plane.kubectl("get", "gclaim,gns", check=False).returncode, 0)

    def test_its_pods_are_allowed_where_the_strictest_rules_hold(self):
        self.helm_on_plane("upgrade", "gpu-scheduler", str(paths.CHART), "--set",
                           "agent.podResources=off,agent.seesProcesses=false")
        done = plane.kubectl("label", "--dry-run=server", "--overwrite", "namespace", self.namespace,
                             "pod-security.kubernetes.io/enforce=restricted")
        self.assertNotIn("Warning", done.stderr)
        self.assertTrue(wait_until(lambda: len(names("pods", "-n", self.namespace)) == 4))

    def test_the_crds_may_be_applied_by_hand_before(self):
        self.helm_on_plane("uninstall", "gpu-scheduler")
        plane.kubectl("delete", "crd", *CRDS)
        plane.kubectl("apply", "-f", str(paths.CHART / "templates" / "crds.yaml"))
        self.helm_on_plane("install", "gpu-scheduler", str(paths.CHART))
        plane.kubectl("apply", "--server-side", "--force-conflicts", "-f", str(paths.CRDS))
        self.assertEqual(len(names("crd")), 2)

    def put_older_crds(self) -> None:
        """Without one field of today's."""
        older = plane.json("get", "crd", *CRDS)
        older["items"] = [each | {"metadata": {"name": each["metadata"]["name"]}} for each in older["items"]]
        spec = older["items"][0]["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
        del spec["properties"]["selector"]
        plane.kubectl("delete", "crd", *CRDS)
        plane.kubectl("apply", "-f", "-", stdin=json.dumps(older))

    def make_claim(self, name: str, **spec) -> bool:
        claim = {"apiVersion": "gpu.scheduling/v1", "kind": "GpuClaim", "metadata": {"name": name}, "spec": spec}
        done = plane.kubectl("create", "--validate=strict", "-n", self.namespace, "-f", "-", stdin=json.dumps(claim), check=False)
        return done.returncode == 0

    def test_crds_of_an_older_release_are_changed_by_the_documented_step(self):
        step = ("apply", "--server-side", "--force-conflicts", "-f", str(paths.CRDS))
        new = {"selector": {"matchLabels": {"gpu": "a100"}}}
        self.addCleanup(plane.kubectl, *step)
        self.put_older_crds()
        self.assertTrue(wait_until(lambda: self.make_claim("old", devices={"count": 2}), 60))
        before = plane.json("get", "gclaim", "old", "-n", self.namespace)
        self.helm_on_plane("upgrade", "gpu-scheduler", str(paths.CHART), "--set", "log.level=debug")
        self.assertFalse(self.make_claim("new", **new), "Helm leaves CRDs alone")
        plane.kubectl(*step)
        self.assertTrue(wait_until(lambda: self.make_claim("new", **new), 60))
        self.assertEqual(plane.json("get", "gclaim", "old", "-n", self.namespace), before)
        self.helm_on_plane("uninstall", "gpu-scheduler")
        self.helm_on_plane("install", "gpu-scheduler", str(paths.CHART))
        self.assertEqual(plane.json("get", "gclaim", "old", "-n", self.namespace), before)
        plane.kubectl("delete", "gclaim", "--all", "-n", self.namespace)

    def test_a_release_over_older_crds_wants_the_documented_step_first(self):
        """Helm 3 would not touch them, Helm 4 may refuse to."""
        self.helm_on_plane("uninstall", "gpu-scheduler")
        self.put_older_crds()
        plane.kubectl("apply", "--server-side", "--force-conflicts", "-f", str(paths.CRDS))
        self.helm_on_plane("install", "gpu-scheduler", str(paths.CHART))
        self.assertTrue(wait_until(lambda: self.make_claim("new", selector={"matchLabels": {"gpu": "a100"}}), 60))
        plane.kubectl("delete", "gclaim", "--all", "-n", self.namespace)

    def test_upgrade_and_rollback_leave_the_leader_alone(self):
        before = self.lead()
        self.helm_on_plane("upgrade", "gpu-scheduler", str(paths.CHART), "--set", "log.level=debug")
        deployment = plane.json("get", "deploy", "gpu-scheduler", "-n", self.namespace)
        self.assertIn("--log-level=debug", deployment["spec"]["template"]["spec"]["containers"][0]["args"])
        self.assert_still_led(before)
        self.helm_on_plane("rollback", "gpu-scheduler", "1")
        self.assert_still_led(before)

    def test_an_election_lease_that_was_deleted_by_hand_does_not_stop_an_upgrade(self):
        plane.kubectl("delete", "lease", "scheduler-leader", "-n", self.namespace)
        plane.kubectl("create", "-f", "-", stdin=json.dumps(
            {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "spec": {"holderIdentity": "uid"},
             "metadata": {"name": "scheduler-leader", "namespace": self.namespace}}))
        self.helm_on_plane("upgrade", "gpu-scheduler", str(paths.CHART))
        lease = plane.json("get", "lease", "scheduler-leader", "-n", self.namespace)
        self.assertEqual(lease["spec"]["holderIdentity"], "uid")
        self.assertEqual(lease["metadata"]["labels"]["gpu.scheduling/role"], "election")

    def test_uninstall_leaves_the_crds_and_nothing_else(self):
        self.helm_on_plane("uninstall", "gpu-scheduler")
        self.assertEqual(len(names("crd")), 2)
        before = plane.everything()
        self.helm_on_plane("install", "gpu-scheduler", str(paths.CHART), *EVERYTHING_ON)
        self.lead()
        self.assertTrue(wait_until(lambda: len(names("pods", "-n", self.namespace)) == 4))
        made = plane.everything() - before
        self.assertGreater(len(made), 30)
        self.assertEqual(before - plane.everything(), set())
        self.helm_on_plane("uninstall", "gpu-scheduler")
        self.assertTrue(wait_until(lambda: plane.everything() == before), plane.everything() ^ before)

    def test_two_releases_of_one_name_live_in_two_namespaces_and_share_the_locks(self):
        other = f"{self.helm.name}-other"
        self.helm_on_plane("install", "gpu-scheduler", str(paths.CHART), "--create-namespace", "--set",
                           f"scheduler.name=other,locks.namespace={self.namespace}", namespace=other)
        self.addCleanup(self.helm_on_plane, "uninstall", "gpu-scheduler", namespace=other)
        self.assertEqual(len(names("lease", "-n", self.namespace)), 2)
        self.assertEqual(names("lease", "-n", other), [])
        self.assertTrue(self.may(other, "create", "leases.coordination.k8s.io", "-n", self.namespace))
        self.assertFalse(self.may(other, "create", "leases.coordination.k8s.io", "-n", other))

    def may(self, namespace: str, *words: str, account: str = ACCOUNT) -> bool:
        done = plane.kubectl("auth", "can-i", *words, f"--as={account.format(namespace)}", check=False)
        return done.stdout.strip() == "yes"

    def test_the_webhook_may_keep_its_certificate_and_no_more(self):
        def may(*words: str) -> bool:
            return self.may(self.namespace, *words, account=f"{ACCOUNT}-webhook")

        secret = "secret/gpu-scheduler-webhook-tls"
        configuration = "mutatingwebhookconfigurations/gpu-scheduler-webhook"
        for words in (("get", secret, "-n", self.namespace), ("update", secret, "-n", self.namespace),
                      ("get", "secret/gpu-scheduler-webhook-cert", "-n", self.namespace), ("get", configuration),
                      ("patch", configuration), ("list", "gpuclaims.gpu.scheduling", "-n", "kube-public")):
            self.assertTrue(may(*words), words)
        for words in (("update", "secret/gpu-scheduler-webhook-cert", "-n", self.namespace), ("get", "pods"),
                      ("get", "secrets", "-n", self.namespace), ("get", secret, "-n", "kube-public"),
                      ("delete", configuration), ("patch", "mutatingwebhookconfigurations/other")):
            self.assertFalse(may(*words), words)

    def test_what_the_webhook_writes_stays_in_an_upgrade(self):
        secret, path = "secret/gpu-scheduler-webhook-tls", '{"data":{"tls.crt":"eA=="}}'
        plane.kubectl("patch", secret, "-n", self.namespace, "--type=merge", "--patch", path)
        bundle = '[{"op":"add","path":"/webhooks/0/clientConfig/caBundle","value":"eA=="}]'
        plane.kubectl("patch", "mutatingwebhookconfiguration/gpu-scheduler-webhook", "--type=json", "--patch", bundle)
        self.helm_on_plane("upgrade", "gpu-scheduler", str(paths.CHART), "--set", "log.level=debug")
        self.assertEqual(plane.json("get", secret, "-n", self.namespace)["data"], {"tls.crt": "eA=="})
        configuration = plane.json("get", "mutatingwebhookconfiguration/gpu-scheduler-webhook")
        self.assertEqual(configuration["webhooks"][0]["clientConfig"]["caBundle"], "eA==")

    def test_a_secret_that_was_there_before_stays_the_users(self):
        self.helm_on_plane("uninstall", "gpu-scheduler")
        plane.kubectl("create", "secret", "generic", "gpu-scheduler-webhook-tls", "-n", self.namespace,
                      "--from-literal=tls.crt=x")
        self.helm_on_plane("install", "gpu-scheduler", str(paths.CHART))
        self.helm_on_plane("uninstall", "gpu-scheduler")
        self.assertEqual(names("secret", "-n", self.namespace), ["secret/gpu-scheduler-webhook-tls"])

    def test_the_account_may_do_what_the_scheduler_does_and_no_more(self):
        allowed = (("get", "pods"), ("list", "pods"), ("watch", "pods"), ("list", "nodes"), ("watch", "nodes"),
                   ("create", "pods", "--subresource=binding"), ("patch", "pods", "--subresource=status"),
                   ("watch", "gpuclaims.gpu.scheduling"), ("watch", "gpunodestatuses.gpu.scheduling"),
                   ("patch", "gpuclaims.gpu.scheduling", "--subresource=status"),
                   ("delete", "pods"), ("list", "leases.coordination.k8s.io"), ("create", "events.events.k8s.io"),
                   ("patch", "events.events.k8s.io"), ("watch", "persistentvolumeclaims"),
                   ("patch", "persistentvolumeclaims"), ("patch", "persistentvolumes"),
                   ("watch", "storageclasses.storage.k8s.io"), ("watch", "csinodes.storage.k8s.io"))
        refused = (("create", "pods"), ("update", "pods"), ("patch", "pods"), ("get", "secrets"),
                   ("update", "pods", "--subresource=status"), ("patch", "nodes"), ("get", "configmaps"),
                   ("create", "gpuclaims.gpu.scheduling"), ("update", "gpuclaims.gpu.scheduling"),
                   ("patch", "gpunodestatuses.gpu.scheduling", "--subresource=status"),
                   ("update", "leases.coordination.k8s.io"), ("delete", "leases.coordination.k8s.io"),
                   ("create", "persistentvolumes"), ("delete", "persistentvolumeclaims"))
        for words in allowed:
            self.assertTrue(self.may(self.namespace, *words, "-n", "kube-public"), words)
        for words in refused:
            self.assertFalse(self.may(self.namespace, *words, "-n", "kube-public"), words)
        self.helm_on_plane("upgrade", "gpu-scheduler", str(paths.CHART), "--set", "webhook.recreatePods=false")
        self.assertTrue(wait_until(lambda: not self.may(self.namespace, "delete", "pods", "-n", "kube-public")))
        for verb in ("get", "list", "watch", "create", "update", "delete"):
            self.assertTrue(self.may(self.namespace, verb, "leases.coordination.k8s.io", "-n", self.namespace), verb)


class WithHelm3(ReleaseTests, unittest.TestCase):
    helm = HELM3


class WithHelm4(ReleaseTests, unittest.TestCase):
    helm = HELM4
