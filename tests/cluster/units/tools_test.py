"""Names in the cache follow their sources, and a machine without Go skips with a sentence."""

import json
import os
import re
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from support import PROGRAM, cluster

import earlier_builds
import go_build
import go_toolchain
import kubernetes_module
import lifecycle
import tool_table
from failures import Failed, Unavailable
from plane import Plane


def script(folder: Path, name: str, text: str) -> str:
    """A program that stands in for another one."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


class FakeWrapper(unittest.TestCase):
    """A wrapper module in a folder of the test, and a cache that is empty."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for patch in (mock.patch.object(tool_table, "WRAPPERS", self.folder),
                      mock.patch.dict(os.environ, {"XDG_CACHE_HOME": str(self.folder / "cache")})):
            patch.start()
            self.addCleanup(patch.stop)
        tool_table.tools_folder().mkdir(parents=True)
        self.write("go.mod", "module m\n\ngo 1.26.0\n")
        self.write("go.sum", "a\n")

    def write(self, name: str, text: str) -> None:
        path = self.folder / "w" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def tool(self, package: str = "p", *settings: str) -> tool_table.Tool:
        return tool_table.Tool("t", "1", package, settings, wrapper="w")


class Keys(FakeWrapper):
    def test_a_changed_sum_or_flag_makes_another_file(self):
        before = self.tool().path
        self.assertEqual(before, self.tool().path)
        self.assertNotEqual(before, self.tool("p", "a.b=c").path)
        self.write("go.sum", "b\n")
        self.assertNotEqual(before, self.tool().path)

    def test_a_changed_source_of_our_own_makes_another_file(self):
        self.write("own/main.go", "a\n")
        before = self.tool("./own").path
        self.write("own/main.go", "b\n")
        self.assertNotEqual(before, self.tool("./own").path)

    def test_a_recipe_is_of_settings_and_not_of_versions(self):
        before = self.tool().recipe
        self.write("go.mod", "module m\n\ngo 1.26.0\n\nrequire a.test/x v1.0.0\n")
        self.assertEqual(before, self.tool().recipe)
        self.write("go.mod", "module m\n\ngo 1.26.0\n\ngodebug default=go1.25\n")
        self.assertNotEqual(before, self.tool().recipe)


class Pins(unittest.TestCase):
    def setUp(self):
        self.text = (tool_table.WRAPPERS / tool_table.ONE_FOR_ALL / "go.mod").read_text(encoding="utf-8")

    def test_every_tool_is_pinned_in_its_version(self):
        for tool in (each for each in tool_table.ALL if each.wrapper):
            self.assertIn(f" v{tool.version}", self.text, tool.name)
            if tool.package.startswith("./"):
                self.assertTrue(tool.own_sources, tool.name)
            else:
                self.assertIn(f"\t{tool.package}\n", self.text, tool.name)

    def test_all_parts_of_kubernetes_are_of_its_version(self):
        parts = re.findall(r"^\tk8s\.io/(\S+) => k8s\.io/(\S+) (v0\.[1-9]\S+)$", self.text, re.MULTILINE)
        self.assertGreater(len(parts), 30)
        _, minor, patch = tool_table.PINNED_KUBERNETES.split(".")
        self.assertEqual({(name, name, f"v0.{minor}.{patch}") for name, _, _ in parts}, set(parts))


