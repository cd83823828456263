"""Tests with schedulers on one plane, where each begins with a cluster that has never seen a scheduler."""

import json
import unittest

from scheduler_process import CRDS, FENCE, HOME, Scheduler, a_plane, wait_for_kinds, wait_until
from free_ports import pick  # of tools/cluster, which scheduler_process knows the way to

OTHER_HOME = "a-release"  # sorts before HOME


class PlaneCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.plane = a_plane("scheduler").up()
        cls.addClassCleanup(cls.plane.close)
        cls.plane.call("nodes", "add", "2", "--gpus", "8")
        for namespace in (HOME, OTHER_HOME):
            cls.plane.kubectl("create", "namespace", namespace)
        cls.plane.kubectl("apply", "-f", str(CRDS))
        wait_for_kinds(cls.plane.kubectl, "gpuclaims")

    def setUp(self):
        self.schedulers = []
        self.addCleanup(self.delete_everything)

    def delete_everything(self):
        for scheduler in self.schedulers:
            scheduler.close()
        self.plane.kubectl("delete", "pods,gpuclaims", "--all", "--force", "--grace-period=0")
        self.delete_fence()
        for namespace in (HOME, OTHER_HOME):
            self.plane.kubectl("delete", "leases", "--all", "--namespace", namespace)
        self.expect(self.pods_in_reports, [])

    def pods_in_reports(self) -> list[str]:
        """What agents show in use, which a scheduler that starts keeps back until they have looked again."""
        reports = self.plane.json("get", "gpunodestatuses")["items"]
        devices = [device for report in reports for device in report.get("status", {}).get("devices", [])]
        return [pod for device in devices for pod in device.get("inUseBy", [])]

    def delete_fence(self):
        self.plane.kubectl("delete", *FENCE, "--ignore-not-found")

    def start(self, *more: str, **release) -> Scheduler:
        scheduler = Scheduler(self.plane, pick(1)[0], *more, **release)
        self.schedulers.append(scheduler)
        return scheduler

    def start_leader(self, **release) -> Scheduler:
        scheduler = self.start(**release)
        self.assertTrue(wait_until(scheduler.leads), scheduler.said())
        self.expect(scheduler.readiness, "ok")
        return scheduler

    def create(self, *objects: dict):
        self.plane.kubectl("create", "-f", "-", stdin="\n---\n".join(json.dumps(item) for item in objects))

    def expect(self, read, wanted):
        if not wait_until(lambda: read() == wanted):
            self.assertEqual(read(), wanted)
