"""Every fuzzer has seeds, and tools/fuzz runs every fuzzer on them or says that it did not."""

import re
import shutil
import unittest

from support import ROOT, TreeTest, run

# What a fuzzer gets as its last argument is a folder with inputs; one of them breaks it.
FUZZER = """#!/bin/sh
for last; do :; done
if grep -rq broken "$last"; then echo "the seed is broken"; exit 77; fi
echo "Done 1 runs in 1 second(s)"
"""


class Seeds(unittest.TestCase):
    def test_every_fuzzer_has_seeds_beside_its_source(self):
        for path in sorted((ROOT / "src").rglob("CMakeLists.txt")):
            text = path.read_text(encoding="utf-8")
            names = re.findall(r"^gs_fuzz\(NAME ([a-z0-9_]+) ", text, re.MULTILINE)
            self.assertEqual(len(names), text.count("gs_fuzz("),
                             f"{path}: write gs_fuzz(NAME name … in one line; tools/fuzz finds it by that")
            for name in names:
                seeds = path.parent / f"{name}_seeds"
                self.assertTrue(seeds.is_dir() and any(seeds.iterdir()),
                                f"{path}: {name} has no seeds; put an input that it should read into {seeds.name}/")

    def test_all_seeds_are_those_of_a_fuzzer(self):
        for seeds in sorted((ROOT / "src").rglob("*_seeds")):
            name = seeds.name.removesuffix("_seeds")
            self.assertIn(f"gs_fuzz(NAME {name} ", (seeds.parent / "CMakeLists.txt").read_text(encoding="utf-8"),
                          f"no fuzzer reads {seeds}")


class Fuzz(TreeTest):
    """With fuzzers that are shell scripts."""

    def setUp(self):
        super().setUp()
        self.write("tools/build", "#!/bin/sh\n", mode=0o755)
        shutil.copy(ROOT / "tools" / "fuzz", self.tree / "tools" / "fuzz")

    def add(self, name: str, seed: str | None = "fine", is_built: bool = True) -> None:
        self.write(f"src/{name}/CMakeLists.txt", f"gs_fuzz(NAME {name} SRCS {name}.cc DEPS base)\n")
        if seed is not None:
            self.write(f"src/{name}/{name}_seeds/one", seed)
        if is_built:
            self.write(f"build/asan/fuzz/{name}", FUZZER, mode=0o755)

    def fuzz(self, *names: str):
        done = run(["sh", str(self.tree / "tools" / "fuzz"), "1", *names], GS_FUZZ_PRESET="asan")
        return done.returncode, [line for line in done.stdout.splitlines() if re.match(r"fuzz \w+: |tools/fuzz: ", line)]

    def test_all_run_and_each_says_how_it_ended(self):
        self.add("a_fuzz")
        self.add("b_fuzz")
        self.assertEqual(self.fuzz(), (0, ["fuzz a_fuzz: passed", "fuzz b_fuzz: passed"]))
        self.assertEqual(self.fuzz("b_fuzz"), (0, ["fuzz b_fuzz: passed"]))

    def test_a_seed_that_breaks_one_is_a_failure_and_the_others_run(self):
        self.add("a_fuzz", "broken")
        self.add("b_fuzz")
        code, [first, second] = self.fuzz()
        self.assertEqual((code, second), (1, "fuzz b_fuzz: passed"))
        self.assertTrue(first.startswith("fuzz a_fuzz: FAILED (log: build/asan/fuzz-a_fuzz.log; again: "), first)

    def test_one_that_was_not_built_is_a_failure(self):
        self.add("a_fuzz", is_built=False)
        code, [line] = self.fuzz()
        self.assertEqual(code, 1)
        self.assertTrue(line.startswith("fuzz a_fuzz: FAILED (there is no build/asan/fuzz/a_fuzz"), line)
        self.assertEqual(self.fuzz("no_fuzz")[0], 1)

    def test_one_without_seeds_is_a_failure(self):
        self.add("a_fuzz", seed=None)
        code, [line] = self.fuzz()
        self.assertEqual(code, 1)
        self.assertTrue(line.startswith("fuzz a_fuzz: FAILED (it has no seeds"), line)

    def test_none_at_all_is_a_failure(self):
        self.write("src/CMakeLists.txt", "\n")
        self.assertEqual(self.fuzz(), (1, ["tools/fuzz: no CMakeLists.txt below src has a gs_fuzz"]))


if __name__ == "__main__":
    unittest.main()
