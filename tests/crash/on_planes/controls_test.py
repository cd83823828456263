"""The checker can find a double allocation: there is one with any rule of the commit protocol off, none with all on.

There is one GPU. Pod a is on its way to it when its leader falls asleep, or dies; pod b, which goes first, gets it from
the next leader, or from another release; then a's Binding arrives. The marks that waiting pods get are kept away from
a: they are writes to the pod as well, and would outdate its Binding by chance.
"""

import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from a_plane import a_world  # noqa: E402  # it knows the way to the others
import fence  # noqa: E402
import objects  # noqa: E402
from api import CLAIMS, PODS  # noqa: E402
from fault_proxy import Point, Proxy  # noqa: E402
from replicas import Replica, Replicas  # noqa: E402
from world import NAMESPACE, OTHER_NAME, PROGRAMS  # noqa: E402

MARKS = Point("PATCH", "/pods/[ab]/status", "PodScheduled")
BINDING_OF_A = Point("POST", "/pods/a/binding")
TOUCH_OF_A = Point("PATCH", "/pods/a/status", "gpu.scheduling/Fence")
LOOK_AT_FENCE = Point("GET", fence.FENCE)
LATE_MS = 60_000


class Held:
    """The next request of a kind, which the proxy holds, before it is carried out or after, until it is released."""

    def __init__(self, test: "Controls", proxy: Proxy, point: Point, where: str = "before"):
        self.test, self.proxy = test, proxy
        self.rule = proxy.arm(point, {"kind": "hold", "where": where})
        self.what = f"{point.method} {point.target}"

    def wait(self):
        self.test.world.wait(lambda: self.proxy.held(self.rule, 2000), f"{self.what} was held")

    def release(self):
        self.proxy.let(self.proxy.held(self.rule)[0]["id"], "release")


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
        self.other_way = Proxy(PROGRAMS / "gs-fault-proxy", self.world.kubeconfig, self.world.folder, "second")
        self.addCleanup(self.other_way.close)
        self.other_way.arm(MARKS, {"kind": "drop_before"}, times=0)
        self.doubles_before = self.doubles()
        self.answers_before = len(self.proxy.statuses(BINDING_OF_A))

    def clear(self):
        for replicas in (self.world.replicas, self.world.others):
            replicas.close()
            replicas.members.clear()
        self.proxy.disarm()
        for name in ("a", "b", "z"):
            self.delete(name)
        self.world.delete_leases()
        fence.delete(self.api)

    # --- what the tests are told in -------------------------------------------------------------------------------

    def doubles(self) -> int:
        return sum(found.kind == "double allocation" for found in self.world.checker.violations)

    def make(self, name: str, scheduler: str = objects.SCHEDULER, **spec: str):
        pod = objects.pod(name, "claim one", scheduler=scheduler)
        pod["spec"] |= spec
        status, answer = self.api.insist("POST", PODS.format(NAMESPACE), pod)
        self.assertEqual(status, 201, answer)

    def delete(self, name: str):
        self.api.insist("DELETE", f"{PODS.format(NAMESPACE)}/{name}?gracePeriodSeconds=0")

    def is_bound(self, name: str) -> bool:
        return "nodeName" in self.api.get(f"{PODS.format(NAMESPACE)}/{name}")["spec"]

    def start(self, *flags: str, of: Replicas | None = None, way: Proxy | None = None, **settings) -> Replica:
        replica = (of or self.world.replicas).add(*flags, program=self.world.lab,
                                                  kubeconfig=(way or self.proxy).kubeconfig, **settings)
        self.world.wait(replica.is_ready, "the replica was ready")
        return replica

    def start_leader(self, *flags: str, of: Replicas | None = None, **settings) -> Replica:
        """One that leads and has nothing to settle any more."""
        replicas = of or self.world.replicas
        leader = self.start(*flags, of=replicas, **settings)

        def leads() -> bool:
            is_first = replicas.leader() is leader and leader.leads() and leader.is_ready()
            return is_first and fence.listed(self.api, replicas.release.scheduler_name) == []

        self.world.wait(leads, "the first replica led")
        return leader

    def hold_binding_of(self, name: str) -> Held:
        """The next one, from now on."""
        return Held(self, self.proxy, Point("POST", f"/pods/{name}/binding"))

    def wait_for_line(self, replica: Replica, line: str):
        """In its log; `line` is a regular expression."""
        self.world.wait(lambda: re.search(line, replica.log.read_text(encoding="utf-8")), f"{replica.uid} said {line}")

    def freeze_view(self):
        """Of whoever goes the other way: it sees no more changes of pods."""
        frozen = self.other_way.arm("pod watch", {"kind": "freeze"}, times=0)
        self.other_way.cut_watches("/api/v1/pods")
        self.world.wait(lambda: self.other_way.hits(frozen) > 0, "the view of pods stood still")
        self.frozen = frozen

    def thaw_view(self):
        self.other_way.disarm(self.frozen)
        self.other_way.cut_watches("/api/v1/pods")

    def answer_to_a(self) -> int:
        """What became of a's Binding in the end."""
        self.world.wait(lambda: len(self.proxy.statuses(BINDING_OF_A)) > self.answers_before,
                        "a's Binding was answered")
        return self.proxy.statuses(BINDING_OF_A)[-1]

    def expect_double(self, answer: int):
        self.assertEqual(answer, 201)
        self.wait_for_double()

    def wait_for_double(self):
        self.world.wait(lambda: self.doubles() > self.doubles_before, "the checker found the double allocation")

    def expect_none(self, answer: int):
        self.assertEqual(answer, 409)
        self.assertFalse(self.is_bound("a"))
        self.assertEqual(self.doubles(), self.doubles_before)

    # --- a leader that sleeps, and another that takes over --------------------------------------------------------

    def sleeping_leader(self, *flags: str) -> int:
        """The answer that a's Binding gets when its leader wakes up."""
        sleeper = self.start_leader("--stop-at", "binding-write", *flags)
        self.start(*flags)
        self.make("a")
        return self.overtaken(sleeper)

    def overtaken(self, sleeper: Replica, *, fence_is_deleted: bool = False) -> int:
        self.world.wait(lambda: sleeper.is_stopped, "the leader fell asleep before a's Binding")
        if fence_is_deleted:
            fence.delete(self.api)
        self.make("b", priorityClassName="urgent")
        self.world.wait(lambda: self.is_bound("b"), "b was bound")
        sleeper.wake()
        return self.answer_to_a()

    def test_with_all_rules_on_a_sleeper_does_no_harm(self):
        self.expect_none(self.sleeping_leader())

    def test_without_the_list_of_pods_in_flight(self):
        self.expect_double(self.sleeping_leader("--without", "LISTED"))

    def test_without_the_touch(self):
        self.expect_double(self.sleeping_leader("--without", "TOUCH"))

    def test_without_the_precondition_of_the_binding(self):
        self.expect_double(self.sleeping_leader("--without", "RVPRE"))

    def test_without_resuming_what_the_predecessor_listed(self):
        self.expect_double(self.sleeping_leader("--without", "RESUME"))

    # --- the fence is deleted, and nobody knows what was on its way -------------------------------------------------

    def sleeper_without_fence(self, *flags: str) -> int:
        sleeper = self.start_leader("--stop-at", "binding-write", *flags)
        self.start(*flags)
        self.make("a")
        return self.overtaken(sleeper, fence_is_deleted=True)

    def test_with_all_rules_on_the_fence_may_be_deleted(self):
        self.expect_none(self.sleeper_without_fence())

    def test_without_touching_all_when_the_fence_is_gone(self):
        self.expect_double(self.sleeper_without_fence("--without", "TOUCHALL"))

    def late_sight(self, *flags: str) -> int:
        """Whoever makes the fence anew has not seen a yet."""
        sleeper = self.start_leader("--stop-at", "binding-write", *flags)
        self.start(*flags, way=self.other_way)
        self.let_view_be_late()
        self.make("a")
        return self.overtaken(sleeper, fence_is_deleted=True)

    def let_view_be_late(self):
        late = self.other_way.arm("pod watch", {"kind": "late_watch", "ms": LATE_MS}, times=0)
        self.other_way.cut_watches("/api/v1/pods")
        self.world.wait(lambda: self.other_way.hits(late) > 0, "the second replica's view was late")

    def test_with_all_rules_on_pods_may_come_into_view_late(self):
        self.expect_none(self.late_sight())

    def test_without_touching_what_comes_into_view_late(self):
        self.expect_double(self.late_sight("--without", "TOUCHLATE"))

    # --- a leader that dies, and another whose view is late ---------------------------------------------------------

    def late_view(self, *flags: str) -> Replica:
        """The successor, which has not seen that a was bound."""
        first = self.start_leader()
        self.make("z")
        self.world.wait(lambda: self.is_bound("z"), "z was bound")
        self.delete("z")  # something is settled from now on
        if flags:
            first.process.terminate()
            first.process.wait(timeout=60)
            first = self.start_leader(*flags)
        second = self.start(*flags, way=self.other_way)
        binding = self.hold_binding_of("a")
        self.make("a")
        binding.wait()
        self.make("b", priorityClassName="urgent")
        self.world.wait(lambda: f"{NAMESPACE}/b" in second.log.read_text(encoding="utf-8"), "the second replica saw b")
        self.let_view_be_late()
        binding.release()
        self.world.wait(lambda: self.is_bound("a"), "a was bound")
        self.world.wait(lambda: fence.listed(self.api, objects.SCHEDULER) == [], "a was taken off the list")
        first.kill()
        return second

    def test_without_leaving_behind_what_was_settled(self):
        self.late_view("--without", "SETTLED")
        self.wait_for_double()

    def test_without_a_fresh_view(self):
        self.late_view("--without", "FRESH")
        self.wait_for_double()

    def test_with_all_rules_on_a_late_view_does_no_harm(self):
        second = self.late_view()
        self.world.wait(lambda: f"mark {NAMESPACE}/b unschedulable" in second.log.read_text(encoding="utf-8"),
                        "b was found to wait")
        self.assertFalse(self.is_bound("b"))
        self.assertEqual(self.doubles(), self.doubles_before)

    # --- another release --------------------------------------------------------------------------------------------

    def sleeping_release(self, *flags: str) -> int:
        """Another release falls asleep before a's Binding, for so long that it is taken for dead."""
        sleeper = self.start_leader("--stop-at", "binding-write", of=self.world.others)
        self.start_leader(*flags)
        self.make("a", OTHER_NAME)
        return self.overtaken(sleeper)

    def test_with_all_rules_on_a_release_that_sleeps_does_no_harm(self):
        self.expect_none(self.sleeping_release())

    def test_without_touching_what_a_dead_release_listed(self):
        self.expect_double(self.sleeping_release("--without", "DEADTOUCH"))

    # --- releases that write the fence at the same time -----------------------------------------------------------

    def late_list(self, *flags: str, fate_of_b: str = "") -> tuple[Replica, Replica]:
        """Both releases have decided for the GPU: the first sleeps before it lists a, the other lists b meanwhile, and binds
        it unless it sleeps before that."""
        other = self.start_leader(*(("--stop-at", fate_of_b) if fate_of_b else ()), of=self.world.others)
        first = self.start_leader("--stop-at", "list-write", *flags)
        self.make("a")
        self.world.wait(lambda: first.is_stopped, "the first release fell asleep before it listed a")
        self.make("b", OTHER_NAME)
        self.world.wait(lambda: other.is_stopped if fate_of_b else self.is_bound("b"), "b was on its way")
        first.wake()
        return first, other

    def test_with_all_rules_on_whoever_lists_too_late_waits(self):
        first, _ = self.late_list()
        self.expect_a_waits(first)

    def test_without_a_look_at_what_others_list(self):
        _, other = self.late_list("--without", "SEEOTHERS", fate_of_b="binding-write")
        self.assertEqual(self.answer_to_a(), 201)
        other.wake()
        self.wait_for_double()

    def test_with_all_rules_on_what_others_list_is_theirs(self):
        first, other = self.late_list(fate_of_b="binding-write")
        other.wake()
        self.world.wait(lambda: self.is_bound("b"), "b was bound")
        self.expect_a_waits(first)

    def expect_a_waits(self, leader: Replica):
        self.world.wait(lambda: f"mark {NAMESPACE}/a unschedulable" in leader.log.read_text(encoding="utf-8"),
                        "a was found to wait")
        self.assertFalse(self.is_bound("a"))
        self.assertEqual(self.doubles(), self.doubles_before)

    # --- a view that does not show what another release has bound ---------------------------------------------------

    def overlooked(self, *flags: str, of_other: tuple[str, ...] = ()) -> tuple[Replica, Replica]:
        """Our leader, for whom b is unbound for as long as its view stands still, and the other, which has bound it. Pod a
        waits, because the fence says that b is on its way."""
        other = self.start_leader(*of_other, of=self.world.others)
        first = self.start_leader(*flags, way=self.other_way)
        binding = self.hold_binding_of("b")
        self.make("b", OTHER_NAME)
        binding.wait()
        self.make("a")
        self.wait_for_line(first, f"mark {NAMESPACE}/a unschedulable")
        self.freeze_view()
        binding.release()
        self.world.wait(lambda: self.is_bound("b"), "b was bound")
        return first, other

    def expect_a_is_given_up(self, first: Replica):
        """It was decided, and is not listed before b has come into view."""
        self.wait_for_line(first, "list revision [0-9]+ with 1 pod")
        self.assertFalse(self.is_bound("a"))
        self.thaw_view()
        self.wait_for_line(first, f"{NAMESPACE}/b has been bound to single:0 meanwhile")
        self.assertFalse(self.is_bound("a"))
        self.assertEqual(self.doubles(), self.doubles_before)

    def settled_by_other(self, *flags: str) -> Replica:
        first, _ = self.overlooked(*flags)
        self.world.wait(lambda: fence.listed(self.api, OTHER_NAME) == [], "b was taken off the list")
        return first

    def test_with_all_rules_on_what_comes_into_view_is_looked_at_again(self):
        self.expect_a_is_given_up(self.settled_by_other())

    def test_without_looking_again(self):
        first = self.settled_by_other("--without", "LOOKAGAIN")
        self.wait_for_line(first, "list revision [0-9]+ with 1 pod")
        self.thaw_view()
        self.wait_for_double()

    def dead_after_binding(self, *flags: str) -> Replica:
        """The other release sleeps before it hears that b is bound, for so long that its entry is taken off."""
        first, other = self.overlooked(*flags, of_other=("--stop-at", "binding-answer"))
        self.world.wait(lambda: other.is_stopped, "the other release fell asleep")
        self.world.wait(lambda: fence.listed(self.api, OTHER_NAME) == [], "b was taken off the list by the first")
        return first

    def test_with_all_rules_on_what_a_dead_release_has_bound_is_seen_first(self):
        self.expect_a_is_given_up(self.dead_after_binding())

    def test_without_leaving_behind_what_the_touch_of_a_dead_release_found(self):
        self.dead_after_binding("--without", "DEADSETTLED")
        self.wait_for_double()

    def forgotten(self, *flags: str) -> Replica:
        """The other release ends in good order, and its record goes while our view still stands still."""
        first, other = self.overlooked("--forget-after", "6s", *flags)
        self.world.wait(lambda: fence.listed(self.api, OTHER_NAME) == [], "b was taken off the list")
        other.process.terminate()
        other.process.wait(timeout=60)
        self.world.wait(lambda: fence.listed(self.api, OTHER_NAME) is None, "the record of the other release was gone")
        return first

    def test_with_all_rules_on_what_a_forgotten_release_has_bound_is_seen_first(self):
        self.expect_a_is_given_up(self.forgotten())

    def test_without_keeping_what_a_forgotten_release_had_settled(self):
        self.forgotten("--without", "MERGED")
        self.wait_for_double()

    # --- a release that comes back while it is cleared away ----------------------------------------------------------

    def comes_back(self, *flags: str) -> Replica:
        """The other release is taken for dead; when its entry is about to be taken off, another process of it lists a
        again, and sleeps before the Binding."""
        sleeps = ("--stop-at", "binding-write")
        self.start_leader(*sleeps, of=self.world.others)
        heir = self.start(*sleeps, of=self.world.others)
        # It does not lose its lead while its write is held.
        self.start_leader(*flags, way=self.other_way, lease=("60s", "50s"))
        self.make("a", OTHER_NAME)
        self.world.wait(lambda: self.world.others.leader().is_stopped, "the other release fell asleep before a's Binding")
        self.wait_for_look()
        heir.pause()
        self.make("b")
        touch = Held(self, self.other_way, TOUCH_OF_A, where="after")
        touch.wait()
        write = Held(self, self.other_way, Point("PUT", fence.FENCE))
        touch.release()
        write.wait()
        heir.wake()
        self.world.wait(lambda: heir.is_stopped, "the heir fell asleep before a's Binding")
        write.release()
        return heir

    def wait_for_look(self):
        """Whoever goes the first way and is awake has looked at the fence since, and does not count its age anew later."""
        looks = len(self.proxy.statuses(LOOK_AT_FENCE))
        self.world.wait(lambda: len(self.proxy.statuses(LOOK_AT_FENCE)) > looks + 1, "the heir looked at the fence")

    def test_with_all_rules_on_a_release_may_come_back(self):
        heir = self.comes_back()
        first = self.world.replicas.leader()
        heir.wake()
        self.world.wait(lambda: self.is_bound("a"), "a was bound")
        self.wait_for_line(first, f"mark {NAMESPACE}/b unschedulable")
        self.assertFalse(self.is_bound("b"))
        self.assertEqual(self.doubles(), self.doubles_before)

    def test_without_leaving_a_release_alone_that_has_come_back(self):
        heir = self.comes_back("--without", "UNCHANGED")
        self.world.wait(lambda: self.is_bound("b"), "b was bound")
        heir.wake()
        self.wait_for_double()

    # --- two pods of one name -----------------------------------------------------------------------------------------

    def namesake(self, *flags: str) -> tuple[Replica, Replica, Held]:
        """A successor whose view still shows an earlier pod a, and then that it goes. The touch of the present a is held."""
        sleeper = self.start_leader("--stop-at", "binding-write", *flags)
        self.make("a", "nobody")
        late = self.start(*flags, way=self.other_way)
        self.wait_for_line(late, f"seen pod {NAMESPACE}/a Pending")
        self.freeze_view()
        touch = Held(self, self.other_way, TOUCH_OF_A)
        self.delete("a")
        self.make("a")
        self.world.wait(lambda: sleeper.is_stopped, "the leader fell asleep before a's Binding")
        self.make("b", priorityClassName="urgent")
        touch.wait()
        self.thaw_view()
        return sleeper, late, touch

    def test_with_all_rules_on_a_pod_is_not_taken_for_its_namesake(self):
        sleeper, late, touch = self.namesake()
        self.wait_for_line(late, f"mark {NAMESPACE}/b unschedulable")
        self.assertFalse(self.is_bound("b"))
        touch.release()
        self.world.wait(lambda: self.is_bound("b"), "b was bound")
        sleeper.wake()
        self.expect_none(self.answer_to_a())

    def test_without_telling_pods_apart_by_their_uid(self):
        sleeper, _, _ = self.namesake("--without", "UID")
        self.world.wait(lambda: self.is_bound("b"), "b was bound")
        sleeper.wake()
        self.expect_double(self.answer_to_a())

    # --- the fence is deleted, and somebody is faster than the touches ----------------------------------------------

    def test_with_all_rules_on_nobody_is_faster_than_the_touches(self):
        sleeper = self.start_leader("--stop-at", "binding-write")
        self.make("a")
        self.world.wait(lambda: sleeper.is_stopped, "the leader fell asleep before a's Binding")
        touch = Held(self, self.other_way, TOUCH_OF_A)
        fence.delete(self.api)
        self.make("b", priorityClassName="urgent")
        self.world.replicas.add(program=self.world.lab, kubeconfig=self.other_way.kubeconfig)
        touch.wait()
        self.assertFalse(self.is_bound("b"))
        touch.release()
        self.world.wait(lambda: self.is_bound("b"), "b was bound")
        sleeper.wake()
        self.expect_none(self.answer_to_a())

    def test_what_another_release_is_binding_is_not_given_away(self):
        sleeper = self.start_leader("--stop-at", "binding-write", of=self.world.others)
        first = self.start_leader()
        self.make("a", OTHER_NAME)
        self.world.wait(lambda: sleeper.is_stopped, "the other release fell asleep before a's Binding")
        self.make("b", priorityClassName="urgent")
        self.world.wait(lambda: f"mark {NAMESPACE}/b unschedulable" in first.log.read_text(encoding="utf-8"),
                        "b was found to wait")
        sleeper.wake()
        self.assertEqual(self.answer_to_a(), 201)
        self.assertFalse(self.is_bound("b"))
        self.assertEqual(self.doubles(), self.doubles_before)


if __name__ == "__main__":
    unittest.main()
