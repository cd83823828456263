"""The checker can find a double allocation: there is one with any rule of the commit protocol off, none with all on.

There is one GPU. Pod a is on its way to it when its leader falls asleep, or dies; pod b, which goes first, gets it from
the next leader; then a's Binding arrives. The marks that waiting pods get are kept away from a: they are writes to the
pod as well, and would outdate its Binding by chance.
"""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from a_plane import a_world  # noqa: E402  # it knows the way to the others
import objects  # noqa: E402
from api import CLAIMS, LEASES, PODS  # noqa: E402
from fault_proxy import Point, Proxy  # noqa: E402
from replicas import ELECTION, Replica  # noqa: E402
from world import LOCKS, NAMESPACE, PROGRAMS  # noqa: E402

MARKS = Point("PATCH", "/pods/[ab]/status", "PodScheduled")
BINDING_OF_A = Point("POST", "/pods/a/binding")
NOTHING_IN_FLIGHT = "[]"


class Controls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = a_world("controls", cls.addClassCleanup)
        cls.api = cls.world.api
        cls.api.insist("POST", "/apis/scheduling.k8s.io/v1/priorityclasses",
                       {"metadata": {"name": "urgent"}, "value": 1000})
        cls.api.insist("POST", CLAIMS.format(NAMESPACE), objects.claim("one", 1, "Exclusive"))
        objects.make_node(cls.api, "single", 1)

    def setUp(self):
        self.addCleanup(self.clear)
        self.proxy = self.world.proxy
        self.proxy.arm(MARKS, {"kind": "drop_before"}, times=0)
        self.doubles_before = self.doubles()
        self.answers_before = len(self.proxy.statuses(BINDING_OF_A))

    def clear(self):
        self.world.replicas.close()
        self.world.replicas.members.clear()
        self.proxy.disarm()
        for name in ("a", "b"):
            self.api.insist("DELETE", f"{PODS.format(NAMESPACE)}/{name}?gracePeriodSeconds=0")
        self.world.delete_locks()
        self.delete_election()

    # --- what the tests are told in -------------------------------------------------------------------------------

    def doubles(self) -> int:
        return sum(found.kind == "double allocation" for found in self.world.checker.violations)

    def delete_election(self):
        self.api.insist("DELETE", f"{LEASES.format(LOCKS)}/{ELECTION}")

    def make(self, name: str, **spec: str):
        pod = objects.pod(name, "claim one")
        pod["spec"] |= spec
        status, answer = self.api.insist("POST", PODS.format(NAMESPACE), pod)
        self.assertEqual(status, 201, answer)

    def is_bound(self, name: str) -> bool:
        return "nodeName" in self.api.get(f"{PODS.format(NAMESPACE)}/{name}")["spec"]

    def start(self, *flags: str) -> Replica:
        replica = self.world.replicas.add(*flags, program=self.world.lab)
        self.world.wait(replica.is_ready, "the replica was ready")
        return replica

    def start_leader(self, *flags: str) -> Replica:
        """One that leads, with a list that a successor can read."""
        leader = self.start(*flags)

        def leads() -> bool:
            lease = self.api.get(f"{LEASES.format(LOCKS)}/{ELECTION}") or {"metadata": {}}
            listed = (lease["metadata"].get("annotations") or {}).get("gpu.scheduling/in-flight")
            return self.world.replicas.leader() is leader and leader.leads() and listed == NOTHING_IN_FLIGHT

        self.world.wait(leads, "the first replica led")
        return leader

    def answer_to_a(self) -> int:
        """What became of a's Binding in the end."""
        self.world.wait(lambda: len(self.proxy.statuses(BINDING_OF_A)) > self.answers_before,
                        "a's Binding was answered")
        return self.proxy.statuses(BINDING_OF_A)[-1]

    def sleeping_leader(self, *flags: str, election_is_deleted: bool = False) -> int:
        """The answer that a's Binding gets when its leader wakes up."""
        sleeper = self.start_leader("--stop-at", "binding-write", *flags)
        self.start(*flags)
        self.make("a")
        self.world.wait(lambda: sleeper.is_stopped, "the leader fell asleep before a's Binding")
        if election_is_deleted:
            self.delete_election()
        self.make("b", priorityClassName="urgent")
        self.world.wait(lambda: self.is_bound("b"), "b was bound")
        sleeper.wake()
        return self.answer_to_a()

    def expect_double(self, answer: int):
        self.assertEqual(answer, 201)
        self.world.wait(lambda: self.doubles() > self.doubles_before, "the checker found the double allocation")

    def expect_none(self, answer: int):
        self.assertEqual(answer, 409)
        self.assertFalse(self.is_bound("a"))
        self.assertEqual(self.doubles(), self.doubles_before)

    # --- a leader that sleeps, and another that takes over --------------------------------------------------------

    def test_with_all_rules_on_a_sleeper_does_no_harm(self):
        self.expect_none(self.sleeping_leader())

    def test_without_the_list_of_pods_in_flight(self):
        self.expect_double(self.sleeping_leader("--without", "LISTED"))

    def test_without_the_touch(self):
        self.expect_double(self.sleeping_leader("--without", "TOUCH"))

    def test_without_the_precondition_of_the_binding(self):
        self.expect_double(self.sleeping_leader("--without", "RVPRE"))

    def test_with_all_rules_on_the_list_may_be_deleted(self):
        self.expect_none(self.sleeping_leader(election_is_deleted=True))

    def test_without_touching_all_when_the_list_is_gone(self):
        self.expect_double(self.sleeping_leader("--without", "TOUCHALL", election_is_deleted=True))

    # --- a leader that dies, and another whose view is late ---------------------------------------------------------

    def late_view(self, *flags: str) -> Replica:
        """The successor, which has not seen that a was bound."""
        other_way = Proxy(PROGRAMS / "gs-fault-proxy", self.world.kubeconfig, self.world.folder, "second")
        self.addCleanup(other_way.close)
        other_way.arm(MARKS, {"kind": "drop_before"}, times=0)
        first = self.start_leader(*flags)
        second = self.world.replicas.add(*flags, program=self.world.lab, kubeconfig=other_way.kubeconfig)
        self.world.wait(second.is_ready, "the second replica was ready")
        rule = self.proxy.arm(BINDING_OF_A, {"kind": "hold", "where": "before"})
        self.make("a")
        self.world.wait(lambda: self.proxy.held(rule, 2000), "a's Binding was held")
        self.make("b", priorityClassName="urgent")
        self.world.wait(lambda: f"{NAMESPACE}/b" in second.log.read_text(encoding="utf-8"), "the second replica saw b")
        late = other_way.arm("pod watch", {"kind": "late_watch", "ms": 60000}, times=0)
        other_way.cut_watches("/api/v1/pods")
        self.world.wait(lambda: other_way.hits(late) > 0, "the second replica's view was late")
        self.proxy.let(self.proxy.held(rule)[0]["id"], "release")
        self.world.wait(lambda: self.is_bound("a"), "a was bound")
        first.kill()
        return second

    def test_without_a_fresh_view(self):
        self.late_view("--without", "FRESH")
        self.world.wait(lambda: self.doubles() > self.doubles_before, "the checker found the double allocation")

    def test_with_all_rules_on_a_late_view_does_no_harm(self):
        second = self.late_view()
        self.world.wait(lambda: f"mark {NAMESPACE}/b unschedulable" in second.log.read_text(encoding="utf-8"),
                        "b was found to wait")
        self.assertFalse(self.is_bound("b"))
        self.assertEqual(self.doubles(), self.doubles_before)


if __name__ == "__main__":
    unittest.main()
