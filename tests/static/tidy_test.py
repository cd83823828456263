"""tools/tidy must know which files are clean, begin with those that have changed, and count all of them."""

import json
import shutil
import subprocess
import unittest

from support import ROOT, TreeTest, run

TOOLS = ["tidy", "tidy_units.py", "unity_groups.py", "declared_names.py", "known_clean.py", "include_graph.py", "cpp_text.py"]
# It says which files it was given, or which of them are in the one it was given, and that what contains BAD is bad; its version
# can be set.
CLANG_TIDY = """#!/bin/sh
if [ "$1" = --version ]; then echo "fake version ${FAKE_VERSION:-1}"; exit; fi
for file; do :; done
case "$file" in
  build/*) members=$(sed "s,#include .$TREE/,,; s,.$,," "$file") ;;
  *) members=$file ;;
esac
echo $members | tr ' ' '+' >>"$TREE/read"
sleep "${FAKE_SECONDS:-0}"
cd "$TREE"
if cat $members | grep -q BROKEN; then echo "src/core/pod.h:1:1: error: broken [clang-diagnostic-error]"; exit 1; fi
bad=$(grep -l BAD $members) && { echo "$TREE/$bad:1:1: error: bad [check]"; exit 1; }
echo "3 warnings generated." >&2
"""


class TidyTree(TreeTest):
    """A project in git with three files that are compiled, and a clang-tidy that reads no C++."""

    ALL = ["src/core/alone.cc", "src/core/pod.cc", "tests/pod_test.cc"]
    WITH_POD = ["src/core/pod.cc", "tests/pod_test.cc"]

    def setUp(self):
        super().setUp()
        for name in TOOLS:
            self.write(f"tools/{name}", (ROOT / "tools" / name).read_text(encoding="utf-8"), mode=0o755)
        self.write("bin/clang-tidy-16", CLANG_TIDY, mode=0o755)
        self.write("bin/cmake", "#!/bin/sh\n", mode=0o755)
        self.write(".gitignore", "/bin/\n/build/\n/cache/\n/read\n__pycache__/\n")
        self.write(".clang-tidy", "Checks: some\n")
        self.write("src/base/text.h", "int Text();\n")
        self.write("src/core/pod.h", '#include "base/text.h"\n')
        self.write("src/core/pod.cc", '#include "core/pod.h"\n')
        self.write("src/core/alone.cc", "int a;\n")
        self.write("tests/pod_test.cc", '#include "core/pod.h"\n')
        self.compiled(*self.ALL, "build/made.cc")
        self.commit()

    def compiled(self, *paths: str):
        commands = [{"directory": str(self.tree / "build/tidy"), "file": str(self.tree / path),
                     "command": f"clang++ -O0 -o a.o -c {self.tree / path}"} for path in paths]
        self.write("build/tidy/compile_commands.json", json.dumps(commands))

    def git(self, *arguments: str) -> str:
        settings = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
        return subprocess.run(["git", *settings, *arguments], cwd=self.tree, check=True, text=True, stdout=subprocess.PIPE).stdout

    def commit(self) -> str:
        self.git("init", "-q")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "a")
        return self.git("rev-parse", "HEAD").strip()

    def tidy(self, *arguments: str, **environment: str) -> tuple[list[str], str]:
        """The files that clang-tidy was given, in this order, and the last line."""
        (self.tree / "read").write_text("", encoding="ascii")
        self.done = run([str(self.tree / "tools/tidy"), *arguments], PATH=f"{self.tree}/bin:/usr/bin:/bin", TREE=str(self.tree),
                        XDG_CACHE_HOME=str(self.tree / "cache"), **environment)
        lines = self.done.stdout.splitlines()
        self.assertEqual(self.done.returncode, 0 if " 0 failed" in lines[-1] else 1, self.done.stdout)
        return (self.tree / "read").read_text(encoding="ascii").split(), lines[-1]

    def changed(self, **environment: str) -> list[str]:
        return sorted("+".join(self.tidy("--changed", **environment)[0]).replace("+", " ").split())


