"""tools/unity_groups.py must keep files apart where a private name of one is written in the other, and only there."""

import re
import sys
import unittest

from support import ROOT, TreeTest, run

FIRST = """namespace gs {
namespace {
constexpr int kLimit = 3;
int Half(int n) { int inside = n / 2; return inside; }
}  // namespace
}  // namespace gs
"""


class Groups(TreeTest):
    def groups(self, *texts: str) -> list[int]:
        """The groups of files with these texts, in this order."""
        for number, text in enumerate(texts):
            self.write(f"src/core/{number}.cc", text)
        output = self.tree / "groups.cmake"
        done = run([sys.executable, str(ROOT / "tools" / "unity_groups.py"), str(output), str(self.tree)])
        self.assertEqual(done.returncode, 0, done.stdout)
        found = re.findall(r"set\(GS_UNITY_GROUP_src/core/\d+\.cc (\d+)\)", output.read_text(encoding="utf-8"))
        return [int(number) for number in found]

    def test_files_without_a_private_name_in_common_stand_together(self):
        self.assertEqual(self.groups(FIRST, "namespace gs { int Twice(int n) { return 2 * n; } }"), [0, 0])

    def test_the_same_helper_in_two_files_sets_them_apart(self):
        self.assertEqual(self.groups(FIRST, "namespace gs { namespace { int Half(int n) { return n; } } }"), [0, 1])

    def test_a_private_name_that_the_other_file_only_uses_sets_them_apart(self):
        self.assertEqual(self.groups(FIRST, "int Use() { return gs::kLimit; }"), [0, 1])

    def test_the_order_does_not_matter(self):
        self.assertEqual(self.groups("int Use() { return gs::kLimit; }", FIRST), [0, 1])

    def test_local_names_are_not_private_names(self):
        self.assertEqual(self.groups(FIRST, "int inside = 1;"), [0, 0])

    def test_names_in_comments_and_literals_do_not_count(self):
        self.assertEqual(self.groups(FIRST, '// Half of kLimit\nconst char* text = "Half";'), [0, 0])

    def test_types_enumerators_static_functions_macros_and_matchers_are_private_names(self):
        for text in ("namespace { struct Half : Base { int a; }; }", "namespace { enum Part { Half, Whole }; }",
                     "static int Half(int n) { return n; }", "#define Half 2",
                     "namespace { MATCHER_P(Half, n, \"\") { return true; } }",
                     "namespace { using Half = int; }", "namespace { const std::vector<int> Half{1, 2}; }"):
            with self.subTest(text):
                self.assertEqual(self.groups(text, "int Use() { return Half; }"), [0, 1])

    def test_the_same_using_declaration_may_stand_in_both(self):
        using = "namespace { using testing::ElementsAre; }"
        self.assertEqual(self.groups(using, using, "namespace { using other::ElementsAre; }"), [0, 0, 1])

    def test_a_using_directive_keeps_a_file_alone(self):
        self.assertEqual(self.groups("using namespace gs;", "int a;"), [0, 1])

    def test_a_private_name_that_a_header_of_the_other_declares_sets_them_apart(self):
        self.write("src/core/half.h", "namespace gs { int Half(int n); }")
        self.assertEqual(self.groups(FIRST, '#include "core/half.h"\nint a;'), [0, 1])
        self.assertEqual(self.groups('#include "core/half.h"\n' + FIRST, '#include "core/half.h"\nint a;'), [0, 0])

    def test_a_file_that_changes_is_read_again(self):
        self.assertEqual(self.groups(FIRST, "int a;"), [0, 0])
        self.assertEqual(self.groups(FIRST, "int Use() { return Half(1); }"), [0, 1])

    def test_a_third_file_joins_whichever_group_it_fits(self):
        self.assertEqual(self.groups(FIRST, "int Use() { return Half(2); }", "int Half(int n);", "int other;"), [0, 1, 1, 0])


if __name__ == "__main__":
    unittest.main()
