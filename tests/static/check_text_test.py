"""tools/check_text.py and tools/check_changelog.py must refuse what they say, and nothing else.

The forbidden words are put together from pieces here, since this file is checked too.
"""

import unittest

from support import TreeTest


class CheckText(TreeTest):
    def test_paths_of_a_machine_are_refused(self):
        for path in ["/ro" + "ot/x", "/ho" + "me/ada/x", "/wo" + "rk/main"]:
            with self.subTest(path):
                self.write("docs/x.md", "first\nsee " + path + "\n")
                [line] = self.check("check_text.py")
                self.assertTrue(line.startswith("docs/x.md:2: "), line)

    def test_registry_hosts_are_refused(self):
        self.write("tools/x", "curl https://py" + "pi.org/simple\n")
        self.assertEqual(len(self.check("check_text.py")), 1)

    def test_later_needs_a_number_in_code_but_not_in_prose(self):
        note = "TO" + "DO"
        self.write("CMakeLists.txt", f"# {note}: tidy up\n# {note}(#12): tidy up\n")
        self.write("STYLE.md", f"No {note} without a number.\n")
        [line] = self.check("check_text.py")
        self.assertIn("CMakeLists.txt:1:", line)

    def test_a_source_that_nothing_builds_is_refused(self):
        self.write("src/base/CMakeLists.txt", "gs_test(NAME base_test SRCS a_test.cc b_test.cc)\n")
        for name in ["a_test.cc", "b_test.cc", "forgotten_test.cc"]:
            self.write(f"src/base/{name}", "\n")
        [line] = self.check("check_text.py")
        self.assertIn("src/base/forgotten_test.cc:1:", line)

    def test_what_was_built_is_not_looked_at(self):
        self.write("build/dev/log", "/ro" + "ot/x\n")
        self.assertEqual(self.check("check_text.py"), [])


class CheckChangelog(TreeTest):
    def test_it_must_exist(self):
        self.assertEqual(len(self.check("check_changelog.py")), 1)

    def test_a_good_one(self):
        self.write("CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n\n### Added\n- A thing.\n\n"
                   "## [0.1.0] - 2024-01-31\n\n### Fixed\n- Another.\n")
        self.assertEqual(self.check("check_changelog.py"), [])

    def test_unreleased_must_say_something(self):
        self.write("CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n\n## [0.1.0] - 2024-01-31\n\n### Added\n- A thing.\n")
        [line] = self.check("check_changelog.py")
        self.assertIn("CHANGELOG.md:3: Unreleased has no line yet", line)

    def test_shapes_that_are_refused(self):
        self.write("CHANGELOG.md", "# News\n\n## Version 2\n\n### Improved\n- A thing.\n")
        self.assertEqual(len(self.check("check_changelog.py")), 4)


if __name__ == "__main__":
    unittest.main()
