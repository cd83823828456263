"""The checker finds what is wrong in a forged history, and nothing in a legal one."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from forged import History  # noqa: E402  # it knows the way to the others
from checker import Checker, Rules, check  # noqa: E402
from end_state import complaints  # noqa: E402


def one_and_two() -> History:
    return History().node().claim("one", 1).claim("two", 2).claim("shared", 1, "Shared")


class Checking(unittest.TestCase):
    def expect(self, history: History, *kinds: str, rules: Rules = Rules(lease_grace_seconds=10)):
        found = check(history.events, rules, now=history.seconds + 100)
        self.assertEqual([violation.kind for violation in found], list(kinds), found)


class Holding(Checking):
    def test_two_exclusive_pods_on_one_gpu_are_found(self):
        history = one_and_two().pod("a", claim="two").pod("b", claim="one").give("a", "n:0,1").give("b", "n:1")
        found = check(history.events)
        self.assertEqual([violation.kind for violation in found], ["double allocation"])
        self.assertEqual(found[0].gpu, ("n", 1))
        self.assertIn("ns/a (exclusive, uid a), bound at 7", found[0].text)
        self.assertIn("ns/b (exclusive, uid b), bound at 10", found[0].text)

    def test_one_after_the_other_is_fine(self):
        for end in (lambda h: h.delete("a"), lambda h: h.phase("a", "Succeeded"), lambda h: h.phase("a", "Failed")):
            history = one_and_two().pod("a", claim="one").pod("b", claim="one").give("a", "n:1")
            self.expect(end(history).give("b", "n:1"))

    def test_a_terminating_pod_still_holds(self):
        history = one_and_two().pod("a", claim="one").pod("b", claim="one").give("a", "n:1").terminate("a")
        self.expect(history.give("b", "n:1").lease("n", 1, "a", "b").wait(5).delete("a"), "double allocation")

    def test_an_ended_pod_that_is_deleted_later_frees_nothing_twice(self):
        history = one_and_two().pod("a", claim="one").give("a", "n:1").phase("a", "Failed").pod("b", claim="one")
        self.expect(history.give("b", "n:1").delete("a").pod("c", claim="one").bind("c", "n:1"),
                    "double allocation", "Lease missing")

    def test_the_first_result_counts_whatever_is_written_later(self):
        history = one_and_two().pod("a", claim="one").give("a", "n:1")
        history.annotate("a", "gpu.scheduling/allocated", "n:5").pod("b", claim="one").pod("c", claim="one")
        self.expect(history.give("b", "n:5"))
        self.expect(history.give("c", "n:1").lease("n", 1, "a", "c"), "double allocation")

    def test_a_pod_of_the_same_name_is_another_pod(self):
        history = one_and_two().pod("a", "uid-1", claim="one").give("uid-1", "n:1")
        self.expect(history.delete("uid-1").pod("a", "uid-2", claim="one").give("uid-2", "n:1"))

    def test_a_node_made_again_has_the_same_gpus(self):
        history = one_and_two().pod("a", claim="one").give("a", "n:1").node(change="DELETED").node()
        self.expect(history.pod("b", claim="one").give("b", "n:1").lease("n", 1, "a", "b"), "double allocation")

    def test_a_result_that_somebody_forged_on_a_foreign_pod_means_nothing(self):
        history = one_and_two().pod("a", claim="one").pod("x", scheduler="default-scheduler")
        self.expect(history.give("a", "n:1").bind("x", "n:1"))


class Sharing(Checking):
    def test_shared_pods_up_to_the_number(self):
        history = one_and_two()
        for name in "abc":
            history.pod(name, claim="shared")
        history.give("a", "n:0", "shared").lease("n", 0, "a", "b").bind("b", "n:0", "shared")
        history.lease("n", 0, "a", "b", "c").bind("c", "n:0", "shared")
        self.expect(history)
        self.expect(history, "too many", rules=Rules(pods_per_shared_gpu=2, lease_grace_seconds=10))

    def test_shared_and_exclusive_do_not_meet(self):
        history = one_and_two().pod("a", claim="shared").pod("b", claim="one")
        self.expect(history.give("a", "n:0", "shared").lease("n", 0, "a", "b").bind("b", "n:0"), "double allocation")

    def test_maps_of_one_controller_share_and_others_do_not(self):
        history = History().node().pod("a", owner="set", map="0=n:3").pod("b", owner="set", map="0=n:3")
        history.pod("c", owner="other", map="0=n:3").pod("d", map="0=n:3").pod("e", map="0=n:3")
        self.expect(history.give("a", "n:3", "map").lease("n", 3, "a", "b").bind("b", "n:3", "map"))
        history.lease("n", 3, "a", "b", "c", "d").bind("c", "n:3", "map")
        self.expect(history, "double allocation", "double allocation")
        history.delete("a").delete("b").delete("c").bind("d", "n:3", "map")
        self.expect(history, "double allocation", "double allocation")
        history.lease("n", 3, "d", "e").bind("e", "n:3", "map")
        self.expect(history, "double allocation", "double allocation", "double allocation")


class Results(Checking):
    def test_another_number_than_asked(self):
        self.expect(one_and_two().pod("a", claim="two").give("a", "n:1"), "wrong result")

    def test_other_gpus_than_the_map_says(self):
        self.expect(History().node().pod("a-1", map="0=n:0\n1=n:2,3").give("a-1", "n:3,2", "map"))
        self.expect(History().node().pod("a-1", map="0=n:0\n1=n:2,3").give("a-1", "n:2,4", "map"), "wrong result")

    def test_another_node_than_bound_to(self):
        history = History().node().node("m").pod("a", gpus=1).bind("a", "n:1")
        history.events[-1].object["spec"]["nodeName"] = "m"
        self.expect(history.lease("n", 1, "a"), "wrong result")

    def test_another_mode_than_asked(self):
        self.expect(one_and_two().pod("a", claim="one").give("a", "n:1", "shared"), "wrong result")

    def test_none_at_all(self):
        history = History().node().pod("a", gpus=1).bind("a", "n:1")
        del history.events[-1].object["metadata"]["annotations"]["gpu.scheduling/allocated"]
        self.expect(history, "no result")

    def test_a_gpu_that_the_node_never_had(self):
        self.expect(History().node(gpus=4).pod("a", gpus=1).give("a", "n:4"), "no such GPU")

    def test_a_pod_without_gpus_needs_none(self):
        history = History().node().pod("a")
        history.pods["a"]["spec"]["nodeName"] = "n"
        self.expect(history.phase("a", "Running"))


class Kinds(Checking):
    def test_pods_of_a_plugin_and_pods_with_ids_do_not_meet(self):
        history = one_and_two().node("m").pod("a", claim="one").pod("b", gpus=1).pod("c", gpus=1)
        self.expect(history.give("a", "n:1").give("b", "m:1").give("c", "n:2"), "two kinds")

    def test_one_kind_after_the_other_is_fine(self):
        history = one_and_two().pod("a", claim="one").pod("b", gpus=1).give("a", "n:1").delete("a")
        self.expect(history.give("b", "n:1").lease("n", 1, "b"))


class Leases(Checking):
    def test_none_is_needed_before_the_pod_is_bound(self):
        self.expect(History().node().pod("a", gpus=1).bind("a", "n:1").wait(5).lease("n", 1, "a"))

    def test_one_that_never_comes(self):
        self.expect(History().node().pod("a", gpus=1).bind("a", "n:1").wait(20), "Lease missing")

    def test_one_for_another_pod_is_none(self):
        self.expect(History().node().pod("a", gpus=1).bind("a", "n:1").lease("n", 1, "z").wait(20), "Lease missing")

    def test_one_that_stays_away(self):
        history = History().node().pod("a", gpus=1).give("a", "n:1").wait(5).unlease("n", 1).wait(20)
        self.expect(history, "Lease missing")

    def test_one_that_comes_back_in_time(self):
        history = History().node().pod("a", gpus=1).give("a", "n:1").unlease("n", 1).wait(5).lease("n", 1, "a").wait(60)
        self.expect(history)

    def test_one_that_was_missing_for_long_is_found_afterwards(self):
        history = History().node().pod("a", gpus=1).give("a", "n:1").unlease("n", 1).wait(15).lease("n", 1, "a").wait(60)
        self.expect(history, "Lease missing")

    def test_none_is_needed_once_the_pod_has_ended(self):
        self.expect(History().node().pod("a", gpus=1).give("a", "n:1").phase("a", "Failed").unlease("n", 1).wait(60))

    def test_every_release_has_one_of_its_own(self):
        history = History().node().pod("a", gpus=1).give("a", "n:1").delete("a").pod("b", gpus=1).bind("b", "n:1")
        self.expect(history.lease("n", 1, "b", home="other").unlease("n", 1).wait(60))

    def test_a_history_that_goes_back_is_refused(self):
        events = History().node().pod("a").pod("b").events
        with self.assertRaises(ValueError):
            check([events[2], events[1]])


class EndState(unittest.TestCase):
    def expect(self, history: History, *kinds: str):
        checker = Checker(Rules())
        for event in history.events:
            checker.see(event)
        found = complaints(checker)
        self.assertEqual([violation.kind for violation in found], list(kinds), found)

    def test_a_lease_without_a_pod(self):
        self.expect(one_and_two().pod("a", claim="one").give("a", "n:1").delete("a"), "Lease without a pod")

    def test_a_pod_without_a_lease(self):
        self.expect(one_and_two().pod("a", claim="one").give("a", "n:1").unlease("n", 1), "pod without a Lease")

    def test_a_pod_that_fits_and_waits(self):
        history = History().node(gpus=2).claim("one", 1).claim("two", 2).pod("a", claim="one").give("a", "n:1")
        self.expect(history.pod("b", claim="two"))
        self.expect(history.pod("c", claim="one"), "idle GPUs")

    def test_maps_wait_for_their_own_gpus(self):
        history = one_and_two().pod("a", claim="one").give("a", "n:1")
        self.expect(history.pod("b", map="0=n:1").pod("c", map="0=other:1").pod("d-3", map="0=n:2"))
        self.expect(history.pod("e", map="0=n:2"), "idle GPUs")

    def test_shared_pods_join(self):
        history = History().node(gpus=1).claim("shared", 1, "Shared").claim("one", 1).pod("a", claim="shared")
        self.expect(history.give("a", "n:0", "shared").pod("b", claim="one"))
        self.expect(history.pod("c", claim="shared"), "idle GPUs")

    def test_pods_of_a_plugin_and_pods_with_ids_do_not_meet(self):
        history = one_and_two().pod("a", claim="one").give("a", "n:1").pod("b", gpus=1)
        self.expect(history)
        self.expect(history.node("m"), "idle GPUs")
        self.expect(History().node().claim("one", 1).pod("a", gpus=1).give("a", "n:1").pod("b", claim="one"))

    def test_what_pods_of_others_have_is_not_idle(self):
        history = History().node(gpus=4).claim("one", 1).pod("x", gpus=3, scheduler="default-scheduler").place("x")
        self.expect(history.pod("a", claim="one").pod("b", gpus=2).pod("d", gpus=1, resource="amd.com/gpu"))
        self.expect(history.pod("c", gpus=1), "idle GPUs")
        parts = History().node(gpus=4).claim("one", 1).pod("x", gpus=1, resource="nvidia.com/gpu.shared", scheduler="y")
        self.expect(parts.place("x").pod("a", claim="one"))

    def test_nodes_that_take_no_pods_are_not_idle(self):
        taint = {"key": "x", "effect": "NoSchedule"}
        self.expect(History().node(taints=[taint]).node("m", unschedulable=True).pod("a", gpus=1))

    def test_a_terminating_pod_does_not_wait(self):
        self.expect(History().node().pod("a", gpus=1).terminate("a"))

    def test_a_claim_that_is_not_there(self):
        self.expect(History().node().pod("a", claim="none"))


if __name__ == "__main__":
    unittest.main()
