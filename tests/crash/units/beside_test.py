"""What may not be beside each other: processes of pods that are gone, pods of other schedulers, two kinds of pods."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from forged import History  # noqa: E402  # it knows the way to the others
from checker import Rules, check  # noqa: E402

RULES = Rules(lease_grace_seconds=1000)


class Checking(unittest.TestCase):
    def expect(self, history: History, *kinds: str):
        found = check(history.events, RULES, now=history.seconds + 100)
        self.assertEqual([violation.kind for violation in found], list(kinds), found)


def running(**ask) -> History:
    """Pod a has run for long on GPU 1, on a node with an agent; b and c wait."""
    history = History().node().claim("one", 1).claim("shared", 1, "Shared").report()
    history.pod("a", **(ask or {"claim": "one"})).pod("b", claim="one").pod("c", gpus=1)
    return history.bind("a", "n:1").run("a").wait(10).report(users=("ns/a",))


class LeftBehind(Checking):
    def test_gpus_of_a_pod_that_vanished_are_not_free_before_its_agent_says_so(self):
        self.expect(running().delete("a").report("a").bind("b", "n:1"), "left behind")
        self.expect(running().delete("a").bind("b", "n:1"), "left behind")
        self.expect(running().delete("a").report("a").report().bind("b", "n:1"))

    def test_likewise_of_one_that_somebody_else_declared_ended(self):
        self.expect(running().phase("a", "Failed").report("a").bind("b", "n:1"), "left behind")
        self.expect(running().phase("a", "Failed").report("a").delete("a").bind("b", "n:1"), "left behind")
        self.expect(running().phase("a", "Failed").report().bind("b", "n:1"))

    def test_its_kubelet_is_believed(self):
        self.expect(running().end("a").bind("b", "n:1"))
        self.expect(running().phase("a", "Failed").end("a").bind("b", "n:1"))

    def test_a_report_that_is_older_than_the_end_says_nothing(self):
        self.expect(running().report().delete("a").bind("b", "n:1"), "left behind")

    def test_a_report_that_was_on_its_way_says_nothing(self):
        self.expect(running().delete("a").report(users=("ns/a",)).bind("b", "n:1"), "left behind")

    def test_where_the_name_is_in_use_again_the_uid_alone_tells(self):
        history = running().delete("a").pod("a", "a-2", claim="one").report(users=("ns/a",))
        self.expect(history.bind("b", "n:1"))

    def test_reports_may_be_heard_later_than_the_binding_that_rests_on_them(self):
        history = running().delete("a").report().bind("b", "n:1")
        history.events[-2:] = reversed(history.events[-2:])
        self.expect(history)

    def test_other_gpus_are_free(self):
        self.expect(running().delete("a").report("a").bind("b", "n:2"))

    def test_nobody_waits_for_longer_than_the_time_out(self):
        self.expect(running().delete("a").report("a").wait(5).bind("b", "n:1"))

    def test_without_an_agent_gpus_are_free_at_once(self):
        history = History().node().claim("one", 1).pod("a", claim="one").pod("b", claim="one")
        self.expect(history.bind("a", "n:1").run("a").wait(10).delete("a").bind("b", "n:1"))

    def test_a_pod_that_never_ran_has_left_nothing(self):
        history = History().node().report().claim("one", 1).pod("a", claim="one").pod("b", claim="one")
        self.expect(history.bind("a", "n:1").wait(10).delete("a").bind("b", "n:1"))

    def test_who_starts_knows_what_has_been_reported_and_no_more(self):
        self.expect(running().delete("a").start().bind("b", "n:1"))
        self.expect(running().delete("a").start("another").bind("b", "n:1"), "left behind")
        quick = Rules(lease_grace_seconds=1000, release_timeout_seconds=60)
        known = running().delete("a").start().report("a").wait(10).bind("b", "n:1")
        self.assertEqual([found.kind for found in check(known.events, quick, now=1000)], ["left behind"])

    def test_pods_of_a_plugin_stay_away_from_the_whole_node(self):
        self.expect(running().delete("a").report("a").bind("c", "n:5"), "left on the node")
        self.expect(running().delete("a").report("a").report().bind("c", "n:5"))

    def test_nobody_knows_where_what_a_plugin_gave_is_left(self):
        self.expect(running(gpus=1).delete("a").report("a").bind("b", "n:5"), "left on the node")
        self.expect(running(gpus=1).delete("a").report("a").report().bind("b", "n:5"))

    def test_it_follows_the_gpu_and_not_its_number(self):
        for uuid, kinds in (("GPU-A", ["left behind"]), ("GPU-B", [])):
            history = History().node().report().claim("one", 1).pod("a", claim="one").pod("b", claim="one")
            history.annotate("a", "gpu.scheduling/uuids", "GPU-A").annotate("b", "gpu.scheduling/uuids", uuid)
            self.expect(history.bind("a", "n:1").run("a").wait(10).delete("a").report("a").bind("b", "n:1"), *kinds)


class Renumbered(Checking):
    def test_one_gpu_under_two_numbers_is_one_gpu(self):
        for uuid, kinds in (("GPU-A", ["double allocation"]), ("GPU-B", [])):
            history = History().node().report().claim("one", 1).pod("a", claim="one").pod("b", claim="one")
            history.annotate("a", "gpu.scheduling/uuids", "GPU-A").annotate("b", "gpu.scheduling/uuids", uuid)
            self.expect(history.bind("a", "n:1").bind("b", "n:2"), *kinds)


class OfOthers(Checking):
    def one_of_others(self, gpus: int = 1, resource: str = "nvidia.com/gpu") -> History:
        history = History().node(gpus=4).claim("one", 1).pod("x", gpus=gpus, scheduler="default-scheduler", resource=resource)
        return history.pod("a", claim="one").pod("b", gpus=2).place("x")

    def test_pods_with_ids_stay_away_from_a_plugin_s(self):
        for resource in ("nvidia.com/gpu", "amd.com/gpu", "nvidia.com/gpu.shared"):
            self.expect(self.one_of_others(resource=resource).wait(20).bind("a", "n:1"), "two kinds")
        self.expect(self.one_of_others(resource="nvidia.com/nic").wait(20).bind("a", "n:1"))

    def test_a_pod_that_has_just_come_may_go_unnoticed(self):
        self.expect(self.one_of_others().wait(2).bind("a", "n:1"))
        self.expect(self.one_of_others(gpus=3).wait(2).bind("b", "n:1,2"))

    def test_one_that_has_ended_counts_no_more(self):
        self.expect(self.one_of_others().wait(20).phase("x", "Succeeded").bind("a", "n:1"))
        self.expect(self.one_of_others(gpus=3).wait(20).delete("x").bind("b", "n:1,2"))

    def test_nobody_is_to_blame_for_what_others_bind(self):
        history = History().node(gpus=4).claim("one", 1).pod("a", claim="one").bind("a", "n:1")
        self.expect(history.pod("x", gpus=4, scheduler="default-scheduler").wait(20).place("x"))

    def test_together_they_never_get_more_than_there_is(self):
        self.expect(self.one_of_others(gpus=3).wait(20).bind("b", "n:1,2"), "overcommitted")
        self.expect(self.one_of_others(gpus=2).wait(20).bind("b", "n:1,2"))

    def test_nor_do_ours_alone(self):
        history = History().node(gpus=4).pod("a", gpus=2).pod("b", gpus=2).pod("c", gpus=1)
        history.bind("a", "n:0,1").bind("b", "n:2,3")
        self.expect(history)
        self.expect(history.bind("c", "n:4"), "overcommitted")

    def test_a_number_that_fell_just_now_may_be_unknown(self):
        history = History().node(gpus=4).pod("a", gpus=2).wait(20).node(gpus=1, change="MODIFIED")
        self.expect(history.bind("a", "n:0,1"))
        history = History().node(gpus=4).pod("a", gpus=2).wait(20).node(gpus=1, change="MODIFIED").wait(20)
        self.expect(history.bind("a", "n:0,1"), "overcommitted")


class Edited(Checking):
    def test_a_claim_may_have_asked_for_another_number_just_now(self):
        history = History().node().claim("one", 1).pod("a", claim="one").wait(20).claim("one", 3, change="MODIFIED")
        self.expect(history.bind("a", "n:0"))
        history = History().node().claim("one", 1).pod("a", claim="one").claim("one", 3, change="MODIFIED").wait(20)
        self.expect(history.bind("a", "n:0"), "wrong result")

    def test_what_is_written_over_a_lease_names_nobody(self):
        for text in ("nonsense", "{}", "[1]", ""):
            history = History().node().pod("a", gpus=1).give("a", "n:1").lease("n", 1)
            history.events[-1].object["metadata"]["annotations"]["gpu.scheduling/holders"] = text
            found = check(history.wait(30).events, Rules(lease_grace_seconds=10), now=history.seconds + 100)
            self.assertEqual([violation.kind for violation in found], ["Lease missing"])


if __name__ == "__main__":
    unittest.main()
