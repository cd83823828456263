"""The health checks of argocd-health.yaml, one object after the other."""

import unittest

import places  # noqa: F401  it shows the way to the others
from lua_health import health, interpreter

SOURCE = {"repoURL": "https://git.example.com/a.git", "path": "charts/a", "targetRevision": "abc",
          "helm": {"releaseName": "a", "valuesObject": {"list": [1, 2], "name": "x"}}}


def application(**status) -> dict:
    """One that is Synced and Healthy but for what is given."""
    good = {"health": {"status": "Healthy"}, "sync": {"status": "Synced", "comparedTo": {"source": SOURCE}},
            "operationState": {"phase": "Succeeded"}}
    return {"metadata": {"name": "a"}, "spec": {"source": SOURCE}, "status": good | status}


@unittest.skipUnless(interpreter(), "no Lua interpreter is installed; tools/setup test installs one")
class ApplicationHealth(unittest.TestCase):
    def expect(self, status: str, obj: dict, message: str = "") -> None:
        found, said = health("argoproj.io_Application", obj)
        self.assertEqual(found, status, said)
        self.assertIn(message, said)

    def synced_to(self, source: dict, status: str = "Synced") -> dict:
        return {"status": status, "comparedTo": {"source": source}}

    def test_synced_and_healthy_opens_the_gate(self):
        self.expect("Healthy", application())

    def test_a_new_one_is_waited_for(self):
        self.expect("Progressing", {"metadata": {}, "spec": {"source": SOURCE}}, "not looked at it yet")
        self.expect("Progressing", application(health=None))
        self.expect("Progressing", application(sync=None))

    def test_one_that_is_half_synced_is_waited_for_although_it_says_healthy(self):
        self.expect("Progressing", application(sync=self.synced_to(SOURCE, "OutOfSync")), "OutOfSync")
        self.expect("Progressing", application(sync=self.synced_to(SOURCE, "Unknown")))

    def test_one_whose_spec_changed_is_waited_for(self):
        for change in ({"targetRevision": "def"}, {"path": "other"}, {"repoURL": "https://other"}, {"chart": "new"},
                       {"helm": {"releaseName": "a", "valuesObject": {"list": [1, 2, 3], "name": "x"}}},
                       {"helm": {"releaseName": "a", "valuesObject": {"list": [1], "name": "x"}}},
                       {"helm": {"releaseName": "a"}}):
            with self.subTest(change=change):
                self.expect("Progressing", application(sync=self.synced_to(SOURCE | change)), "changed source")

    def test_what_argo_cd_leaves_out_is_no_change(self):
        self.expect("Healthy", application(sync=self.synced_to(SOURCE | {"directory": {"jsonnet": {}}, "chart": ""})))

    def test_several_sources_are_compared_each(self):
        other = SOURCE | {"path": "b"}
        both = application(sync={"status": "Synced", "comparedTo": {"source": {"repoURL": ""}, "sources": [SOURCE, other]}})
        both["spec"] = {"sources": [SOURCE, other]}
        self.expect("Healthy", both)
        for sources in ([SOURCE], [other, SOURCE], [SOURCE, other, other]):
            both["spec"] = {"sources": sources}
            self.expect("Progressing", both, "changed source")

    def test_a_running_sync_is_waited_for(self):
        self.expect("Progressing", application(operationState={"phase": "Running", "message": "try 3"}), "try 3")

    def test_a_sync_that_failed_is_told(self):
        for phase in ("Failed", "Error"):
            self.expect("Degraded", application(sync=self.synced_to(SOURCE, "OutOfSync"),
                                                operationState={"phase": phase, "message": "denied"}), "denied")

    def test_its_own_health_counts_when_it_is_in_sync(self):
        self.expect("Degraded", application(health={"status": "Degraded", "message": "pods crash"}), "pods crash")
        self.expect("Progressing", application(health={"status": "Progressing"}))
        self.expect("Suspended", application(health={"status": "Suspended"}))
        for status in ("Missing", "Unknown"):
            self.expect("Progressing", application(health={"status": status}))

    def test_the_annotation_takes_its_word(self):
        one = application(sync=self.synced_to(SOURCE, "OutOfSync"))
        one["metadata"]["annotations"] = {"gpu.scheduling/wave-gate": "health"}
        self.expect("Healthy", one)
        one["metadata"]["annotations"] = {"gpu.scheduling/wave-gate": "other"}
        self.expect("Progressing", one)


@unittest.skipUnless(interpreter(), "no Lua interpreter is installed; tools/setup test installs one")
class OtherHealth(unittest.TestCase):
    def test_a_claim_is_healthy_unless_a_condition_says_otherwise(self):
        kind = "gpu.scheduling_GpuClaim"
        self.assertEqual(health(kind, {"spec": {}})[0], "Healthy")
        self.assertEqual(health(kind, {"status": {"phase": "Pending", "message": "1 pod waits"}}), ("Healthy", "1 pod waits"))
        waiting = {"type": "Allocated", "status": "False", "message": "no"}
        self.assertEqual(health(kind, {"status": {"conditions": [waiting]}})[0], "Healthy")
        broken = {"type": "Degraded", "status": "True", "message": "GPU 3 is lost"}
        self.assertEqual(health(kind, {"status": {"conditions": [waiting, broken]}}), ("Degraded", "GPU 3 is lost"))

    def test_a_machine_set_waits_for_its_machines(self):
        def machine_set(replicas, **status):
            return {"metadata": {"generation": 2}, "spec": {"replicas": replicas}, "status": {"observedGeneration": 2} | status}
        kind = "machine.openshift.io_MachineSet"
        self.assertEqual(health(kind, machine_set(2, availableReplicas=1)), ("Progressing", "1 of 2 machines are available"))
        self.assertEqual(health(kind, machine_set(2, availableReplicas=2))[0], "Healthy")
        self.assertEqual(health(kind, machine_set(0))[0], "Healthy")
        self.assertEqual(health(kind, machine_set(None))[0], "Progressing")
        self.assertEqual(health(kind, machine_set(2, availableReplicas=2, observedGeneration=1))[0], "Progressing")
        self.assertEqual(health(kind, machine_set(1, errorMessage="no such type")), ("Degraded", "no such type"))
        self.assertEqual(health(kind, {"metadata": {"generation": 1}, "spec": {}})[0], "Progressing")

    def test_a_cluster_policy_is_what_its_state_says(self):
        kind = "nvidia.com_ClusterPolicy"
        for state, status in (("ready", "Healthy"), ("notReady", "Progressing"), ("ignored", "Suspended")):
            self.assertEqual(health(kind, {"status": {"state": state}})[0], status)
        self.assertEqual(health(kind, {})[0], "Progressing")

    def test_a_profile_is_degraded_when_its_last_word_is_a_failure(self):
        kind = "kubeflow.org_Profile"
        failed, done = {"type": "Failed", "message": "taken"}, {"type": "Successful"}
        self.assertEqual(health(kind, {})[0], "Healthy")
        self.assertEqual(health(kind, {"status": {"conditions": [failed, done]}})[0], "Healthy")
        self.assertEqual(health(kind, {"status": {"conditions": [done, failed]}}), ("Degraded", "taken"))


if __name__ == "__main__":
    unittest.main()
