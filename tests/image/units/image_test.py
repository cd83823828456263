"""The image: the same twice, small, without a shell, and its programs run in it with nothing else around."""

import importlib.machinery
import importlib.util
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BUILT = ROOT / "build" / "dev" / "bin"
MOST_BYTES = 40e6


def load(tool: str):
    loader = importlib.machinery.SourceFileLoader(tool, str(ROOT / "tools" / tool))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(tool, loader))
    sys.modules[tool] = module
    loader.exec_module(module)
    return module


image = load("image")


def make(folder: Path, name: str = "image.tar") -> Path:
    done = subprocess.run([ROOT / "tools" / "image", "--programs", BUILT, "--output", folder / name], check=False, text=True,
                          capture_output=True)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return folder / name


class TheImage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.archive = make(cls.folder)
        with tarfile.open(cls.archive) as archive:
            cls.files = {member.name: archive.extractfile(member).read() for member in archive if member.isfile()}
        manifest = json.loads(cls.blob(json.loads(cls.files["index.json"])["manifests"][0]))
        cls.config = json.loads(cls.blob(manifest["config"]))
        cls.layer = cls.blob(manifest["layers"][0])
        cls.root = cls.folder / "root"
        with tarfile.open(fileobj=io.BytesIO(cls.layer), mode="r:gz") as layer:
            cls.names = layer.getnames()
            layer.extractall(cls.root)

    @classmethod
    def blob(cls, descriptor: dict) -> bytes:
        content = cls.files["blobs/sha256/" + descriptor["digest"].removeprefix("sha256:")]
        assert len(content) == descriptor["size"]
        return content

    def test_it_is_the_same_twice(self):
        self.assertEqual(make(self.folder, "again.tar").read_bytes(), self.archive.read_bytes())

    def test_it_is_small(self):
        self.assertLess(self.archive.stat().st_size, MOST_BYTES)

    def test_it_has_the_programs_an_env_and_no_shell(self):
        for name in (*image.PROGRAMS, "env"):
            self.assertIn(f"usr/bin/{name}", self.names)
        self.assertEqual([name for name in self.names if name.rpartition("/")[2] in ("sh", "bash", "busybox")], [])
        self.assertIn("etc/ssl/certs/ca-certificates.crt", self.names)

    def test_it_runs_as_nobody_in_particular(self):
        self.assertEqual(self.config["config"]["User"], "65532:65532")
        self.assertIn("nonroot:x:65532", (self.root / "etc" / "passwd").read_text(encoding="utf-8"))

    @unittest.skipIf(os.geteuid() != 0, "only root can change the root folder")
    def test_every_program_runs_with_nothing_else_around(self):
        for name in image.PROGRAMS:
            done = subprocess.run(["chroot", "--userspec=65532:65532", self.root, f"/usr/bin/{name}", "--version"], check=False,
                                  text=True, capture_output=True)
            self.assertEqual((done.returncode, done.stdout.split()[:1]), (0, [name]), done.stderr)
        env = {"CUDA_VISIBLE_DEVICES": "2,3", "PATH": "/usr/bin"}
        done = subprocess.run(["/usr/sbin/chroot", self.root, "/usr/bin/env"], check=True, text=True, capture_output=True, env=env)
        self.assertIn("CUDA_VISIBLE_DEVICES=2,3\n", done.stdout)


class Refusals(unittest.TestCase):
    def test_programs_that_are_not_built_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([ROOT / "tools" / "image", "--programs", folder], check=False, text=True, capture_output=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("lacks gpu-scheduler,", done.stderr)
        self.assertIn("tools/build release programs", done.stderr)


class RegistryForTest(BaseHTTPRequestHandler):
    """As much of a registry as a push needs, with a login by token."""

    def log_message(self, *_):
        pass

    def answer(self, code: int, **headers: str) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def is_known(self) -> bool:
        if self.headers.get("Authorization") == "Bearer good":
            return True
        realm = f"http://{self.headers['Host']}/token"
        self.answer(401, WWW_Authenticate=f'Bearer realm="{realm}",service="test",scope="push"')
        return False

    def do_GET(self):  # noqa: N802
        content = json.dumps({"token": "good"}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_HEAD(self):  # noqa: N802
        if self.is_known():
            self.answer(200 if self.path.rpartition("/")[2] in self.server.blobs else 404)

    def do_POST(self):  # noqa: N802
        self.body()
        if self.is_known():
            self.answer(202, Location=self.path + "1")

    def do_PUT(self):  # noqa: N802
        content = self.body()
        if not self.is_known():
            return
        path, _, digest = self.path.partition("?digest=")
        if digest:
            self.server.blobs[digest.replace("%3A", ":")] = content
        else:
            self.server.manifests[path] = content
        self.answer(201)


class Pushing(unittest.TestCase):
    def setUp(self):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), RegistryForTest)
        self.server.blobs, self.server.manifests = {}, {}
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.archive = Path(folder.name) / "image.tar"
        image.write_archive(self.archive, "gpu-scheduler:latest", "1.2.3", {"usr/bin/a": b"\x7fELF"})

    def push(self, registry: str) -> subprocess.CompletedProcess:
        return subprocess.run([ROOT / "tools" / "push", registry, "--archive", self.archive, "--tag", "v1"], check=False,
                              text=True, capture_output=True)

    def test_everything_arrives(self):
        done = self.push(f"http://127.0.0.1:{self.server.server_port}/team")
        self.assertEqual(done.returncode, 0, done.stderr)
        manifest = json.loads(self.server.manifests["/v2/team/gpu-scheduler/manifests/v1"])
        for descriptor in (manifest["config"], *manifest["layers"]):
            self.assertEqual(len(self.server.blobs[descriptor["digest"]]), descriptor["size"])

    def test_a_registry_that_is_not_there_is_named(self):
        self.server.shutdown()
        self.server.server_close()
        done = self.push(f"http://127.0.0.1:{self.server.server_port}")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot reach http://127.0.0.1", done.stderr)


if __name__ == "__main__":
    unittest.main()
