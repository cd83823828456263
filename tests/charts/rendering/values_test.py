"""The chart's values without a cluster: what renders, and what is refused before anything is installed."""

import json
import re
import unittest

import paths
from helm import HELM3, HELM4, KUBERNETES

FNV_OFFSET, FNV_PRIME = 0xCBF29CE484222325, 0x100000001B3


def short_hash(text: str) -> str:
    """What the scheduler appends to the name of its election: base/stable_hash.h."""
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

    def test_lint_finds_nothing(self):
        said = self.helm("lint", "--strict", f"--kube-version={KUBERNETES}", str(paths.CHART)).stdout
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
        self.assertEqual(sorted(set(schema["properties"]) - {"global"}),
                         sorted(re.findall(r"^(\w+):", values, re.MULTILINE)))

    def test_the_commands_people_type_work(self):
        text = self.helm.template("--set", "image.repository=registry.example.com/gpus/gpu-scheduler", "--set",
                                  "image.tag=v1", "--set", "image.pullPolicy=Always", "--set",
                                  "resources.limits.cpu=1000m").stdout
        self.assertIn('image: "registry.example.com/gpus/gpu-scheduler:v1"', text)
        self.assertIn("imagePullPolicy: Always", text)
        self.assertIn("cpu: 1000m", text)

    def test_null_clears_the_place(self):
        self.assertIn("nodeSelector:", self.helm.template().stdout)
        self.assertEqual(self.helm.template().stdout.count("operator: Exists"), 2)
        text = self.helm.template("--set", "nodeSelector=null", "--set", "tolerations=null").stdout
        self.assertNotIn("nodeSelector:", text)
        self.assertNotIn("tolerations:", text)

    def test_typos_are_refused(self):
        for value in ("shceduler.name=a", "scheduler.nmae=a", "image.tga=a", "webhook.enable=true", "locks.ns=a",
                      "log.levle=info", "election.lease=5s", "resources.limit.cpu=1", "tolerations[0].kye=a"):
            self.refuse("additional properties", "--set", value)

    def test_odd_values_are_refused_where_they_are(self):
        for value, place in (("replicas=-1", "/replicas"), ("replicas=two", "/replicas"),
                             ("scheduler.name=", "/scheduler/name"), ("scheduler.name=My_Own", "/scheduler/name"),
                             ("scheduler.name=default-scheduler", "/scheduler/name"),
                             ("scheduler.sharedPodsPerGpu=0", "/scheduler/sharedPodsPerGpu"),
                             ("election.leaseDuration=15", "/election/leaseDuration"),
                             ("locks.namespace=a/b", "/locks/namespace"), ("log.level=loud", "/log/level"),
                             ("image.tag=110", "/image/tag"), ("image.pullPolicy=Sometimes", "/image/pullPolicy"),
                             ("webhook.failurePolicy=Maybe", "/webhook/failurePolicy"),
                             ("nodeSelector.gpu=true", "/nodeSelector"),
                             ("api.listen=8090", "/api/listen"), ("api.listen=on", "/api/listen")):
            self.refuse(place, "--set", value)

    def test_the_webhook_is_refused_while_there_is_none(self):
        self.helm.template("--set", "webhook.caBundle=LS0t")
        self.refuse("the webhook is not in this version of the chart", "--set", "webhook.enabled=true")

    def test_values_reach_the_program(self):
        text = self.helm.template("--set", "scheduler.name=mine,scheduler.sharedPodsPerGpu=7,log.format=text",
                                  "--set", "locks.namespace=locks,election.leaseDuration=1m30s").stdout
        for argument in ("--scheduler-name=mine", "--shared-pods-per-gpu=7", "--log-format=text",
                         "--lock-namespace=locks", "--lease-duration=1m30s", "--retry-period=2s"):
            self.assertRegex(text, rf"(?m)^ +- {argument}$")

    def test_a_value_opens_the_api(self):
        self.assertRegex(self.helm.template().stdout, r"(?m)^ +- --api-listen=127\.0\.0\.1:8090$")
        for place in ("0.0.0.0:8090", "off"):
            self.assertRegex(self.helm.template("--set", f"api.listen={place}").stdout,
                             rf"(?m)^ +- --api-listen={re.escape(place)}$")

    def lease_of(self, *words: str) -> str:
        return self.helm.template("--show-only", "templates/election-lease.yaml", *words).stdout

    def test_the_election_is_called_as_the_scheduler_calls_it(self):
        self.assertRegex(self.lease_of(), r"(?m)^  name: scheduler-leader$")
        for name in ("a", "other", "gpu-scheduler-2", "no", "z" * 63):
            self.assertRegex(self.lease_of("--set", f"scheduler.name={name}"),
                             rf"(?m)^  name: scheduler-leader-{short_hash(name)}$")

    def test_the_hash_is_the_published_one(self):
        self.assertEqual(short_hash("foobar"), "85944171")

    def test_the_election_says_nothing_that_is_the_schedulers_to_say(self):
        text = self.lease_of()
        self.assertNotIn("\nspec:", text)
        self.assertNotIn("in-flight", text)
        self.assertNotIn("helm.sh/chart", text)

    def test_locks_and_election_lie_in_the_lock_namespace(self):
        self.assertIn('\n  namespace: "gpus"\n', self.lease_of())
        words = ("--set", "locks.namespace=locks")
        self.assertIn('\n  namespace: "locks"\n', self.lease_of(*words))
        role = self.helm.template("--show-only", "templates/lock-role.yaml", *words).stdout
        self.assertEqual(len(re.findall(r'(?m)^  namespace: "locks"$', role)), 2)
        self.assertIn('\n  namespace: "gpus"\n', role)  # where the account is


class WithHelm3(ChartTests, unittest.TestCase):
    helm = HELM3


class WithHelm4(ChartTests, unittest.TestCase):
    helm = HELM4
