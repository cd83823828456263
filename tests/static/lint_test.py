"""tools/lint must find every file of its languages, and refuse what .flake8 and .yamllint name."""

import shutil
import unittest

from support import ROOT, TreeTest, run


class Lint(TreeTest):
    def setUp(self):
        super().setUp()
        (self.tree / "tools").mkdir()
        for name in ("tools/lint", "tools/check_text.py", ".flake8", ".yamllint"):
            shutil.copy(ROOT / name, self.tree / name)

    def lint(self, language: str) -> list[str]:
        """The files that the linter complains about."""
        done = run([str(self.tree / "tools" / "lint"), language])
        named = {line.split(":")[0] for line in done.stdout.splitlines() if ":" in line}
        self.assertEqual(done.returncode, 1 if named else 0, done.stdout)
        return sorted(named)

    def test_python_is_found_by_its_ending_and_its_first_line(self):
        for path in ("bench/run", "deploy/a.py", "tests/deep/b.py"):
            self.write(path, "#!/usr/bin/env python3\nimport os\n")
        self.assertEqual(self.lint("python"), ["bench/run", "deploy/a.py", "tests/deep/b.py"])

    def test_what_python_must_not_do(self):
        branches = "".join(f"    if a == {number}:\n        return a\n" for number in range(10))
        for name, text in {"unknown_name": "a = b\n", "bare_except": "try:\n    pass\nexcept:\n    pass\n",
                           "long_line": f"a = '{'x' * 130}'\n", "spaces": "a = 1 \n",
                           "many_branches": f"def f(a):\n{branches}"}.items():
            self.write(f"{name}.py", text)
        self.assertEqual(self.lint("python"), [f"{name}.py" for name in
                                               ("bare_except", "long_line", "many_branches", "spaces", "unknown_name")])

    def test_what_yaml_must_not_do(self):
        for name, text in {"duplicate": "a: 1\na: 2\n", "indentation": "a:\n  b: 1\nc:\n    d: 1\n", "octal": "a: 0644\n",
                           "long": f"a: [{', '.join(['x'] * 60)}]\n", "truth": "a: yes\n", "spaces": "a: 1 \n"}.items():
            self.write(f"{name}.yaml", text)
        self.write("fine.yml", "on:\n  push:\na: {b: 1, c: { d: 2 }}\n")
        self.assertEqual(self.lint("yaml"), [f"{name}.yaml" for name in
                                             ("duplicate", "indentation", "long", "octal", "spaces", "truth")])

    def test_templates_of_charts_and_seeds_of_fuzzers_are_not_yaml(self):
        self.write("charts/a/templates/deep/b.yaml", "{{ if .Values.a }}\na: 1\n{{ end }}\n")
        self.write("src/a/yaml_fuzz_seeds/odd.yaml", "{{{\n")
        self.assertEqual(self.lint("yaml"), [])

    def test_what_was_built_and_links_are_not_looked_at(self):
        self.write("build/a.py", "import os\n")
        (self.tree / "link.py").symlink_to("build/a.py")
        self.assertEqual(self.lint("python"), [])

    def test_shell_is_found_by_its_ending_and_its_first_line(self):
        for path, first in {"bench/run": "#!/bin/sh", "tools/two": "#!/usr/bin/env bash", "deploy/three.sh": "#!/bin/bash"}.items():
            self.write(path, f"{first}\nrm $1\n")
        done = run([str(self.tree / "tools" / "lint"), "shell"])
        self.assertEqual(done.returncode, 1)
        for path in ("bench/run", "tools/two", "deploy/three.sh"):
            self.assertIn(f"In {path} line 2:", done.stdout)

    def test_what_passed_is_looked_at_again_when_it_or_the_settings_change(self):
        self.write("a.yaml", "a: 1\n")
        self.write("templates/b.yaml", "{{{\n")
        self.assertEqual(self.lint("yaml"), [])
        self.write("a.yaml", "a: yes\n")
        self.assertEqual(self.lint("yaml"), ["a.yaml"])
        self.assertEqual(self.lint("yaml"), ["a.yaml"], "only what passed is remembered")
        self.write("a.yaml", "a: 1\n")
        self.assertEqual(self.lint("yaml"), [])
        self.write(".yamllint", "rules: {document-start: enable}\n")
        self.assertEqual(self.lint("yaml"), ["a.yaml", "templates/b.yaml"])

    def test_a_linter_that_is_not_there_is_a_failure(self):
        python = shutil.which("python3", path="/usr/bin:/bin")
        done = run([python, str(self.tree / "tools" / "lint")], PATH=str(self.tree))
        self.assertEqual(done.returncode, 1)
        for name in ("shellcheck", "flake8", "yamllint"):
            self.assertIn(f"{name} is not installed; tools/setup test installs it", done.stdout)


if __name__ == "__main__":
    unittest.main()
