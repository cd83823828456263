"""The chart's values without a cluster: what renders, and what is refused before anything is installed."""

import json
import re
import tempfile
import unittest
from pathlib import Path

import paths
from helm import HELM3, HELM4
from tool_table import PINNED_KUBERNETES  # of tools/cluster, which helm knows the way to

FNV_OFFSET, FNV_PRIME = 0xCBF29CE484222325, 0x100000001B3


def short_hash(text: str) -> str:
    """What is appended to the names of schedulers that are not called gpu-scheduler: base/stable_hash.h."""
    value = FNV_OFFSET
    for letter in text.encode():
        value = (value ^ letter) * FNV_PRIME % 2**64
    return f"{value:016x}"[:8]


class ChartTests:
    """What must be so with either Helm."""

    def refuse(self, message: str, *words: str) -> None:
        done = self.helm.template(*words, check=False)
        self.assertNotEqual(done.returncode, 0, f"{words} was accepted")
        self.assertIn(message, done.stderr)

    def test_without_a_cluster_it_renders_for_the_kubernetes_of_the_tests(self):
        """As a released Helm does for the one that it was made with."""
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "templates").mkdir()
            (Path(folder) / "Chart.yaml").write_text("apiVersion: v2\nname: says\nversion: 1.0.0\n", encoding="utf-8")
            (Path(folder) / "templates" / "it.yaml").write_text("it: {{ .Capabilities.KubeVersion }}\n", encoding="utf-8")
            said = self.helm("template", "says", folder).stdout
        minor = PINNED_KUBERNETES.rpartition(".")[0]
        self.assertRegex(said, rf"\nit: v{re.escape(minor)}\.\d+\n")
        self.assertIn("kind: Deployment", self.helm("template", "gpu-scheduler", str(paths.CHART)).stdout)

    def test_lint_finds_nothing(self):
        said = self.helm("lint", "--strict", str(paths.CHART)).stdout
        self.assertIn("0 chart(s) failed", said)
        self.assertNotIn("WARNING", said)

    def test_the_crds_are_in_it_once(self):
        crds = re.compile("^kind: CustomResourceDefinition$", re.MULTILINE)
        self.assertEqual(len(crds.findall(self.helm.template().stdout)), 0)
        self.assertEqual(len(crds.findall(self.helm.template("--include-crds").stdout)), 2)

    def test_it_is_found_under_its_old_name(self):
        old = paths.ROOT / "gpu-scheduler-chart"
        self.assertTrue(old.is_symlink())
        self.assertEqual(self.helm.template(chart=old).stdout, self.helm.template().stdout)

    def test_the_schema_knows_exactly_the_values_there_are(self):
        schema = json.loads((paths.CHART / "values.schema.json").read_text(encoding="utf-8"))
        values = (paths.CHART / "values.yaml").read_text(encoding="utf-8")
        self.assertEqual(sorted(set(schema["properties"]) - {"global", "locks"}),  # the last one is refused with a sentence
                         sorted(re.findall(r"^(\w+):", values, re.MULTILINE)))

    def test_the_commands_people_type_work(self):
        text = self.helm.template("--set", "image.repository=registry.example.com/gpus/gpu-scheduler", "--set",
                                  "image.tag=v1", "--set", "image.pullPolicy=Always", "--set",
                                  "resources.limits.cpu=1000m").stdout
        self.assertIn('image: "registry.example.com/gpus/gpu-scheduler:v1"', text)
        self.assertIn("imagePullPolicy: Always", text)
        self.assertIn("cpu: 1000m", text)

    def test_null_clears_the_place(self):
        only = ("--show-only", "templates/deployment.yaml")
        self.assertIn("nodeSelector:", self.helm.template(*only).stdout)
        self.assertEqual(self.helm.template(*only).stdout.count("operator: Exists"), 2)
        text = self.helm.template(*only, "--set", "nodeSelector=null", "--set", "tolerations=null").stdout
        self.assertNotIn("nodeSelector:", text)
        self.assertNotIn("tolerations:", text)

    def test_typos_are_refused(self):
        for value in ("shceduler.name=a", "scheduler.nmae=a", "image.tga=a", "webhook.enable=true", "fence.ns=a", "locks.ns=a",
                      "log.levle=info", "election.lease=5s", "resources.limit.cpu=1", "tolerations[0].kye=a", "agent.enable=true",
                      "agent.resources.limit.cpu=1"):
            self.refuse("additional properties", "--set", value)

    def test_odd_values_are_refused_where_they_are(self):
        for value, place in (("replicas=-1", "/replicas"), ("replicas=two", "/replicas"),
                             ("scheduler.name=", "/scheduler/name"), ("scheduler.name=My_Own", "/scheduler/name"),
                             ("scheduler.name=default-scheduler", "/scheduler/name"),
                             ("scheduler.sharedPodsPerGpu=0", "/scheduler/sharedPodsPerGpu"),
                             ("election.leaseDuration=15", "/election/leaseDuration"),
                             ("fence.namespace=a/b", "/fence/namespace"), ("fence.namespace=", "/fence/namespace"),
                             ("log.level=loud", "/log/level"),
                             ("image.tag=110", "/image/tag"), ("image.pullPolicy=Sometimes", "/image/pullPolicy"),
                             ("webhook.failurePolicy=Maybe", "/webhook/failurePolicy"),
                             ("webhook.handover=luck", "/webhook/handover"),
                             ("webhook.certificates=mine", "/webhook/certificates"),
                             ("webhook.placement=cloud", "/webhook/placement"),
                             ("nodeSelector.gpu=true", "/nodeSelector"),
                             ("agent.podResources=on", "/agent/podResources"),
                             ("agent.driverRoot=usr", "/agent/driverRoot"), ("agent.readInterval=10", "/agent/readInterval"),
                             ("api.listen=8090", "/api/listen"), ("api.listen=on", "/api/listen")):
            self.refuse(place, "--set", value)

    def webhook(self, name: str, *values: str) -> str:
        """What one template of the webhook's makes; nothing where it is left out."""
        words = [word for value in values for word in ("--set", value)]
        done = self.helm.template("--show-only", f"templates/webhook-{name}.yaml", *words, check=False)
        if done.returncode != 0:
            self.assertIn("could not find template", done.stderr)
        return done.stdout

    def test_without_the_webhook_there_is_nothing_of_it(self):
        text = self.helm.template("--set", "webhook.enabled=false").stdout
        for word in ("gpu-scheduler-webhook", "MutatingWebhookConfiguration"):
            self.assertNotIn(word, text)

    def test_the_webhook_is_asked_about_pods_of_this_scheduler_and_no_others(self):
        text = self.webhook("configuration", "scheduler.name=mine")
        self.assertIn('expression: object.spec.schedulerName == "mine"', text)
        self.assertRegex(text, rf"(?m)^  name: gpu-scheduler-webhook-{short_hash('mine')}$")
        for line in ("- name: pods.gpu-scheduler.svc", "failurePolicy: Ignore", "reinvocationPolicy: IfNeeded",
                     "sideEffects: None", "timeoutSeconds: 10"):
            self.assertIn(line, text)
        for word in ("namespaceSelector", "objectSelector", "caBundle"):
            self.assertNotIn(word, text)

    def test_no_pod_of_ours_is_scheduled_by_us(self):
        text = self.helm.template().stdout
        self.assertEqual(text.count("schedulerName: default-scheduler"), 2)
        self.assertEqual(text.count("kind: Deployment"), 2)

    def test_the_webhook_is_a_sidecar_where_the_user_brings_a_bundle(self):
        for values, is_sidecar in (((), False), (("webhook.caBundle=LS0t",), True),
                                   (("webhook.caBundle=LS0t", "webhook.placement=deployment"), False),
                                   (("webhook.placement=sidecar",), True)):
            words = [word for value in values for word in ("--set", value)]
            scheduler = self.helm.template("--show-only", "templates/deployment.yaml", *words).stdout
            self.assertEqual("- name: webhook\n" in scheduler, is_sidecar, values)
            self.assertEqual(self.webhook("deployment", *values) == "", is_sidecar, values)
            selector = self.webhook("service", *values).split("selector:")[1]
            self.assertEqual("app.kubernetes.io/name: gpu-scheduler-webhook" in selector, not is_sidecar, values)

    def test_who_sets_the_bundle(self):
        self.assertIn("--configuration=gpu-scheduler-webhook", self.webhook("deployment"))
        mine = self.helm.template("--set", "webhook.caBundle=LS0t").stdout
        self.assertIn("--ca-bundle=LS0t", mine)
        self.assertIn("--configuration=gpu-scheduler-webhook", mine)
        self.assertNotIn("caBundle:", mine, "Helm 4 would not let the webhook change it")
        self.assertIn("kind: Secret\n", mine)
        injected = self.helm.template("--set", "webhook.certificates=cert-manager").stdout
        self.assertIn("cert-manager.io/inject-ca-from: gpus/gpu-scheduler-webhook", injected)
        self.assertNotIn("--configuration=", injected)
        self.assertNotIn("kind: Secret\n", injected)

    def test_an_issuer_of_ones_own(self):
        self.assertEqual(self.webhook("certificate"), "")
        ours = self.webhook("certificate", "webhook.certificates=cert-manager")
        self.assertEqual((ours.count("kind: Issuer\n"), ours.count("kind: Certificate\n")), (4, 2))
        theirs = self.webhook("certificate", "webhook.certificates=cert-manager",
                              "webhook.certManager.issuerRef.name=mine",
                              "webhook.certManager.issuerRef.kind=ClusterIssuer")
        self.assertEqual((theirs.count("kind: Issuer\n"), theirs.count("kind: Certificate\n")), (0, 1))
        self.assertIn("kind: ClusterIssuer", theirs)

    def test_the_scheduler_waits_for_the_webhook_where_there_is_one(self):
        for value, argument in (("true", "recreate"), ("false", "wait")):
            text = self.helm.template("--set", f"webhook.recreatePods={value}").stdout
            self.assertRegex(text, rf"(?m)^ +- --webhook-pods={argument}$")
            self.assertEqual("verbs: [delete]" in text, value == "true")
        self.assertNotIn("--webhook-pods", self.helm.template("--set", "webhook.enabled=false").stdout)

    def test_values_reach_the_program(self):
        text = self.helm.template("--set", "scheduler.name=mine,scheduler.sharedPodsPerGpu=7,log.format=text",
                                  "--set", "election.leaseDuration=1m30s").stdout
        for argument in ("--scheduler-name=mine", "--shared-pods-per-gpu=7", "--log-format=text",
                         "--lease-duration=1m30s", "--retry-period=2s"):
            self.assertRegex(text, rf"(?m)^ +- {argument}$")

    def test_a_value_opens_the_api(self):
        self.assertRegex(self.helm.template().stdout, r"(?m)^ +- --api-listen=127\.0\.0\.1:8090$")
        for place in ("0.0.0.0:8090", "off"):
            self.assertRegex(self.helm.template("--set", f"api.listen={place}").stdout,
                             rf"(?m)^ +- --api-listen={re.escape(place)}$")

    def test_the_hash_is_the_published_one(self):
        self.assertEqual(short_hash("foobar"), "85944171")

    def agent(self, *words: str) -> str:
        return self.helm.template("--show-only", "templates/agent-daemonset.yaml", *words).stdout

    def test_the_agent_is_on_every_node_and_can_be_left_out(self):
        text = self.agent()
        self.assertRegex(text, r"(?m)^  name: gpu-scheduler-agent$")
        self.assertRegex(text, r"(?m)^    app: gpu-scheduler-agent$")
        self.assertNotIn("nodeSelector:", text)
        self.assertNotIn("gpu-scheduler-agent", self.helm.template("--set", "agent.enabled=false").stdout)

    def test_the_agent_is_root_only_for_the_sockets_that_need_it(self):
        self.assertIn("runAsUser: 0", self.agent())
        self.assertIn("drop: [ALL]", self.agent())
        self.assertIn("path: /var/lib/kubelet/pod-resources\n", self.agent())
        text = self.agent("--set", "agent.podResources=off")
        self.assertIn("runAsNonRoot: true", text)
        self.assertNotIn("hostPath", text)
        self.assertNotIn("volume", text)
        for words in ((), ("--set", "agent.podResources=off")):
            self.assertNotIn("privileged", self.agent(*words))

    def test_the_agent_gets_the_drivers_library_by_value(self):
        self.assertIn("runtimeClassName: nvidia\n", self.agent("--set", "agent.runtimeClassName=nvidia"))
        text = self.agent("--set", "agent.driverRoot=/run/nvidia/driver,agent.nvmlLibrary=/run/nvidia/driver/nvml.so")
        self.assertIn("- --nvml-library=/run/nvidia/driver/nvml.so\n", text)
        self.assertIn("path: /run/nvidia/driver\n", text)
        self.assertIn("privileged: true", text)

    def test_the_pod_of_helm_test_is_let_in_where_the_agent_is(self):
        only = ("--show-only", "templates/tests/check.yaml")
        text = self.helm.template(*only).stdout
        self.assertIn("- name: NVIDIA_VISIBLE_DEVICES\n      value: all\n", text)
        self.assertNotIn("runtimeClassName", text)
        self.assertIn("  runtimeClassName: nvidia\n", self.helm.template(*only, "--set", "agent.runtimeClassName=nvidia").stdout)

    def test_the_agents_values_reach_the_program(self):
        text = self.agent("--set", "agent.readInterval=3s,agent.quietPeriod=1m,agent.machineFile=/gpus.yaml,log.level=debug")
        for argument in ("--read-interval=3s", "--quiet-period=1m", "--machine-file=/gpus.yaml", "--log-level=debug"):
            self.assertRegex(text, rf"(?m)^ +- {argument}$")

    def test_the_agent_may_write_nothing_but_reports_and_events(self):
        role = self.helm.template("--show-only", "templates/agent-role.yaml").stdout
        self.assertEqual(re.findall(r"verbs: (.*)", role),
                         ["[list, watch]", "[list, watch, create, patch]", "[patch]", "[create, patch]"])
        self.assertEqual(re.findall(r"resources: (.*)", role),
                         ["[pods, nodes]", "[gpunodestatuses]", "[gpunodestatuses/status]", "[events]"])


class Notes(unittest.TestCase):
    """With Helm 4 alone: Helm 3 shows notes only where it reaches a cluster."""

    def test_the_notes_say_what_lets_gpus_into_containers(self):
        notes = HELM4.notes()
        for words in ("nvidia as its default runtime", "kubectl get runtimeclasses", "docs/gpus-in-containers.md",
                      "helm test gpu-scheduler -n gpus --logs"):
            self.assertIn(words, notes)
        self.assertTrue((paths.ROOT / "docs" / "gpus-in-containers.md").exists())


class WithHelm3(ChartTests, unittest.TestCase):
    helm = HELM3


class WithHelm4(ChartTests, unittest.TestCase):
    helm = HELM4
