"""Processes are found again, stopped completely, and never mistaken for others."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import PROGRAM, processes_about, wait_until

import free_ports
from processes import Remembered, start_time


class RememberedProcess(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.process = self.remembered()
        self.addCleanup(self.process.stop)

    def remembered(self) -> Remembered:
        return Remembered("it", self.folder / "it.pid", self.folder / "it.log")

    def start(self, script: str) -> None:
        self.process.start(["sh", "-c", script, str(self.folder)], tied_to_us=False)

    def test_is_found_by_another_object_and_gone_after_stop(self):
        self.start("exec tail -f /dev/null")
        self.assertEqual(self.remembered().pid, self.process.pid)
        self.remembered().stop()
        self.assertIsNone(self.process.pid)
        self.assertEqual(processes_about(str(self.folder)), [])

    def test_its_children_end_with_it(self):
        self.start(f"tail -f /dev/null {self.folder}/it.log & wait")
        self.assertTrue(wait_until(lambda: len(processes_about(f"{self.folder}/it.log")) > 1))
        self.process.stop()
        self.assertTrue(wait_until(lambda: not processes_about(str(self.folder))))

    def test_one_that_died_is_not_running(self):
        self.start("echo last words; exit 1")
        self.assertTrue(wait_until(lambda: self.process.pid is None))
        self.assertEqual(self.process.last_lines(), "  last words")

    def test_a_process_that_got_its_number_later_is_left_alone(self):
        self.process.pid_file.write_text(json.dumps({"pid": os.getpid(), "started": "1"}), encoding="utf-8")
        self.assertIsNone(self.process.pid)
        self.process.stop()
        self.assertIsNotNone(start_time(os.getpid()))

    def test_one_that_is_tied_dies_with_the_process_that_started_it(self):
        code = (f"import sys; sys.path.insert(0, {str(PROGRAM.parent)!r}); from pathlib import Path; import os\n"
                f"from processes import Remembered; f = Path({str(self.folder)!r})\n"
                "Remembered('it', f / 'it.pid', f / 'it.log').start(['tail', '-f', '/dev/null'], tied_to_us=True)\n"
                "assert Remembered('it', f / 'it.pid', f / 'it.log').pid; os.kill(os.getpid(), 9)")
        done = subprocess.run([sys.executable, "-c", code], check=False)
        self.assertEqual(done.returncode, -signal.SIGKILL)
        self.assertTrue(wait_until(lambda: self.process.pid is None))


class Ports(unittest.TestCase):
    def test_they_differ_and_are_free(self):
        ports = free_ports.pick(20)
        self.assertEqual(len(set(ports)), 20)
        self.assertTrue(all(free_ports.is_free(port) for port in ports))
