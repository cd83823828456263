"""Several releases in one cluster, their one fence, and what must not stop any of them."""

import json
import os
import re
import signal
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from plane_case import OTHER_HOME, PlaneCase  # noqa: E402
from scheduler_process import FENCE, HOME, claim, gpus_of, leases, pod, reason_of, record_of, wait_until  # noqa: E402

IS_LOCAL = os.environ.get("GS_SCHEDULER_ENGINE") == "local"
NODE = "gpu-node-0"
# How the log tells of requests about Leases of pods that are gone, and of their answers.
TIDYING = r'command what="(look up default/gone|delete lease gpu-gone)'
TIDIED = r'event what="(look up default/gone|lease gpu-gone-\d+ attempt)'


def mapped(name: str, gpus: str, scheduler: str = "gpu-scheduler") -> dict:
    return pod(name, scheduler, **{"gpu-scheduling-map": f"0={NODE}:{gpus}"})


def counted(name: str, scheduler: str) -> dict:
    """On that node, with one GPU of its device plugin."""
    made = pod(name, scheduler)
    made["spec"]["containers"][0]["resources"] = {"limits": {"nvidia.com/gpu": "1"}}
    made["spec"]["nodeSelector"] = {"kubernetes.io/hostname": NODE}
    return made


def lease(name: str, namespace: str, holder: str = "", labels: dict | None = None, annotations: dict | None = None,
          **spec) -> dict:
    if holder:
        spec["holderIdentity"] = holder
    return {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "spec": spec,
            "metadata": {"name": name, "namespace": namespace, "labels": labels or {}, "annotations": annotations or {}}}


def now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", time.gmtime())


class SeveralReleases(PlaneCase):
    def gpus_of_all(self, names: list[str]) -> list[str]:
        """Each GPU as often as it was given away."""
        places = [gpus_of(self.plane, name).partition(":") for name in names]
        return [f"{node}:{gpu}" for node, _, ids in places for gpu in ids.split(",") if node]

    def test_two_names_in_two_namespaces_never_give_the_same_gpus(self):
        self.start_leader(name="gpu-a", home=HOME)
        self.create(mapped("a1", "0,1,2,3", "gpu-a"))
        self.expect(lambda: gpus_of(self.plane, "a1"), f"{NODE}:0,1,2,3")
        self.start_leader(name="gpu-b", home=OTHER_HOME)
        self.create(mapped("b1", "0,1,2,3", "gpu-b"), mapped("b2", "4", "gpu-b"))
        self.expect(lambda: gpus_of(self.plane, "b2"), f"{NODE}:4")
        self.assertTrue(wait_until(lambda: "GPU 0 of gpu-node-0 is held by default/a1" in reason_of(self.plane, "b1")))
        self.plane.kubectl("delete", "pod", "a1", "--force", "--grace-period=0")
        self.expect(lambda: gpus_of(self.plane, "b1"), f"{NODE}:0,1,2,3")
        # Each shows what its pods have, in its own namespace.
        self.expect(lambda: leases(self.plane, HOME), {})
        self.expect(lambda: sorted(leases(self.plane, OTHER_HOME)), [f"gpu-{NODE}-{number}" for number in range(5)])

    def test_pods_of_two_releases_that_come_together_never_share_a_gpu(self):
        names = {"gpu-a": HOME, "gpu-b": OTHER_HOME}
        for name, home in names.items():
            self.start_leader(name=name, home=home)
        pods = [f"p{number}" for number in range(12)]
        self.create(claim("pair", 2), *(pod(name, list(names)[index % 2], **{"gpu.scheduling/claim": "pair"})
                                        for index, name in enumerate(pods)))
        self.expect(lambda: len(self.gpus_of_all(pods)), 16)
        held = self.gpus_of_all(pods)
        self.assertEqual(len(set(held)), 16, f"a GPU was given twice: {sorted(held)}")

    def test_a_renamed_release_knows_what_its_pods_hold(self):
        first = self.start_leader(name="gpu-a")
        self.create(mapped("a1", "0,1,2,3", "gpu-a"))
        self.expect(lambda: gpus_of(self.plane, "a1"), f"{NODE}:0,1,2,3")
        first.end(signal.SIGTERM)
        # As people tidy up, and uninstalling does.
        self.plane.kubectl("delete", "leases", "--all", "--namespace", HOME)
        self.delete_fence()
        self.start_leader(name="gpu-b")
        self.create(mapped("b1", "0,1,2,3", "gpu-b"), mapped("b2", "4", "gpu-b"))
        self.expect(lambda: gpus_of(self.plane, "b2"), f"{NODE}:4")
        self.assertTrue(wait_until(lambda: "is held by default/a1" in reason_of(self.plane, "b1")))
        self.assertEqual(gpus_of(self.plane, "b1"), "")

    def test_counted_pods_of_one_and_ids_of_another_release_do_not_meet_on_a_node(self):
        self.start_leader(name="gpu-a", home=HOME)
        self.start_leader(name="gpu-b", home=OTHER_HOME)
        for attempt in range(6):
            both = [f"counted{attempt}", f"ids{attempt}"]
            self.create(counted(both[0], "gpu-a"), mapped(both[1], "7", "gpu-b"))
            self.assertTrue(wait_until(lambda both=both: any(gpus_of(self.plane, name) for name in both)))
            first, other = sorted(both, key=lambda name: gpus_of(self.plane, name) == "")
            self.assertTrue(wait_until(lambda other=other: "HandoverConflict" in reason_of(self.plane, other)),
                            f"{first} is at {gpus_of(self.plane, first)}, {other} at {gpus_of(self.plane, other)!r} or "
                            f"waits for {reason_of(self.plane, other)!r}")
            self.plane.kubectl("delete", "pods", *both, "--force", "--grace-period=0")

    def test_a_release_that_starts_holds_no_other_up(self):
        """What it says in the fence about the view of pods is true of views to which nothing happens, too."""
        self.start_leader(name="gpu-a", home=HOME)
        self.create(pod("waits", "gpu-a", **{"gpu.scheduling/claim": "later"}))
        self.assertTrue(wait_until(lambda: "ClaimMissing" in reason_of(self.plane, "waits")))
        self.start_leader(name="gpu-b", home=OTHER_HOME)
        self.create(claim("later", 1))
        self.assertTrue(wait_until(lambda: gpus_of(self.plane, "waits") != "", 20))

    def test_a_name_that_another_namespace_has_is_refused_with_a_sentence(self):
        first = self.start_leader()
        second = self.start(home=OTHER_HOME)
        told = "give one of the two releases another scheduler.name"
        self.assertTrue(wait_until(lambda: told in second.readiness()), second.readiness())
        self.assertIn(f"of the release in namespace {HOME}", second.readiness())
        self.create(mapped("a", "0"))
        self.expect(lambda: gpus_of(self.plane, "a"), f"{NODE}:0")
        self.assertEqual(first.readiness(), "ok")
        self.assertFalse(second.leads())
        # It goes on by itself when the other one is gone.
        first.end(signal.SIGTERM)
        self.expect(second.readiness, "ok")
        self.create(mapped("b", "1"))
        self.expect(lambda: gpus_of(self.plane, "b"), f"{NODE}:1")