class EarlierBuilds(FakeWrapper):
    """A program that stands in for Go says what an earlier build was made of."""

    GO_MOD = ("module m\n\ngo 1.26.0\n\nreplace (\n\tb.test/y => b.test/fork v1.1.0\n)\n\nrequire (\n\ta.test/x v1.0.0\n"
              "\tb.test/y v1.0.0 // indirect\n)\n")
    GO_SUM = "a.test/x v1.0.0 h1:a=\nb.test/fork v1.1.0 h1:b=\n"
    MADE_OF = ("path\ta.test/x/cmd", "mod\ta.test/x\tv1.0.0\th1:a=", "dep\tb.test/y\tv1.0.0",
               "=>\tb.test/fork\tv1.1.0\th1:b=", "build\tCGO_ENABLED=0")

    def setUp(self):
        super().setUp()
        self.write("go.mod", self.GO_MOD)
        self.write("go.sum", self.GO_SUM)
        self.earlier = self.tool().path
        self.earlier.touch()
        lines = "\n".join(f"\t{line}" for line in self.MADE_OF)
        self.go = script(self.folder, "go", f"cat <<'EOF'\n$3: go1.26.8\n{lines}\nEOF")

    def found(self, **files: str) -> Path | None:
        for name, text in files.items():
            self.write(name.replace("_", "."), text)
        return earlier_builds.find(self.tool(), self.go)

    def test_one_is_used_again_when_another_tool_got_a_module(self):
        found = self.found(go_mod=self.GO_MOD + "\nrequire c.test/z v1.0.0\n", go_sum=self.GO_SUM + "c.test/z v1.0.0 h1:c=\n")
        self.assertNotEqual(self.tool().path, self.earlier)
        self.assertEqual(found, self.earlier)

    def test_one_is_not_used_again_when_something_of_it_changed(self):
        for old, new in (("x v1.0.0", "x v1.0.1"), ("y v1.0.0", "y v1.0.1"), ("fork v1.1.0", "fork v1.1.1"),
                         ("\tb.test/y => b.test/fork v1.1.0\n", ""), ("\ta.test/x v1.0.0\n", ""), ("go 1.26.0", "go 1.26.1")):
            self.assertIsNone(self.found(go_mod=self.GO_MOD.replace(old, new)), new)
        self.assertIsNone(self.found(go_mod=self.GO_MOD, go_sum=self.GO_SUM.replace("h1:b=", "h1:c=")))

    def test_what_go_cannot_read_is_not_used_again(self):
        self.go = script(self.folder, "go", "exit 1")
        self.assertIsNone(self.found())

    def test_one_with_other_flags_is_not_looked_at(self):
        self.assertIsNone(earlier_builds.find(self.tool("p", "a.b=c"), self.go))

    def test_it_gets_the_new_name_without_a_compiler(self):
        self.write("go.sum", self.GO_SUM + "c.test/z v1.0.0 h1:c=\n")
        with mock.patch.object(go_toolchain, "find", lambda: self.go):
            go_build.build(self.tool())
        self.assertTrue(self.tool().path.samefile(self.earlier))


class Times(FakeWrapper):
    def test_each_build_leaves_a_line(self):
        go = script(self.folder, "go", 'while [ "$1" != -o ]; do shift; done; touch "$2"')
        times = self.folder / "times"
        with mock.patch.object(go_toolchain, "find", lambda: go), \
                mock.patch.object(go_build, "WRAPPERS", self.folder), mock.patch.object(go_build, "say"), \
                mock.patch.dict(os.environ, {go_build.TIMES: str(times)}):
            go_build.build(self.tool())
            go_build.build(self.tool())
            go_build.build(self.tool("q"))
        lines = [json.loads(line) for line in times.read_text(encoding="utf-8").splitlines()]
        self.assertEqual([line["tool"] for line in lines], ["t", "t"])
        self.assertTrue(all(line["seconds"] >= 0 for line in lines))


