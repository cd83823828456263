"""Planes come and go without traces and without getting in each other's way."""

import os
import signal
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from support import PROGRAM, PlaneUnderTest, cluster, listens, processes_about, wait_until


class Planes(unittest.TestCase):
    def test_two_at_once_do_not_collide_and_leave_nothing(self):
        planes = [PlaneUnderTest("left"), PlaneUnderTest("right")]
        for plane in planes:
            self.addCleanup(plane.close)
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(PlaneUnderTest.up, planes))
        left, right = planes
        ports = left.ports() + right.ports()
        self.assertEqual(len(set(ports)), 6)
        left.kubectl("create", "configmap", "mine")
        self.assertIn("NotFound", right.kubectl("get", "configmap", "mine", check=False).stderr)
        self.assertEqual(len(processes_about(str(left.folder))), 3)
        left.call("down")
        self.assertEqual(right.kubectl("get", "--raw=/readyz").stdout, "ok")
        right.call("down")
        self.assertEqual([port for port in ports if listens(port)], [])
        self.assertEqual([line for plane in planes for line in processes_about(str(plane.folder))], [])
        self.assertFalse(left.folder.exists())

    def test_a_plane_that_cannot_start_says_why_and_leaves_nothing(self):
        plane = PlaneUnderTest("broken")
        self.addCleanup(plane.close)
        refused = plane.call("up", "--apiserver-arg=--no-such-flag", check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("unknown flag: --no-such-flag", refused.stderr)
        self.assertEqual(processes_about(str(plane.folder)), [])


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="cluster-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.words = ("run", "--name", "run", "--dir", str(self.folder / "plane"), "--", "sh", "-c")

    def assert_nothing_is_left(self):
        self.assertEqual(processes_about(str(self.folder)), [])
        self.assertFalse((self.folder / "plane").exists())

    def start(self, script: str) -> subprocess.Popen:
        """Returns when the script has made the file `started`."""
        process = subprocess.Popen([PROGRAM, *self.words, f"{script.format(self.folder)}"], start_new_session=True)
        self.addCleanup(process.kill)
        self.assertTrue(wait_until((self.folder / "started").exists, 120))
        return process

    def test_the_command_reaches_the_plane_and_its_exit_code_is_passed_on(self):
        done = cluster(*self.words, "kubectl get --raw=/readyz && exit 3", check=False)
        self.assertEqual((done.stdout, done.returncode), ("ok", 3))
        self.assert_nothing_is_left()

    def test_what_a_dying_command_leaves_behind_is_ended(self):
        done = cluster(*self.words, f"setsid tail -f /dev/null {self.folder}/x "
                       ">/dev/null 2>&1 & kill -9 $$", check=False)
        self.assertEqual(done.returncode, 128 + signal.SIGKILL)
        self.assert_nothing_is_left()

    def test_sigterm_leaves_nothing_behind(self):
        process = self.start("touch {0}/started; tail -qf /dev/null {0}/started")
        self.assertEqual(len(processes_about(f"{self.folder}/plane/")), 3)
        process.terminate()
        self.assertEqual(process.wait(60), 128 + signal.SIGTERM)
        self.assert_nothing_is_left()

    def test_a_command_that_ignores_sigterm_is_killed(self):
        process = self.start("trap '' TERM; touch {0}/started; while :; do tail -qf /dev/null {0}/started; done")
        os.kill(process.pid, signal.SIGINT)
        self.assertEqual(process.wait(60), 128 + signal.SIGINT)
        self.assert_nothing_is_left()

    def test_when_it_is_killed_itself_the_processes_die_too(self):
        process = self.start("touch {0}/started; exec tail -qf /dev/null {0}/started")
        process.kill()
        self.assertTrue(wait_until(lambda: not processes_about(str(self.folder))), processes_about(str(self.folder)))
