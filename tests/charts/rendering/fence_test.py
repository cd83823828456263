"""The fence in the chart without a cluster: who may write it and where, and what several releases have in common."""

import unittest

import paths
import yaml
from helm import HELM3, HELM4

ACCOUNT = {"kind": "ServiceAccount", "name": "gpu-scheduler", "namespace": "gpus"}
LEASES = {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"]}


class FenceTests:
    """What must be so with either Helm."""

    def rendered(self, *values: str, release: str = "gpu-scheduler", namespace: str = "gpus") -> list[dict]:
        words = [word for value in values for word in ("--set", value)]
        text = self.helm("template", release, str(paths.CHART), f"--namespace={namespace}", *words).stdout
        return [each for each in yaml.safe_load_all(text) if each]

    def of_kind(self, kind: str, *values: str) -> dict[str, dict]:
        return {each["metadata"]["name"]: each for each in self.rendered(*values) if each["kind"] == kind}

    def arguments(self, *values: str) -> list[str]:
        return self.of_kind("Deployment", *values)["gpu-scheduler"]["spec"]["template"]["spec"]["containers"][0]["args"]

    def test_the_scheduler_is_told_where_the_fence_is_and_which_role_owns_it(self):
        self.assertIn("--fence-namespace=kube-system", self.arguments())
        [role] = [each.removeprefix("--cluster-role=") for each in self.arguments() if each.startswith("--cluster-role=")]
        rules = self.of_kind("ClusterRole")[role]["rules"]
        self.assertIn({"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["clusterroles"], "resourceNames": [role],
                       "verbs": ["get"]}, rules)
        self.assertNotIn("leases", [resource for rule in rules for resource in rule["resources"]])

    def test_it_may_write_the_fence_and_the_leases_beside_it_and_no_others(self):
        roles, bindings = self.of_kind("Role"), self.of_kind("RoleBinding")
        leases = {name: role for name, role in roles.items() if "leases" in str(role["rules"])}
        self.assertEqual({name: role["metadata"]["namespace"] for name, role in leases.items()},
                         {"gpu-scheduler-gpus-fence": "kube-system", "gpu-scheduler-leases": "gpus"})
        for name, role in leases.items():
            self.assertEqual(bindings[name]["metadata"]["namespace"], role["metadata"]["namespace"])
            self.assertEqual(bindings[name]["roleRef"]["name"], name)
            self.assertEqual(bindings[name]["subjects"], [ACCOUNT])
        self.assertEqual(leases["gpu-scheduler-gpus-fence"]["rules"],
                         [LEASES | {"resourceNames": ["scheduler-fence"], "verbs": ["get", "update", "delete"]},
                          LEASES | {"verbs": ["create"]}])

    def test_the_fence_may_be_elsewhere(self):
        value = "fence.namespace=shared"
        self.assertIn("--fence-namespace=shared", self.arguments(value))
        for kind in ("Role", "RoleBinding"):
            self.assertEqual(self.of_kind(kind, value)["gpu-scheduler-gpus-fence"]["metadata"]["namespace"], "shared")
        schema = self.of_kind("FlowSchema", value)["gpu-scheduler-gpus-fence"]
        self.assertEqual(schema["spec"]["rules"][0]["resourceRules"][0]["namespaces"], ["shared"])

    def test_no_lease_is_made_by_the_chart(self):
        self.assertEqual(self.of_kind("Lease"), {})

    def test_a_lock_namespace_is_refused_with_what_to_do(self):
        done = self.helm.template("--set", "locks.namespace=gpu-locks", check=False)
        self.assertNotEqual(done.returncode, 0)
        for words in ("locks.namespace is gone", "nothing needs to be set", "--set locks.namespace="):
            self.assertIn(words, done.stderr)

    def test_values_of_a_chart_without_the_fence_still_work(self):
        """As --reuse-values brings them along: the old default of what is gone, and nothing of what is new."""
        for values in (("locks.namespace=", "fence=null"), ("locks=null",)):
            self.assertIn("--fence-namespace=kube-system", self.arguments(*values))

    def test_two_releases_have_no_object_in_common(self):
        def places(release: str, namespace: str, *values: str) -> set[tuple[str, str, str]]:
            found = self.rendered(*values, release=release, namespace=namespace)
            made = [(each["kind"], each["metadata"].get("namespace", ""), each["metadata"]["name"]) for each in found
                    if "helm.sh/hook" not in each["metadata"].get("annotations", {})]
            self.assertEqual(len(made), len(set(made)))
            return set(made)

        first = places("gpu-scheduler", "first")
        self.assertIn(("Role", "kube-system", "gpu-scheduler-first-fence"), first)
        self.assertEqual(first & places("gpu-scheduler", "second", "scheduler.name=second"), set())
        self.assertEqual(first & places("other", "second", "scheduler.name=second"), set())
        self.assertEqual(first & places("other", "first", "scheduler.name=second"), set())

    def test_answers_are_guarded_on_every_pod_also_without_the_webhook(self):
        for values in ((), ("webhook.enabled=false",)):
            policy = self.of_kind("ValidatingAdmissionPolicy", *values)["gpu-scheduler-gpus-results"]
            [rule] = policy["spec"]["matchConstraints"]["resourceRules"]
            self.assertEqual(rule["operations"], ["CREATE", "UPDATE"])
            self.assertLessEqual({"pods", "pods/status"}, set(rule["resources"]))
            self.assertNotIn("pods/binding", rule["resources"])  # this is how the scheduler writes them
            self.assertNotIn("matchConditions", policy["spec"])  # neither by schedulerName nor by account
            binding = self.of_kind("ValidatingAdmissionPolicyBinding", *values)["gpu-scheduler-gpus-results"]
            self.assertEqual(binding["spec"], {"policyName": "gpu-scheduler-gpus-results", "validationActions": ["Deny"]})
        self.assertNotIn("gpu-scheduler-gpus-results", self.of_kind("ValidatingAdmissionPolicy", "webhook.guardResults=false"))

    def test_policies_are_of_a_version_that_the_oldest_kubernetes_has(self):
        """admissionregistration.k8s.io/v1 has them since 1.30; the chart refuses anything older."""
        words = ("--show-only", "templates/results-policy.yaml")
        text = self.helm.template("--kube-version", "1.30.0", *words).stdout
        self.assertEqual({each["apiVersion"] for each in yaml.safe_load_all(text)}, {"admissionregistration.k8s.io/v1"})
        self.assertNotEqual(self.helm.template("--kube-version", "1.29.9", *words, check=False).returncode, 0)


class WithHelm3(FenceTests, unittest.TestCase):
    helm = HELM3


class WithHelm4(FenceTests, unittest.TestCase):
    helm = HELM4
