"""gpu-local from up to down, without kubectl."""

import os
import signal
import socket
import stat
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from local_cluster import PROGRAM, ROOT, LocalCluster, wait_until  # noqa: E402

EXAMPLES = [str(ROOT / "examples" / name) for name in
            ("maps/three-nodes.yaml", "claims/single-gpu.yaml", "claims/multi-gpu.yaml", "claims/shared.yaml")]


class LifecycleTest(unittest.TestCase):
    def cluster(self, *options: str, up: bool = True) -> LocalCluster:
        cluster = LocalCluster(*options, up=up)
        self.addCleanup(cluster.close)
        return cluster

    def test_down_leaves_nothing_behind(self):
        cluster = self.cluster()
        self.assertTrue(cluster.kubeconfig.exists())
        self.assertEqual(stat.S_IMODE(cluster.kubeconfig.stat().st_mode), 0o600)
        self.assertEqual(cluster.run("down").stdout, "ended\n")
        # A slow machine may have given the scheduler something to warn of.
        self.assertEqual([path for path in cluster.state.iterdir() if path.suffix != ".log"], [])
        self.assertIn("no cluster", cluster.run("down").stdout)

    def test_status_tells_what_runs(self):
        cluster = self.cluster()
        wait_until("six nodes", lambda: "nodes       6 (laptop)" in cluster.run("status").stdout)
        status = cluster.run("status").stdout
        for line in ("server      https://127.0.0.1:", "scheduler   inside", "GPUs held   0 of 24", "uptime "):
            self.assertIn(line, status)
        cluster.run("down")
        done = cluster.run("status")
        self.assertEqual(done.returncode, 1)
        self.assertIn("gpu-local up starts one", done.stderr)

    def test_the_log_is_in_a_file_that_stays_if_there_is_something_in_it(self):
        cluster = self.cluster("--bare", "--nodes", "none")
        log = cluster.state / "gpu-local.log"
        self.assertIn(f"log         {log}\n", cluster.run("status").stdout)
        self.assertEqual(log.read_text(encoding="utf-8"), "")
        cluster.run("down")
        self.assertFalse(log.exists())
        said = cluster.up("--log-level", "debug").stdout
        self.assertIn(f"is in {log}.", said)
        wait_until("the scheduler has said something", lambda: log.stat().st_size > 0)
        self.assertEqual(stat.S_IMODE(log.stat().st_mode), 0o600)
        cluster.run("down")
        self.assertIn("in=scheduler", log.read_text(encoding="utf-8"))

    def test_a_second_one_needs_a_name_of_its_own(self):
        cluster = self.cluster("--bare", "--nodes", "none")
        done = cluster.up("--bare")
        self.assertEqual(done.returncode, 1)
        self.assertIn("is running already at https://127.0.0.1:", done.stderr)
        self.assertEqual(cluster.up("--bare", "--name", "second").returncode, 0)
        self.assertEqual(cluster.run("down", "--name", "second").stdout, "ended\n")

    def test_what_was_killed_is_in_nobodys_way(self):
        cluster = self.cluster("--bare", "--nodes", "none")
        process = int(next(line.split()[1] for line in cluster.run("status").stdout.splitlines()
                           if line.startswith("process")))
        os.kill(process, signal.SIGKILL)
        wait_until("it is gone", lambda: cluster.run("status").returncode == 1)
        self.assertEqual(cluster.up("--bare", "--nodes", "none").returncode, 0)

    def test_refusals_say_what_to_do(self):
        cluster = self.cluster(up=False)
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = str(taken.getsockname()[1])
            done = cluster.up("--port", port)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"--port {port}", done.stderr)
        done = cluster.up("--nodes", "labtop")
        self.assertIn("presets are dgx, laptop, big:N, none", done.stderr.replace("laptop, dgx", "dgx, laptop"))
        done = cluster.up("--kubeconfig", "/nonexistent/config")
        self.assertIn("cannot write /nonexistent/config", done.stderr)
        mine = cluster.folder / "config"
        mine.write_text("precious", encoding="utf-8")
        done = cluster.up("--kubeconfig", str(mine))
        self.assertIn("is no file of gpu-local", done.stderr)
        self.assertEqual(mine.read_text(encoding="utf-8"), "precious")
        nodes = cluster.folder / "nodes.yaml"
        nodes.write_text("nodes:\n  a:\n    gpu: 4\n", encoding="utf-8")
        done = cluster.up("--nodes", str(nodes))
        self.assertEqual(done.returncode, 2)
        self.assertIn("nodes.a: line 2, column 3", done.stderr)
        self.assertEqual([path.name for path in cluster.state.iterdir()], [])

    def test_a_signal_ends_it_in_the_foreground(self):
        cluster = self.cluster(up=False)
        process = subprocess.Popen([PROGRAM, "up"], env=cluster.environment, text=True, stdout=subprocess.PIPE)
        with process.stdout:
            self.assertIn("gpu-local serves https://127.0.0.1:", process.stdout.readline())
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(timeout=60), 0)
        self.assertEqual(list(cluster.state.iterdir()), [])

    def test_the_demo_shows_who_got_what(self):
        cluster = self.cluster(up=False)
        done = cluster.run("demo", *EXAMPLES)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [line.split() for line in done.stdout.splitlines()]
        self.assertEqual(rows[0], ["POD", "ASKED", "BY", "NODE", "GPUS"])
        self.assertIn(["mapped-0", "map", "node1", "0,1"], rows)
        self.assertIn(["mapped-1", "map", "node2", "2"], rows)
        self.assertIn(["mapped-2", "map", "node3", "0,1,2"], rows)
        train = next(row for row in rows if row[0] == "training-job")
        self.assertEqual(len(train[-1].split(",")), 4)
        shared = {(row[-2], row[-1]) for row in rows if row[0].startswith("notebooks-")}
        self.assertEqual(len(shared), 1, "all replicas share one GPU")
        self.assertEqual(list(cluster.state.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