class Tidy(TidyTree):
    def test_all_files_that_are_compiled(self):
        read, said = self.tidy()
        self.assertEqual((read, said), (["+".join(self.ALL)], "tidy: 3 passed, 0 failed, 0 not reached, 0 known clean"))

    def test_the_files_that_are_named(self):
        read, said = self.tidy(str(self.tree / "src/core/pod.cc"))
        self.assertEqual((read, said), (["src/core/pod.cc"], "tidy: 1 passed, 0 failed, 0 not reached, 0 known clean"))

    def test_what_passed_is_not_read_again_until_something_it_reaches_changes(self):
        self.assertEqual(self.changed(), self.ALL)
        self.assertEqual(self.tidy("--changed"), ([], "tidy: 0 passed, 0 failed, 0 not reached, 3 known clean"))
        self.write("src/core/alone.cc", "int b;\n")
        self.assertEqual(self.changed(), ["src/core/alone.cc"])
        self.write("src/base/text.h", "int OtherText();\n")
        self.assertEqual(self.changed(), self.WITH_POD)
        self.write("src/base/text.h", "int Text();\n")
        self.assertEqual(self.changed(), [], "it passed like this")

    def test_other_rules_and_another_version_begin_anew(self):
        self.changed()
        self.assertEqual(self.changed(FAKE_VERSION="2"), self.ALL)
        self.write(".clang-tidy", "Checks: others\n")
        self.assertEqual(self.changed(), self.ALL)

    def test_a_failure_is_shown_and_not_forgotten(self):
        self.write("src/core/alone.cc", "BAD\n")
        for _ in range(2):
            read, said = self.tidy("--changed")
            self.assertIn("src/core/alone.cc", read)
            self.assertIn("/src/core/alone.cc:1:1: error: bad [check]", self.done.stdout)
            self.assertIn(" 1 failed, ", said)
        self.assertNotIn("warnings generated", self.done.stdout)

    def test_of_files_that_are_read_as_one_only_those_with_a_finding_fail(self):
        self.write("src/core/alone.cc", "BAD\n")
        read, said = self.tidy()
        self.assertEqual((read, said), (["+".join(self.ALL)], "tidy: 2 passed, 1 failed, 0 not reached, 0 known clean"))
        self.assertIn("clang-tidy did not pass src/core/alone.cc\n", self.done.stdout)

    def test_files_are_read_one_by_one_where_they_do_not_compile_as_one(self):
        self.write("src/core/alone.cc", "BROKEN\n")
        read, said = self.tidy()
        self.assertEqual((read, said), (["+".join(self.ALL), *self.ALL], "tidy: 2 passed, 1 failed, 0 not reached, 0 known clean"))

    def test_files_with_other_flags_are_not_read_as_one(self):
        path = self.tree / "build/tidy/compile_commands.json"
        path.write_text(path.read_text(encoding="utf-8").replace("-O0", "-O1", 1), encoding="utf-8")
        self.assertEqual(sorted(self.tidy()[0]), ["src/core/alone.cc", "+".join(self.WITH_POD)])

    def test_the_most_directly_changed_come_first(self):
        self.write("src/core/far.h", '#include "core/pod.h"\n')
        self.write("src/core/a_far.cc", '#include "core/far.h"\n')
        self.compiled(*self.ALL, "src/core/a_far.cc")
        self.tidy()
        self.write("src/core/pod.h", '#include "base/text.h"\nint Pod();\n')
        self.write("tests/pod_test.cc", '#include "core/pod.h"\nint b;\n')
        read, _ = self.tidy("--changed", "--seconds", "100", FAKE_SECONDS="0.2")
        self.assertEqual(read, ["tests/pod_test.cc", "src/core/pod.cc+src/core/a_far.cc"])

    def test_no_file_is_begun_when_the_time_is_over(self):
        self.assertEqual(self.tidy("--changed", "--seconds", "0"), ([], "tidy: 0 passed, 0 failed, 3 not reached, 0 known clean"))

    def test_a_full_run_that_passed_writes_its_commit_down(self):
        self.tidy()
        head = self.git("rev-parse", "HEAD").strip()
        self.assertIn(f"\nall {head}\n", (self.tree / "tools/tidy-green").read_text(encoding="ascii"))

    def test_a_run_over_some_files_or_uncommitted_ones_or_a_failed_one_does_not(self):
        self.tidy(str(self.tree / "src/core/pod.cc"))
        self.tidy("--changed")
        self.assertFalse((self.tree / "tools/tidy-green").exists())
        self.write("src/core/alone.cc", "int b;\n")
        self.tidy()
        self.assertFalse((self.tree / "tools/tidy-green").exists())
        self.write("src/core/alone.cc", "BAD\n")
        self.commit()
        self.tidy()
        self.assertFalse((self.tree / "tools/tidy-green").exists())


class FromGit(TidyTree):
    """With an empty cache."""

    def green(self, scope: str):
        self.write("tools/tidy-green", f"# why\n{scope} {self.git('rev-parse', 'HEAD').strip()}\n")

    def test_nothing_has_changed_since_all_passed(self):
        self.green("all")
        self.assertEqual(self.changed(), [])

    def test_files_that_reach_what_has_changed_since_committed_or_not(self):
        self.green("all")
        self.write("src/core/alone.cc", "int b;\n")
        self.commit()
        self.assertEqual(self.changed(), ["src/core/alone.cc"])
        self.write("src/base/text.h", "int OtherText();\n")
        self.assertEqual(self.changed(), self.WITH_POD)

    def test_files_that_git_does_not_know(self):
        self.green("all")
        self.write("src/core/new.cc", "int c;\n")
        self.compiled(*self.ALL, "src/core/new.cc")
        self.assertEqual(self.changed(), ["src/core/new.cc"])

    def test_a_commit_may_stand_for_src_without_tests(self):
        self.green("src")
        self.assertEqual(self.changed(), ["tests/pod_test.cc"])

    def test_other_rules_since_then(self):
        self.green("all")
        self.write(".clang-tidy", "Checks: others\n")
        self.assertEqual(self.changed(), self.ALL)

    def test_a_commit_that_git_does_not_know(self):
        self.write("tools/tidy-green", f"all {'0' * 40}\n")
        self.assertEqual(self.changed(), self.ALL)

    def test_no_git_at_all(self):
        self.green("all")
        shutil.rmtree(self.tree / ".git")
        self.assertEqual(self.changed(), self.ALL)


if __name__ == "__main__":
    unittest.main()