class OtherKubernetes(unittest.TestCase):
    def test_its_module_has_the_parts_it_was_published_with(self):
        published = ("module k8s.io/kubernetes\n\ngo 1.24.0\n\ngodebug default=go1.24\n\nrequire (\n\tk8s.io/api v0.0.0\n)\n\n"
                     "replace (\n\tk8s.io/api => ./staging/src/k8s.io/api\n\tk8s.io/kubectl => ./staging/src/k8s.io/kubectl\n)\n")
        lines = kubernetes_module.text_of("1.33.1", published).splitlines()
        for line in ("go 1.24.0", "godebug default=go1.24", "require k8s.io/kubernetes v1.33.1",
                     "replace k8s.io/api => k8s.io/api v0.33.1", "replace k8s.io/kubectl => k8s.io/kubectl v0.33.1"):
            self.assertIn(line, lines)

    def test_another_version_is_that_of_its_own_programs_alone(self):
        def versions(**environment: str) -> dict[str, str]:
            lines = cluster("list", env=os.environ | environment).stdout.splitlines()
            return {line.split()[0]: line.split()[1] for line in lines}

        pinned, older = versions(K8S_VERSION=""), versions(K8S_VERSION="1.33.1")
        changed = {name for name, version in pinned.items() if older[name] != version}
        self.assertEqual(changed, set(kubernetes_module.PROGRAMS))

    def test_what_is_no_version_is_refused(self):
        done = cluster("list", check=False, env=os.environ | {"K8S_VERSION": "1.33.x"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("write one such as 1.33.1", done.stderr)

    def test_the_cache_follows_the_environment(self):
        with mock.patch.dict(os.environ, {"XDG_CACHE_HOME": "/elsewhere"}):
            self.assertEqual(tool_table.tools_folder(), Path("/elsewhere/gpu-scheduler/tools"))


class Go(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.addCleanup(go_toolchain.find.cache_clear)
        go_toolchain.find.cache_clear()
        patch = mock.patch.object(go_toolchain, "DEBIAN_GO", str(self.folder / "no-go"))
        patch.start()
        self.addCleanup(patch.stop)

    def find(self, **environment):
        with mock.patch.dict(os.environ, {"PATH": str(self.folder)} | environment):
            return go_toolchain.find()

    def test_a_new_enough_one_is_used(self):
        go = script(self.folder, "go", "echo go version go1.27.1 linux/amd64")
        self.assertEqual(self.find(), go)

    def test_an_older_one_fetches_a_newer_one_and_makes_it_runnable(self):
        for name in ("bin/go", "pkg/tool/linux_amd64/compile"):
            (self.folder / "fetched" / name).parent.mkdir(parents=True)
            (self.folder / "fetched" / name).touch(0o444)
        script(self.folder, "go", f"""[ "$1" = mod ] && echo '{{"Dir": "{self.folder}/fetched"}}'
            [ "$1" = mod ] || echo go version go1.19.8 x""")
        found = self.find()
        self.assertEqual(found, f"{self.folder}/fetched/bin/go")
        self.assertTrue(os.access(found, os.X_OK))
        self.assertTrue(os.access(self.folder / "fetched/pkg/tool/linux_amd64/compile", os.X_OK))

    def test_without_a_network_the_tests_are_skipped(self):
        script(self.folder, "go", """[ "$1" = mod ] && { echo "dial tcp: no such host" >&2; exit 1; }
            echo go version go1.19.8 x""")
        with self.assertRaisesRegex(Unavailable, "skipped"):
            self.find()

    def test_a_compiler_error_is_no_reason_to_skip(self):
        with self.assertRaises(Failed):
            go_toolchain.raise_for("building x", "main.go:1: syntax error")

    def test_a_machine_without_any_exits_with_77_and_a_sentence(self):
        (self.folder / "python3").symlink_to(sys.executable)
        environment = {"PATH": str(self.folder), "XDG_CACHE_HOME": str(self.folder), "HOME": str(self.folder),
                       "GS_GO": str(self.folder / "go")}
        done = cluster("build", "kubectl", check=False, env=environment)
        self.assertEqual(done.returncode, 77, done.stderr)
        self.assertIn("tests on a real cluster are skipped", done.stderr)


class CommandLine(unittest.TestCase):
    def test_an_unknown_tool_is_named_with_those_there_are(self):
        done = cluster("build", "docker", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "no tool docker; there are etcd, ")

    def test_a_plane_that_is_not_there_is_named(self):
        done = cluster("down", "--name", "nobody-made-this", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cluster up --name nobody-made-this", done.stderr)

    def test_a_folder_with_files_of_somebody_else_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "thesis.txt").touch()
            with self.assertRaisesRegex(Failed, "is not empty"):
                lifecycle.claim_folder(Plane("mine", Path(folder)))
            self.assertTrue((Path(folder) / "thesis.txt").exists())

    def test_a_folder_is_claimed_once(self):
        with tempfile.TemporaryDirectory() as folder:
            lifecycle.claim_folder(Plane("mine", Path(folder)))
            with self.assertRaisesRegex(Failed, "already"):
                lifecycle.claim_folder(Plane("mine", Path(folder)))

    def test_a_name_cannot_leave_the_folder(self):
        self.assertIn("cannot name a plane", cluster("down", "--name", "../../etc", check=False).stderr)

    def test_the_program_can_be_executed(self):
        self.assertTrue(os.access(PROGRAM, os.X_OK))
