"""What `make run` shows, with a terminal and without one."""

import fcntl
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import termios
import threading
import unittest
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from local_cluster import DEADLINE, PROGRAM, PROGRAMS, ROOT, wait_until  # noqa: E402

DEMO = [ROOT / "tools" / "demo", PROGRAMS]
SHOWN = [r"gpu-scheduler-check-0 +map +node1 +0,1 +bound", r"gpu-scheduler-check-2 +map +node3 +0,1,2 +bound",
         r"training-job +claim multi-gpu +node-b +\S+ +bound",
         r"large-model +claim whole-island +<none> +<none> +waiting",
         r"multi-gpu +4 +contiguous +Preferred +node-b:\S+", r"node-b +node-b +8",
         r"gpu-node1-0 +default/gpu-scheduler-check-0", r"  when default/training-job on node-b ends",
         r"  the dashboard: +http://127.0.0.1:\d+/"]


class Terminal:
    """A program on a terminal, and what it has printed there."""

    def __init__(self, command: list, environment: dict):
        self.mine, theirs = pty.openpty()
        # The terminal has to be the one that controls the program, or Ctrl-C would reach nobody.
        self.process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment,
                                        start_new_session=True, preexec_fn=lambda: take_terminal(theirs))
        os.close(theirs)
        self.text = ""
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self) -> None:
        try:
            while piece := os.read(self.mine, 65536):
                self.text += piece.decode(errors="replace")
        except OSError:
            pass  # how the end of a terminal is told

    def has_shown(self, words: str) -> bool:
        """Or will never."""
        return words in self.text or self.process.poll() is not None

    def interrupt(self) -> None:
        os.write(self.mine, b"\x03")

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(DEADLINE)
        self.reader.join()
        os.close(self.mine)


def take_terminal(terminal: int) -> None:
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)


class DemoTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="demo-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.environment = os.environ | {"XDG_RUNTIME_DIR": str(self.folder), "TMPDIR": str(self.folder),
                                         "NO_COLOR": "1"}

    def assert_nothing_is_left(self) -> None:
        status = subprocess.run([PROGRAM, "status", "--name", "make-run"], env=self.environment, text=True,
                                capture_output=True, check=False, timeout=DEADLINE)
        self.assertEqual(status.returncode, 1, status.stdout)
        self.assertEqual([path.name for path in self.folder.glob("gpu-scheduler-run.*")], [])

    def test_without_a_terminal_it_shows_all_and_ends(self):
        done = subprocess.run(DEMO, env=self.environment, stdin=subprocess.DEVNULL, text=True, capture_output=True,
                              check=False, timeout=4 * DEADLINE)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for line in SHOWN:
            self.assertRegex(done.stdout, line)
        self.assert_nothing_is_left()

    def test_on_a_terminal_it_stays_until_ctrl_c_and_leaves_nothing(self):
        terminal = Terminal(DEMO, self.environment)
        self.addCleanup(terminal.close)
        wait_until("it has shown everything", lambda: terminal.has_shown("Ctrl-C ends it"), 4 * DEADLINE)
        found = re.search(r"the dashboard: +(http://\S+)", terminal.text)
        self.assertTrue(found, terminal.text)
        with urllib.request.urlopen(found[1], timeout=DEADLINE) as answer:
            self.assertIn(b"<title>GPU fleet</title>", answer.read())
        terminal.interrupt()
        self.assertEqual(terminal.process.wait(DEADLINE), 0)
        self.assert_nothing_is_left()

    def test_ctrl_c_in_the_middle_leaves_nothing_either(self):
        terminal = Terminal(DEMO, self.environment)
        self.addCleanup(terminal.close)
        wait_until("its cluster runs", lambda: terminal.has_shown("gpu-local serves"))
        terminal.interrupt()
        self.assertNotEqual(terminal.process.wait(DEADLINE), 0)
        self.assert_nothing_is_left()


if __name__ == "__main__":
    unittest.main()
