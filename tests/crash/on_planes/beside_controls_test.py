"""The checker can find what is beside what it must not be: processes that outlive their pods, and pods of others.

One node with one GPU and an agent. What a scheduler does that does not wait for the agent, or does not see pods of others,
has to be found; with everything as it should be, nothing.
"""

import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from a_plane import a_world  # noqa: E402  # it knows the way to the others
import fence  # noqa: E402
import objects  # noqa: E402
from agents import Agents  # noqa: E402
from api import CLAIMS, MERGE_PATCH, PODS  # noqa: E402
from fault_proxy import Point  # noqa: E402
from foreign import ForeignScheduler  # noqa: E402
from world import NAMESPACE  # noqa: E402

NODE = "single"
LONG = 3600  # seconds: longer than any test


class Beside(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = a_world("beside", cls.addClassCleanup)
        cls.api = cls.world.api
        cls.api.insist("POST", CLAIMS.format(NAMESPACE), objects.claim("one", 1, "Exclusive"))
        objects.make_node(cls.api, NODE, 1)
        cls.agents = Agents(cls.api, {NODE: 1})
        cls.agents.prepare()
        cls.agents.start()
        cls.addClassCleanup(cls.agents.stop)

    def setUp(self):
        self.addCleanup(self.clear)
        self.found_before = len(self.world.violations())

    def clear(self):
        self.world.replicas.close()
        self.world.replicas.members.clear()
        self.world.proxy.disarm()
        self.agents.end_processes()
        self.cordon(False)
        for name in ("a", "b", "x"):
            self.delete(name)
        self.world.delete_leases()
        fence.delete(self.api)

    # --- what the tests are told in -----------------------------------------------------------------------------------

    def lead(self, release_timeout: str = "5s"):
        replica = self.world.replicas.add(release_timeout=release_timeout)
        self.world.wait(lambda: replica.leads() and replica.is_ready(), "the scheduler led")

    def make(self, name: str, ask: str = "claim one"):
        status, answer = self.api.insist("POST", PODS.format(NAMESPACE), objects.pod(name, ask))
        self.assertEqual(status, 201, answer)

    def delete(self, name: str):
        self.api.insist("DELETE", f"{PODS.format(NAMESPACE)}/{name}?gracePeriodSeconds=0")

    def pod(self, name: str) -> dict:
        return self.api.get(f"{PODS.format(NAMESPACE)}/{name}")

    def wait_for(self, name: str):
        self.world.wait(lambda: "nodeName" in self.pod(name)["spec"], f"{name} was bound")

    def cordon(self, is_cordoned: bool):
        self.api.insist("PATCH", f"/api/v1/nodes/{NODE}", {"spec": {"unschedulable": is_cordoned}}, MERGE_PATCH)

    def wait_for_age(self, event_of, seconds: float):
        """Until what the checker has seen is so old."""
        def is_old() -> bool:
            seen = self.world.recorder.with_all_told(event_of)
            return seen is not None and time.time() - seen > seconds
        self.world.wait(is_old, "it was old enough to be judged by")

    def new_violations(self) -> list[str]:
        return self.world.violations()[self.found_before:]

    def expect(self, kind: str):
        self.world.wait(lambda: any(found.startswith(kind) for found in self.new_violations()), f"the checker found {kind}")

    def expect_nothing(self, name: str):
        """Once the Binding of the pod is old enough to be judged."""
        self.wait_for(name)
        uid = self.pod(name)["metadata"]["uid"]
        self.wait_for_age(lambda: self.bound_at(uid), 2 * self.world.checker.rules.skew_seconds)
        self.assertEqual(self.new_violations(), [])

    def bound_at(self, uid: str) -> float | None:
        holder = self.world.checker.holder_of(uid)
        return holder.bound.seconds if holder else None

    # --- processes that outlive their pod -----------------------------------------------------------------------------

    def outlived(self, release_timeout: str, gone) -> None:
        """b waits for the GPU of a, whose processes do not hear that it is gone."""
        self.lead(release_timeout)
        self.make("a")
        self.wait_for("a")
        pod = self.pod("a")
        uid = pod["metadata"]["uid"]

        def running_since() -> float | None:
            holder = self.world.checker.holder_of(uid)
            return holder.running_since if holder and holder.running_since < time.time() else None

        self.wait_for_age(running_since, self.world.checker.rules.reading_seconds + 1)
        self.make("b")
        self.agents.leave(self.pod("a"), LONG)
        gone("a")

    def cut_off(self, name: str):
        self.api.insist("PATCH", f"{PODS.format(NAMESPACE)}/{name}/status", {"status": objects.cut_off()}, MERGE_PATCH)

    def test_a_scheduler_that_does_not_wait_for_processes_is_found(self):
        for gone in (self.delete, self.cut_off):
            with self.subTest(gone=gone.__name__):
                self.outlived("1s", gone)
                self.expect("left behind")
            self.clear()
            self.found_before = len(self.world.violations())

    def test_one_that_waits_is_not(self):
        self.outlived("1h", self.delete)
        self.world.wait(lambda: self.is_reported("a"), "the agent reported what is left of a")
        self.assertNotIn("nodeName", self.pod("b")["spec"])
        self.agents.end_processes()
        self.expect_nothing("b")

    def is_reported(self, name: str) -> bool:
        status = self.api.get(f"/apis/gpu.scheduling/v1/gpunodestatuses/{NODE}")["status"]
        return any(device.get("residue") for device in status["devices"])

    # --- pods of others -----------------------------------------------------------------------------------------------

    def overlooked(self, ask: str) -> None:
        """b is bound by a scheduler that has not seen x, a pod of others, for longer than any view is late."""
        self.lead()
        self.cordon(True)
        self.make("b", ask)
        self.world.wait(lambda: self.pod("b")["status"].get("conditions"), "the scheduler saw b")
        frozen = self.world.proxy.arm("pod watch", {"kind": "freeze"}, times=0)
        self.world.proxy.cut_watches("/api/v1/pods")
        self.world.wait(lambda: self.world.proxy.hits(frozen) > 0, "the scheduler saw nothing more of pods")
        self.place_x()
        self.cordon(False)

    def place_x(self):
        self.assertTrue(ForeignScheduler(self.api, NAMESPACE).place("x", NODE, "nvidia.com/gpu", 1, "batch-scheduler"))
        uid = self.pod("x")["metadata"]["uid"]
        self.wait_for_age(lambda: self.bound_at(uid), self.world.checker.rules.view_seconds + 1)

    def test_pods_with_ids_beside_an_overlooked_pod_of_others_are_found(self):
        self.overlooked("claim one")
        self.expect("two kinds")

    def test_more_than_there_is_is_found(self):
        self.overlooked("plain 1")
        self.expect("overcommitted")

    def test_who_sees_pods_of_others_waits_for_them(self):
        self.lead()
        self.place_x()
        self.make("b")
        self.world.wait(lambda: self.pod("b")["status"].get("conditions"), "b was found to wait")
        self.assertNotIn("nodeName", self.pod("b")["spec"])
        self.delete("x")
        self.expect_nothing("b")

    # --- GPUs that get other numbers ------------------------------------------------------------------------------------

    def test_gpus_that_are_renumbered_under_a_binding_are_given_to_nobody_else(self):
        objects.make_node(self.api, "pair", 2)
        self.addCleanup(self.api.insist, "DELETE", "/api/v1/nodes/pair")
        agents = Agents(self.api, {"pair": 2})
        agents.prepare()
        self.cordon(True)
        self.lead()
        rule = self.world.proxy.arm(Point("POST", "/pods/a/binding"), {"kind": "hold", "where": "before"})
        self.make("a")
        self.world.wait(lambda: self.world.proxy.held(rule, 2000), "a's Binding was held")
        agents.renumber("pair", 1)
        agents.look()
        self.make("b")
        self.world.wait(lambda: self.pod("b")["status"].get("conditions"), "b was found to wait")
        self.world.proxy.let(self.world.proxy.held(rule)[0]["id"], "release")
        self.wait_for("a")
        self.assertNotIn("nodeName", self.pod("b")["spec"])
        self.delete("a")
        self.expect_nothing("b")


if __name__ == "__main__":
    unittest.main()
