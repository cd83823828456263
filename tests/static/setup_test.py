"""tools/setup with a fake dpkg-query and apt-get: what it installs, and when it refuses."""

import shutil
import unittest

from support import ROOT, TreeTest, run

# Answers as dpkg-query does, from a file with one "package version" per line.
DPKG_QUERY = """#!/bin/sh
for last; do :; done
case "$last" in
  *'*'*) sed 's/^/installed /' "$TREE/installed" ;;
  *) grep -q "^$last " "$TREE/installed" || exit 1; echo installed ;;
esac
"""
APT_GET = '#!/bin/sh\necho "$@" >>"$TREE/apt-calls"\n'


class Setup(TreeTest):
    def setUp(self):
        super().setUp()
        self.write("bin/dpkg-query", DPKG_QUERY, mode=0o755)
        self.write("bin/apt-get", APT_GET, mode=0o755)
        self.write("bin/id", "#!/bin/sh\necho 0\n", mode=0o755)

    def setup(self, what: str, installed: list[str], path: str = "/usr/bin:/bin"):
        self.write("installed", "".join(f"{line}\n" for line in installed))
        return run(["/bin/sh", str(ROOT / "tools" / "setup"), what], TREE=str(self.tree), PATH=f"{self.tree}/bin:{path}")

    def apt_calls(self) -> list[str]:
        calls = self.tree / "apt-calls"
        return calls.read_text(encoding="utf-8").splitlines() if calls.exists() else []

    def test_boost_174_is_named_and_left_alone(self):
        done = self.setup("run", ["libboost1.74-dev 1.74.0+ds1-21", "libboost-dev 1.74.0.3", "cmake 3.25.1-1"])
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("Boost 1.74 is installed", done.stdout)
        self.assertIn("apt-get remove libboost1.74-dev libboost-dev\n", done.stdout)
        self.assertEqual(self.apt_calls(), [])

    def test_only_what_is_missing_is_installed_and_nothing_removed(self):
        done = self.setup("run", ["cmake 3.25.1-1", "clang-16 16"])
        self.assertEqual(done.returncode, 0, done.stdout)
        update, install = self.apt_calls()
        self.assertTrue(update.endswith(" update"), update)
        self.assertIn("--no-remove", install)
        self.assertIn("libboost1.81-dev", install)
        self.assertNotIn("cmake", install)

    def test_tests_need_more_than_running(self):
        self.setup("test", [])
        self.assertIn("libgtest-dev", self.apt_calls()[-1])
        self.assertIn("libcli11-dev", self.apt_calls()[-1])

    def test_what_other_packages_provide_is_left_to_them(self):
        for name in ("containerd", "busybox", "go"):
            self.write(f"bin/{name}", "#!/bin/sh\n", mode=0o755)
        self.setup("test", [])
        packages = self.apt_calls()[-1].split()
        self.assertIn("containernetworking-plugins", packages)
        for name in ("containerd", "runc", "busybox-static", "golang-1.19-go"):
            self.assertNotIn(name, packages)

    def test_a_bare_machine_gets_a_container_runtime_and_go(self):
        self.setup("test", [], path=self.bare_path())
        packages = self.apt_calls()[-1].split()
        for name in ("containerd", "runc", "busybox-static", "golang-1.19-go"):
            self.assertIn(name, packages)

    def bare_path(self) -> str:
        """A PATH with what a bare system has and the script uses."""
        for name in ("grep", "sed", "tr", "awk", "env", "mktemp", "date", "rm", "cat"):
            script = f'#!/bin/sh\nPATH="$PATH:/usr/bin:/bin" exec {shutil.which(name)} "$@"\n'
            self.write(f"bin/{name}", script, mode=0o755)
        return str(self.tree / "bin")

    def test_the_second_time_apt_is_not_asked(self):
        self.setup("run", [])
        packages = [word for word in self.apt_calls()[-1].split("--no-remove ")[1].split()]
        (self.tree / "apt-calls").unlink()
        self.assertEqual(self.setup("run", [f"{name} 1" for name in packages]).returncode, 0)
        self.assertEqual(self.apt_calls(), [])

    def test_without_root_and_sudo_the_list_is_printed(self):
        self.write("bin/id", "#!/bin/sh\necho 1000\n", mode=0o755)
        done = self.setup("run", [], path=self.bare_path())
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("there is no sudo", done.stdout)
        self.assertIn("ninja-build", done.stdout)
        self.assertEqual(self.apt_calls(), [])


if __name__ == "__main__":
    unittest.main()
