"""The chart on a real API server: installed, upgraded, rolled back and removed, with Helm 3 and with Helm 4."""

import json
import re
import shutil
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
FENCE = ("lease", "scheduler-fence", "-n", "kube-system")
ANSWER = "gpu.scheduling/visible-devices"
LOCKS = "{{ .Values.locks.namespace | default .Release.Namespace }}"  # of an older chart
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
    ("scheduler.name=other", "fence.namespace=kube-public", "api.listen=off", "replicas=1", "webhook.replicas=1"),
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


def lease(name: str, namespace: str, **metadata) -> dict:
    return {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "spec": {"holderIdentity": "uid"},
            "metadata": {"name": name, "namespace": namespace} | metadata}


def pod(name: str, scheduler: str, **annotations: str) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "annotations": annotations},
                       "spec": {"schedulerName": scheduler, "containers": [{"name": "main", "image": "none"}]}})


def older_chart(folder: str) -> str:
    """As the chart was when an election Lease, which it made, was in place of the fence."""
    chart = Path(shutil.copytree(paths.CHART, Path(folder) / "gpu-scheduler", symlinks=True))
    (chart / "templates" / "rollback-policy.yaml").unlink()
    for name, pattern, older in (("templates/deployment.yaml", r"--fence-namespace=.*", f"--lock-namespace={LOCKS}"),
                                 ("templates/election-lease.yaml", r"{{- (if|end|\$present)[^}]*}}", ""),
                                 ("templates/election-lease.yaml", r"  namespace: .*", f"  namespace: {LOCKS}"),
                                 ("templates/_helpers.tpl", r"{{- fail .*}}", ""),
                                 ("values.yaml", r"fence:(\n  .*)+", 'locks:\n  namespace: ""')):
        text, count = re.subn(pattern, older, (chart / name).read_text(encoding="utf-8"))
        assert count, name
        (chart / name).write_text(text, encoding="utf-8")
    return str(chart)


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
                self.assertIn("37 resources found", done.stdout)
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

    def helm_on_plane(self, *words: str, namespace: str = "", check: bool = True):
        return self.helm(*words, "-n", namespace or self.namespace, kubeconfig=plane.folder / "admin.kubeconfig", check=check)

    def as_account(self, *words: str, namespace: str = "", stdin: str = "", check: bool = True):
        """Does what the scheduler does, with its rights and no others."""
        account = ACCOUNT.format(namespace or self.namespace)
        return plane.kubectl(*words, f"--as={account}", stdin=stdin, check=check)

    def own_the_fence(self, namespace: str = "") -> None:
        """Makes the fence, or adds this release to its owners."""
        role = f"gpu-scheduler-{namespace or self.namespace}"
        uid = self.as_account("get", "clusterrole", role, "-o", "jsonpath={.metadata.uid}", namespace=namespace).stdout
        present = self.as_account("get", *FENCE, "-o", "json", namespace=namespace, check=False)
        fence = json.loads(present.stdout) if present.returncode == 0 else lease("scheduler-fence", "kube-system")
        owner = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "name": role, "uid": uid}
        fence["metadata"].setdefault("ownerReferences", []).append(owner)
        verb = "create" if present.returncode else "replace"
        self.as_account(verb, "-f", "-", namespace=namespace, stdin=json.dumps(fence))

    @staticmethod
    def owners_of_the_fence() -> list[str]:
        """None without a fence."""
        done = plane.kubectl("get", *FENCE, "-o", "jsonpath={.metadata.ownerReferences[*].name}", check=False)
        return done.stdout.split()

    def arguments(self) -> list[str]:
        deployment = plane.json("get", "deploy", "gpu-scheduler", "-n", self.namespace)
        return deployment["spec"]["template"]["spec"]["containers"][0]["args"]

    def lead(self) -> dict:
        """Writes into the election Lease of an older chart what a leader wrote, the way it did."""
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
        self.assertEqual(names("lease", "-n", self.namespace), [])
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

    def test_upgrade_and_rollback_leave_the_fence_and_its_owner_alone(self):
        self.own_the_fence()
        before = plane.json("get", *FENCE)
        self.helm_on_plane("upgrade", "gpu-scheduler", str(paths.CHART), "--set", "log.level=debug")
        self.assertIn("--log-level=debug", self.arguments())
        self.helm_on_plane("rollback", "gpu-scheduler", "1")
        self.assertIn("--log-level=info", self.arguments())
        self.assertEqual(plane.json("get", *FENCE), before)
        self.assertEqual(plane.json("get", "clusterrole", f"gpu-scheduler-{self.namespace}")["metadata"]["uid"],
                         before["metadata"]["ownerReferences"][0]["uid"])

    def install_older(self, *values: str) -> None:
        """In place of the release. API servers may go by its policy, which refuses that, for a moment after it is gone."""
        def is_installed() -> bool:
            self.helm_on_plane("uninstall", "gpu-scheduler", "--ignore-not-found")
            done = self.helm_on_plane("install", "gpu-scheduler", chart, *values, check=False)
            says.append(done.stderr)
            return done.returncode == 0

        says: list[str] = []
        with tempfile.TemporaryDirectory() as folder:
            chart = older_chart(folder)
            self.assertTrue(wait_until(is_installed), says)

    def test_an_older_chart_is_upgraded_without_touching_its_leader_and_never_rolled_back_to(self):
        self.install_older()
        before = self.lead()
        self.helm_on_plane("upgrade", "gpu-scheduler", str(paths.CHART), "--reuse-values")
        self.assertIn("--fence-namespace=kube-system", self.arguments())
        self.assert_still_led(before)
        back = ("patch", "deploy", "gpu-scheduler", "-n", self.namespace, "--dry-run=server", "--type=json", "--patch",
                '[{"op":"add","path":"/spec/template/spec/containers/0/args/-","value":"--lock-namespace=a"}]')
        self.assertTrue(wait_until(lambda: plane.kubectl(*back, check=False).returncode != 0), "the policy is not in force")
        done = self.helm_on_plane("rollback", "gpu-scheduler", "1", check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("upgrade to this version of the chart again", done.stderr)
        self.assertIn("--fence-namespace=kube-system", self.arguments())
        self.helm_on_plane("upgrade", "gpu-scheduler", str(paths.CHART), "--reuse-values")
        self.assert_still_led(before)
        self.helm_on_plane("uninstall", "gpu-scheduler")
        self.assertEqual(names("lease", "-n", self.namespace), [])

    def test_an_older_chart_with_locks_elsewhere_is_upgraded_by_the_documented_steps(self):
        self.install_older("--set", "locks.namespace=kube-public")
        upgrade = ("upgrade", "gpu-scheduler", str(paths.CHART), "--reuse-values")
        self.assertIn("locks.namespace is gone", self.helm_on_plane(*upgrade, check=False).stderr)
        self.assertIn("--lock-namespace=kube-public", self.arguments())
        plane.kubectl("delete", "deploy/gpu-scheduler", "-n", self.namespace, "--cascade=foreground", "--timeout=2m")
        self.helm_on_plane(*upgrade, "--set", "locks.namespace=")
        self.assertIn("--fence-namespace=kube-system", self.arguments())
        self.assertEqual(names("lease", "-n", "kube-public"), [])

    def test_an_election_lease_that_the_scheduler_made_does_not_stop_an_upgrade(self):
        made = lease("scheduler-leader", self.namespace)
        self.as_account("create", "-f", "-", stdin=json.dumps(made))
        self.helm_on_plane("upgrade", "gpu-scheduler", str(paths.CHART))
        left = plane.json("get", "lease", "scheduler-leader", "-n", self.namespace)
        self.assertEqual(left["spec"], made["spec"])
        self.assertNotIn("labels", left["metadata"])
        plane.kubectl("delete", "lease", "scheduler-leader", "-n", self.namespace)

    def test_nobody_writes_answers_to_pods_of_any_scheduler_but_by_a_binding(self):
        self.helm_on_plane("upgrade", "gpu-scheduler", str(paths.CHART), "--set", "webhook.enabled=false")
        account = ("get", "serviceaccount", "default", "-n", self.namespace)
        self.assertTrue(wait_until(lambda: plane.kubectl(*account, check=False).returncode == 0))
        self.addCleanup(plane.kubectl, "delete", "pods", "--all", "-n", self.namespace, "--force", "--grace-period=0")

        def create(*words: str, name: str = "forged", scheduler: str = "default-scheduler", **annotations: str):
            return plane.kubectl("create", "-n", self.namespace, "-f", "-", *words, check=False,
                                 stdin=pod(name, scheduler, **annotations))

        dry = "--dry-run=server"
        self.assertTrue(wait_until(lambda: create(dry, **{ANSWER: "7"}).returncode != 0), "the policy is not in force")
        for scheduler in ("default-scheduler", "gpu-scheduler", "somebody-else"):
            done = create(dry, scheduler=scheduler, **{ANSWER: "7"})
            self.assertIn("leave them out of new pods", done.stderr)
            self.assertEqual(create(dry, scheduler=scheduler, mine="7").returncode, 0)
        self.assertEqual(create(name="given").returncode, 0)
        forged = json.dumps({"metadata": {"annotations": {ANSWER: "7"}}})
        patch = ("patch", "pod", "given", "-n", self.namespace, "--type=merge", "--patch")
        for words in ((), ("--subresource=status",)):
            self.assertIn("nobody else may write", plane.kubectl(*patch, forged, *words, check=False).stderr)
        self.bind("given", **{ANSWER: "0"})
        self.assertEqual(plane.json("get", "pod", "given", "-n", self.namespace)["metadata"]["annotations"][ANSWER], "0")
        removed = json.dumps({"metadata": {"annotations": {ANSWER: None}}})
        for words in (forged, removed):
            self.assertNotEqual(plane.kubectl(*patch, words, check=False).returncode, 0)
        touch = '{"status":{"conditions":[{"type":"gpu.scheduling/Fence","status":"True","message":"a"}]}}'
        plane.kubectl("patch", "pod", "given", "-n", self.namespace, "--subresource=status", "--type=strategic", "--patch", touch)

    def bind(self, name: str, **annotations: str) -> None:
        """As the scheduler's account."""
        binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name, "annotations": annotations},
                   "target": {"apiVersion": "v1", "kind": "Node", "name": "anywhere"}}
        path = f"/api/v1/namespaces/{self.namespace}/pods/{name}/binding"
        self.as_account("create", "--raw", path, "-f", "-", stdin=json.dumps(binding))

    def test_uninstall_leaves_the_crds_and_nothing_else(self):
        self.helm_on_plane("uninstall", "gpu-scheduler")
        self.assertEqual(len(names("crd")), 2)
        before = plane.everything()
        self.helm_on_plane("install", "gpu-scheduler", str(paths.CHART), *EVERYTHING_ON)
        self.own_the_fence()
        self.assertTrue(wait_until(lambda: len(names("pods", "-n", self.namespace)) == 4))
        made = plane.everything() - before
        self.assertGreater(len(made), 30)
        self.assertEqual(before - plane.everything(), set())
        self.helm_on_plane("uninstall", "gpu-scheduler")
        self.assertTrue(wait_until(lambda: plane.everything() == before), plane.everything() ^ before)

    def test_two_releases_share_the_fence_which_goes_with_the_last(self):
        other = f"{self.helm.name}-other"
        self.helm_on_plane("install", "gpu-scheduler", str(paths.CHART), "--create-namespace", "--set", "scheduler.name=other",
                           namespace=other)
        self.addCleanup(self.helm_on_plane, "uninstall", "gpu-scheduler", "--ignore-not-found", namespace=other)
        self.own_the_fence()
        self.own_the_fence(other)
        self.assertEqual(self.owners_of_the_fence(), [f"gpu-scheduler-{self.namespace}", f"gpu-scheduler-{other}"])
        self.helm_on_plane("uninstall", "gpu-scheduler")
        self.assertTrue(wait_until(lambda: self.owners_of_the_fence() == [f"gpu-scheduler-{other}"]), self.owners_of_the_fence())
        self.helm_on_plane("uninstall", "gpu-scheduler", namespace=other)
        self.assertTrue(wait_until(lambda: plane.kubectl("get", *FENCE, check=False).returncode != 0))
        self.assertEqual([name for name in names("role,rolebinding", "-n", "kube-system") if "gpu-scheduler" in name], [])

    def may(self, namespace: str, *words: str, account: str = ACCOUNT) -> bool:
        done = plane.kubectl("auth", "can-i", *words, f"--as={account.format(namespace)}", check=False)
        return done.stdout.strip() == "yes"

    def test_the_webhook_may_keep_its_certificate_and_no_more(self):
        def may(*words: str) -> bool:
            return self.may(self.namespace, *words, account=f"{ACCOUNT}-webhook")

        secret = "secret/gpu-scheduler-webhook-self"
        configuration = "mutatingwebhookconfigurations/gpu-scheduler-webhook"
        for words in (("get", secret, "-n", self.namespace), ("update", secret, "-n", self.namespace),
                      ("get", "secret/gpu-scheduler-webhook-cert", "-n", self.namespace), ("get", configuration),
                      ("get", "secret/gpu-scheduler-webhook-tls", "-n", self.namespace),
                      ("patch", configuration), ("list", "gpuclaims.gpu.scheduling", "-n", "kube-public")):
            self.assertTrue(may(*words), words)
        for words in (("update", "secret/gpu-scheduler-webhook-cert", "-n", self.namespace), ("get", "pods"),
                      ("update", "secret/gpu-scheduler-webhook-tls", "-n", self.namespace),
                      ("get", "secrets", "-n", self.namespace), ("get", secret, "-n", "kube-public"),
                      ("delete", configuration), ("patch", "mutatingwebhookconfigurations/other")):
            self.assertFalse(may(*words), words)

    def test_what_the_webhook_writes_stays_in_an_upgrade(self):
        secret, path = "secret/gpu-scheduler-webhook-self", '{"data":{"tls.crt":"eA=="}}'
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
                   ("delete", "pods"), ("get", f"clusterroles/gpu-scheduler-{self.namespace}"), ("create", "events.events.k8s.io"),
                   ("patch", "events.events.k8s.io"), ("watch", "persistentvolumeclaims"),
                   ("patch", "persistentvolumeclaims"), ("patch", "persistentvolumes"),
                   ("watch", "storageclasses.storage.k8s.io"), ("watch", "csinodes.storage.k8s.io"))
        refused = (("create", "pods"), ("update", "pods"), ("patch", "pods"), ("get", "secrets"),
                   ("update", "pods", "--subresource=status"), ("patch", "nodes"), ("get", "configmaps"),
                   ("create", "gpuclaims.gpu.scheduling"), ("update", "gpuclaims.gpu.scheduling"),
                   ("patch", "gpunodestatuses.gpu.scheduling", "--subresource=status"),
                   *((verb, "leases.coordination.k8s.io") for verb in ("get", "list", "create", "update", "delete")),
                   ("get", "clusterroles"), ("update", f"clusterroles/gpu-scheduler-{self.namespace}"),
                   ("create", "persistentvolumes"), ("delete", "persistentvolumeclaims"))
        for words in allowed:
            self.assertTrue(self.may(self.namespace, *words, "-n", "kube-public"), words)
        for words in refused:
            self.assertFalse(self.may(self.namespace, *words, "-n", "kube-public"), words)
        self.helm_on_plane("upgrade", "gpu-scheduler", str(paths.CHART), "--set", "webhook.recreatePods=false")
        self.assertTrue(wait_until(lambda: not self.may(self.namespace, "delete", "pods", "-n", "kube-public")))
        for verb in ("get", "list", "watch", "create", "update", "delete"):
            self.assertTrue(self.may(self.namespace, verb, "leases.coordination.k8s.io", "-n", self.namespace), verb)

    def test_of_the_fences_namespace_the_account_may_write_the_fence_alone(self):
        def may(verb: str, what: str) -> bool:
            return self.may(self.namespace, verb, what, "-n", "kube-system")

        for verb in ("get", "update", "delete"):  # those who may not delete it may not own it everywhere
            self.assertTrue(may(verb, "leases.coordination.k8s.io/scheduler-fence"), verb)
            self.assertFalse(may(verb, "leases.coordination.k8s.io/kube-scheduler"), verb)
        self.assertTrue(may("create", "leases.coordination.k8s.io"))
        for verb in ("list", "watch", "patch", "deletecollection"):
            self.assertFalse(may(verb, "leases.coordination.k8s.io"), verb)


class WithHelm3(ReleaseTests, unittest.TestCase):
    helm = HELM3


class WithHelm4(ReleaseTests, unittest.TestCase):
    helm = HELM4