class TheFence(PlaneCase):
    def test_people_can_read_who_leads_and_what_it_commits(self):
        scheduler = self.start("--pod-name", "scheduler-0")
        self.assertTrue(wait_until(scheduler.leads), scheduler.said())
        self.create(mapped("a", "0"))
        self.expect(lambda: gpus_of(self.plane, "a"), f"{NODE}:0")
        self.expect(lambda: record_of(self.plane, "gpu-scheduler")["inFlight"], [])
        record = record_of(self.plane, "gpu-scheduler")
        self.assertEqual((record["pod"], record["namespace"], record["duration"]), ("scheduler-0", HOME, 10))
        bound = self.plane.json("get", "pod", "a")["metadata"]["resourceVersion"]
        self.assertGreaterEqual(int(bound), int(record["settled"]))
        self.assertEqual(self.plane.json("get", *FENCE)["spec"]["holderIdentity"], "scheduler-0")

    def test_a_fence_that_is_deleted_is_made_anew(self):
        first, second = self.start_leader(), self.start()
        self.assertTrue(wait_until(second.is_ready))
        self.create(mapped("a", "0"))
        self.expect(lambda: gpus_of(self.plane, "a"), f"{NODE}:0")
        self.delete_fence()
        self.assertEqual(first.process.wait(timeout=60), 1)
        self.assertIn("the fence was deleted", first.said())
        self.create(mapped("b", "0"), mapped("c", "1"))
        self.expect(lambda: gpus_of(self.plane, "c"), f"{NODE}:1")
        self.assertTrue(wait_until(lambda: "is held by default/a" in reason_of(self.plane, "b")))
        self.assertNotIn("gpu.scheduling/unsettled", self.plane.json("get", *FENCE)["metadata"]["annotations"])

    def test_a_namespace_for_the_fence_that_is_not_there(self):
        scheduler = self.start("--fence-namespace", "nowhere")
        told = "make that namespace, or set fence.namespace to one that is there"
        self.assertTrue(wait_until(lambda: told in scheduler.readiness()), scheduler.readiness())
        self.plane.kubectl("create", "namespace", "nowhere")
        self.addCleanup(self.plane.kubectl, "delete", "namespace", "nowhere", "--wait=false")
        self.expect(scheduler.readiness, "ok")

    @unittest.skipIf(IS_LOCAL, "everybody may do everything on gpu-local")
    def test_a_scheduler_that_may_not_write_the_fence_says_so(self):
        kubeconfig = self.account_without_fence("no-fence")
        scheduler = self.start(kubeconfig=kubeconfig)
        told = "must allow get, create, update and delete of leases"
        self.assertTrue(wait_until(lambda: told in scheduler.readiness()), scheduler.readiness())
        self.assertIn("the fence (Lease kube-system/scheduler-fence) cannot be read", scheduler.readiness())
        self.create({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
                     "metadata": {"name": "no-fence", "namespace": "kube-system"},
                     "rules": [{"apiGroups": ["coordination.k8s.io"], "resources": ["leases"],
                                "verbs": ["get", "create", "update"]}]},
                    self.binding("Role", "no-fence", "kube-system"))
        self.addCleanup(self.plane.kubectl, "delete", "role,rolebinding", "no-fence", "--namespace", "kube-system")
        self.expect(scheduler.readiness, "ok")

    @staticmethod
    def binding(role: str, name: str, namespace: str = "") -> dict:
        kind = "RoleBinding" if namespace else "ClusterRoleBinding"
        return {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind,
                "metadata": {"name": name} | ({"namespace": namespace} if namespace else {}),
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": role, "name": name},
                "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": HOME}]}

    def account_without_fence(self, name: str) -> Path:
        """A kubeconfig of an account that may do all that a scheduler has to, but for the fence."""
        groups = ["", "storage.k8s.io", "gpu.scheduling", "events.k8s.io", "rbac.authorization.k8s.io"]
        everything = {"apiGroups": groups, "resources": ["*"], "verbs": ["*"]}
        home = {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["*"]}
        self.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": HOME}},
                    {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": name},
                     "rules": [everything]},
                    {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
                     "metadata": {"name": name, "namespace": HOME}, "rules": [home]},
                    self.binding("ClusterRole", name), self.binding("Role", name, HOME))
        self.addCleanup(self.plane.kubectl, "delete", "clusterrole,clusterrolebinding", name)
        self.addCleanup(self.plane.kubectl, "delete", "role,rolebinding,serviceaccount", name, "--namespace", HOME)
        token = self.plane.kubectl("create", "token", name, "--namespace", HOME).stdout.strip()
        config = self.plane.json("config", "view", "--raw", "--flatten")
        config["users"][0]["user"] = {"token": token}
        file = self.plane.folder.parent / f"{name}.kubeconfig"
        file.write_text(json.dumps(config), encoding="utf-8")
        return file

    def is_fence_there(self) -> bool:
        items = self.plane.json("get", "leases", "--namespace", "kube-system")["items"]
        return any(item["metadata"]["name"] == "scheduler-fence" for item in items)

    def test_what_a_release_wrote_goes_with_its_cluster_role_while_its_pods_live(self):
        self.plane.kubectl("create", "clusterrole", "release", "--verb=get", "--resource=pods")
        self.addCleanup(self.plane.kubectl, "delete", "clusterrole", "release", "--ignore-not-found")
        scheduler = self.start("--cluster-role", "release")
        self.create(mapped("a", "0,1"))
        self.expect(lambda: len(leases(self.plane)), 2)
        scheduler.close()
        self.plane.kubectl("delete", "clusterrole", "release")
        self.expect(lambda: leases(self.plane), {})
        self.expect(self.is_fence_there, False)
        self.assertEqual(gpus_of(self.plane, "a"), f"{NODE}:0,1")

    def test_the_first_pod_of_a_cluster_does_not_wait_for_a_lease(self):
        self.create(mapped("a", "0"))
        scheduler, started = self.start(), time.monotonic()
        self.expect(lambda: gpus_of(self.plane, "a"), f"{NODE}:0")
        print(f"the first pod was bound {time.monotonic() - started:.2f} s after the start", flush=True)
        self.assertEqual(scheduler.readiness(), "ok")

    def test_an_upgrade_takes_over_what_the_version_before_listed(self):
        """From a process that holds the election Lease of that version, and says nothing any more."""
        self.start_leader(name="other", home=OTHER_HOME)  # the fence is there, and settled
        self.create(mapped("a", "0"), mapped("b", "1"))
        uid = self.plane.json("get", "pod", "a")["metadata"]["uid"]
        listed = json.dumps([{"namespace": "default", "name": "a", "uid": uid}])
        self.create(lease("scheduler-leader", HOME, "old-pod", annotations={
            "gpu.scheduling/in-flight-format": "1", "gpu.scheduling/in-flight": listed,
            "gpu.scheduling/process": "1", "gpu.scheduling/write": "7"}, leaseDurationSeconds=4, leaseTransitions=3,
            renewTime=now(), acquireTime=now()))
        self.start()
        for name, gpu in (("a", 0), ("b", 1)):
            self.expect(lambda name=name: gpus_of(self.plane, name), f"{NODE}:{gpu}")
        self.assertTrue(self.is_touched("a"))
        self.assertFalse(self.is_touched("b"))
        tombstone = self.plane.json("get", "lease", "scheduler-leader", "--namespace", HOME)["spec"]
        self.assertEqual((tombstone["holderIdentity"], tombstone["leaseDurationSeconds"]), ("scheduler-fence", 2147483647))

    def is_touched(self, name: str) -> bool:
        conditions = self.plane.json("get", "pod", name)["status"].get("conditions", [])
        return any(each["type"] == "gpu.scheduling/Fence" for each in conditions)


