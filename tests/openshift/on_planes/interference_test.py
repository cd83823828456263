"""Who writes, scales or kills between two requests of the generator does no harm, and is not harmed."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from openshift_case import AUTOSCALED, FIRST, NOTHING, SECOND, OnOpenShift  # noqa: E402
from openshift_plane import NAMESPACE, SETS  # noqa: E402

EVERYWHERE = "zones: all\n" + AUTOSCALED
WRITES = 7  # three sets, an autoscaler for each, and that of the cluster


class Once:
    """Does something at the first request of a kind, and counts them."""

    def __init__(self, method: str, path: str, action):
        self.wanted, self.action, self.count = (method, path), action, 0

    def __call__(self, method: str, path: str) -> None:
        if (method, path) != self.wanted:
            return
        self.count += 1
        if self.count == 1:
            self.action()


class Interference(OnOpenShift):
    def scale(self, replicas: int) -> None:
        self.openshift.kubectl("scale", f"--replicas={replicas}", "-n", NAMESPACE,
                               f"machinesets.machine.openshift.io/{FIRST}")

    def test_who_scales_a_set_while_it_is_being_changed_keeps_the_replicas(self):
        self.begin()
        self.succeed()
        self.openshift.write_settings("labels: {team: ml}\n")
        scaled = Once("PATCH", f"{SETS}/{FIRST}", lambda: self.scale(7))
        with self.openshift.relay(before=scaled) as relay:
            said = self.succeed(through=relay)
        self.assertIn(f"✓ Successfully updated MachineSet: {FIRST}", said)
        self.assertEqual(scaled.count, 2, "a conflict, and once more")
        made = self.openshift.sets()[FIRST]["spec"]
        self.assertEqual(made["replicas"], 7)
        self.assertEqual(made["template"]["spec"]["metadata"]["labels"]["team"], "ml")

    def test_who_makes_a_set_of_that_name_in_the_meantime_keeps_it(self):
        self.begin()
        own = self.openshift.api.get(f"{SETS}/cluster-zpqdx-xxm9n-worker-us-east-2a")
        own["metadata"] = {"name": FIRST, "labels": {"made-by": "hand"}}
        made = Once("PATCH", f"{SETS}/{FIRST}", lambda: self.openshift.expect("POST", SETS, own))
        with self.openshift.relay(before=made) as relay:
            said = self.fail_with(1, through=relay)
        self.assertIn("there is one that gpu-machinesets did not make", said)
        there = self.openshift.sets()
        self.assertEqual(set(there), {FIRST, SECOND})
        self.assertEqual(there[FIRST]["metadata"]["labels"], {"made-by": "hand"})
        self.assertEqual(there[FIRST]["spec"]["template"], own["spec"]["template"])

    def test_two_at_the_same_time_do_no_harm(self):
        self.begin(settings="zones: all\n")
        both = [self.openshift.start_job(), self.openshift.start_job()]
        for process in both:
            out, err = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0, out + err)
        self.assertEqual(len(self.openshift.sets()), 6)

    def test_what_was_killed_at_any_write_is_finished_by_the_next_run(self):
        self.begin("autoscaling")
        for last in range(1, WRITES + 1):
            with self.subTest(last):
                self.openshift.become("aws-default")
                self.openshift.write_settings(EVERYWHERE)
                self.assertEqual(self.killed_after(last), last)
                self.assertEqual(len(self.openshift.sets()), (last + 1) // 2 if last < WRITES else 3)
                self.succeed()
                self.assertEqual(len(self.openshift.sets()), 3)
                self.assertIn(NOTHING, self.succeed())

    def killed_after(self, last: int) -> int:
        """Kills a run before it hears that its write of that number was done; how many there were."""
        done, running = [], []

        def kill(method: str, _path: str) -> None:
            if method == "GET":
                return
            done.append(method)
            if len(done) == last:
                running[0].kill()
                running[0].wait()

        with self.openshift.relay(after=kill) as relay:
            running.append(self.openshift.start_job(through=relay))
            running[0].communicate(timeout=120)
        self.assertEqual(running[0].returncode, -9)
        return len(done)


if __name__ == "__main__":
    unittest.main()