class WhatStopsNobody(PlaneCase):
    @unittest.skipIf(IS_LOCAL, "gpu-local has no admission policies")
    def test_a_pod_that_cannot_be_touched(self):
        """It waits, and nobody may change it; the next leader has nothing to do with it."""
        self.forbid_changes("stubborn")
        first = self.start_leader()
        waits = pod("waits", **{"gpu.scheduling/claim": "never"})
        waits["metadata"]["namespace"] = "stubborn"
        self.create(waits)
        self.create(mapped("a", "0"))
        self.expect(lambda: gpus_of(self.plane, "a"), f"{NODE}:0")
        first.end(signal.SIGKILL)
        second = self.start()
        self.create(mapped("b", "1"))
        self.expect(lambda: gpus_of(self.plane, "b"), f"{NODE}:1")
        self.assertEqual(second.readiness(), "ok")

    def forbid_changes(self, namespace: str):
        rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["UPDATE"], "resources": ["pods", "pods/status"]}
        selector = {"matchLabels": {"kubernetes.io/metadata.name": namespace}}
        group = "admissionregistration.k8s.io/v1"
        self.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}},
                    {"apiVersion": group, "kind": "ValidatingAdmissionPolicy", "metadata": {"name": namespace},
                     "spec": {"failurePolicy": "Fail", "matchConstraints": {"resourceRules": [rule]},
                              "validations": [{"expression": "false", "message": "nobody may"}]}},
                    {"apiVersion": group, "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": namespace},
                     "spec": {"policyName": namespace, "validationActions": ["Deny"],
                              "matchResources": {"namespaceSelector": selector}}})
        self.addCleanup(self.plane.kubectl, "delete", "namespace", namespace, "--wait=false")
        self.addCleanup(self.plane.kubectl, "delete", "pods", "--all", "--namespace", namespace, "--force", "--grace-period=0")
        self.addCleanup(self.plane.kubectl, "delete",
                        "validatingadmissionpolicy,validatingadmissionpolicybinding", namespace)
        # A policy takes a moment to be in force.
        probe = pod("probe", "nobody")
        probe["metadata"]["namespace"] = namespace
        self.assertTrue(wait_until(lambda: self.plane.kubectl("get", "serviceaccount", "default", "--namespace", namespace,
                                                              check=False).returncode == 0))
        self.create(probe)
        self.assertTrue(wait_until(lambda: "nobody may" in self.plane.kubectl(
            "annotate", "pod", "probe", f"at={time.monotonic()}", "--overwrite", "--namespace", namespace, check=False).stderr))

    def test_a_lease_of_a_gpu_that_nobody_finds(self):
        """Without its label it is not in view, and cannot be made again."""
        first = self.start_leader()
        self.create(mapped("a", "0"), mapped("b", "1"))
        self.expect(lambda: sorted(leases(self.plane)), [f"gpu-{NODE}-0", f"gpu-{NODE}-1"])
        first.end(signal.SIGKILL)
        self.plane.kubectl("delete", "pods", "a", "b", "--force", "--grace-period=0")
        self.plane.kubectl("label", "lease", f"gpu-{NODE}-0", "gpu.scheduling/managed-", "--namespace", HOME)
        self.plane.kubectl("annotate", "lease", f"gpu-{NODE}-1", "gpu.scheduling/holders=nonsense", "--overwrite",
                           "--namespace", HOME)
        self.start()
        self.create(mapped("c", "0"), mapped("d", "1"), mapped("e", "2"))
        for name, gpu in (("c", 0), ("d", 1), ("e", 2)):
            self.expect(lambda name=name: gpus_of(self.plane, name), f"{NODE}:{gpu}")

    def test_leases_of_tenants_that_look_like_ours(self):
        self.create(lease("mine", "default", "me", {"gpu.scheduling/role": "election", "gpu.scheduling/managed": "true"},
                          leaseDurationSeconds=3600, renewTime=now()),
                    lease("scheduler-fence", "default", "me", {"gpu.scheduling/role": "fence"}),
                    lease("scheduler-leader", "default", "me", {"gpu.scheduling/role": "election"},
                          leaseDurationSeconds=3600, renewTime=now()))
        self.addCleanup(self.plane.kubectl, "delete", "leases", "mine", "scheduler-fence", "scheduler-leader")
        self.start_leader()
        self.create(mapped("a", "0"))
        self.expect(lambda: gpus_of(self.plane, "a"), f"{NODE}:0")

    def test_five_hundred_leases_of_pods_that_are_gone(self):
        """They are cleared away behind Bindings, a few at a time."""
        self.create(*(self.stale_lease(number) for number in range(500)))
        self.create(mapped("early", "0"))
        scheduler = self.start()
        self.expect(lambda: gpus_of(self.plane, "early"), f"{NODE}:0")
        self.create(mapped("late", "1"))
        self.expect(lambda: gpus_of(self.plane, "late"), f"{NODE}:1")
        self.expect(lambda: sorted(leases(self.plane)), [f"gpu-{NODE}-0", f"gpu-{NODE}-1"])
        said = scheduler.said().splitlines()
        self.assertEqual(sum('command what="delete lease' in line for line in said), 500)
        self.assertLessEqual(self.most_under_way(said), 16)
        for name in ("early", "late"):
            bound = next(number for number, line in enumerate(said) if f'command what="bind default/{name}' in line)
            listed = max(number for number, line in enumerate(said[:bound]) if 'event what="listed revision' in line)
            before = [line for line in said[listed:bound] if re.search(TIDYING, line)]
            self.assertEqual(before, [], "what was sent when the pod could have been bound")

    @staticmethod
    def most_under_way(said: list[str]) -> int:
        """How many requests about Leases of pods that are gone were sent and not answered, at the most."""
        now = most = 0
        for line in said:
            now += bool(re.search(TIDYING, line)) - bool(re.search(TIDIED, line))
            most = max(most, now)
        return most

    @staticmethod
    def stale_lease(number: int) -> dict:
        gone = {"namespace": "default", "name": f"gone-{number}", "uid": f"uid-{number}", "plan": str(number), "attempt": "x"}
        return lease(f"gpu-gone-{number}", HOME, f"default/gone-{number}",
                     {"gpu.scheduling/managed": "true", "gpu.scheduling/node": "gone"},
                     {"gpu.scheduling/lease-format": "1", "gpu.scheduling/scheduler": "gpu-scheduler",
                      "gpu.scheduling/node": "gone", "gpu.scheduling/gpu": str(number), "gpu.scheduling/mode": "exclusive",
                      "gpu.scheduling/holders": json.dumps([gone])})

    def test_sixty_pods_that_share(self):
        scheduler = self.start_leader()
        names = [f"s{number}" for number in range(60)]
        started = time.monotonic()
        self.create(claim("shared", 1, "Shared"), *(pod(name, **{"gpu.scheduling/claim": "shared"}) for name in names))

        def bound() -> int:
            pods = self.plane.json("get", "pods")["items"]
            return sum("gpu.scheduling/allocated" in item["metadata"].get("annotations", {}) for item in pods)

        self.expect(bound, 60)
        print(f"60 pods that share were bound in {time.monotonic() - started:.2f} s", flush=True)
        self.expect(lambda: scheduler.metrics()['gpu_scheduler_writes_total{kind="bind",outcome="done"}'], 60)
        others = [series for series in scheduler.metrics() if 'kind="bind"' in series and 'outcome="done"' not in series
                  and "writes_total" in series and scheduler.metrics()[series]]
        self.assertEqual(others, [], "none of them tried twice")


if __name__ == "__main__":
    unittest.main()
