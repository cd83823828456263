"""tools/check_includes.py must find what a file uses and no header it reaches declares, and nothing else."""

import unittest

from support import TreeTest

POD_H = """#pragma once
#include <string>
namespace gs::model {
enum class Phase { kWaiting };
struct Pod {
  std::string name;
};
using Pods = Pod*;
inline constexpr int kMostPods = 3;
template <class T>
[[nodiscard]] bool HasRoom(const Pod& pod, T room);
}  // namespace gs::model
"""


class CheckIncludes(TreeTest):
    def setUp(self):
        super().setUp()
        self.write("src/core/model/pod.h", POD_H)

    def findings(self, text: str, path: str = "src/core/cache/cache.cc") -> list[str]:
        """What the check says about this file: line and sentence."""
        self.write(path, text)
        return [line.removeprefix(f"{path}:") for line in self.check("check_includes.py")]

    def in_cache(self, text: str, include: str = "") -> list[str]:
        return self.findings(f"{include}\nnamespace gs::cache {{\n{text}\n}}  // namespace gs::cache\n")


class StandardLibrary(CheckIncludes):
    def test_a_name_needs_its_header(self):
        self.assertEqual(self.findings("#include <string>\nstd::vector<std::string> names;\n"),
                         ["2: std::vector needs <vector>"])

    def test_the_header_may_be_reached_through_one_of_the_project(self):
        self.write("src/core/cache/cache.h", '#pragma once\n#include "core/model/pod.h"\n')
        self.assertEqual(self.findings('#include "core/cache/cache.h"\nstd::string name;\n'), [])

    def test_a_header_needs_its_own_includes(self):
        self.assertEqual(self.findings("#pragma once\nstd::int64_t F();\n", "src/base/f.h"), ["2: std::int64_t needs <cstdint>"])

    def test_any_header_that_declares_the_name_will_do(self):
        for header in ("cstddef", "cstring", "cstdlib"):
            self.assertEqual(self.findings(f"#include <{header}>\nstd::size_t count;\n"), [])

    def test_inner_namespaces_and_aliases_of_them(self):
        self.assertEqual(self.findings("namespace fs = std::filesystem;\nusing std::chrono::seconds;\n"),
                         ["1: std::filesystem needs <filesystem>", "2: std::chrono needs <chrono>"])

    def test_macros_are_names_as_well(self):
        self.assertEqual(self.findings("int F() { return errno; }\n"), ["1: errno needs <cerrno>"])

    def test_a_declared_stream_can_be_passed_on_but_not_used(self):
        self.assertEqual(self.findings("#include <iosfwd>\nvoid F(std::ostream& out);\n"), [])
        self.assertEqual(self.findings("#include <iosfwd>\nvoid F(std::ostream& out) { out << 1; }\n"),
                         ["2: a std::ostream that is used needs <ostream>"])

    def test_a_name_that_the_table_does_not_know_is_said(self):
        self.assertEqual(self.findings("std::surprise now;\n"),
                         ["1: std::surprise is not in tools/standard_headers.py: add it there"])

    def test_comments_and_literals_use_nothing(self):
        self.assertEqual(self.findings('// std::vector\nconst char* text = "std::map";\n/* #include <map> */\n'), [])

    def test_an_include_in_a_comment_is_none(self):
        self.assertEqual(len(self.findings("/*\n#include <map>\n*/\nstd::map<int, int> ages;\n")), 1)


class OtherLibraries(CheckIncludes):
    def test_a_namespace_needs_a_header_of_its_library(self):
        self.assertEqual(self.findings("CLI::App* app;\n"), ["1: CLI::App needs a header <CLI/...>"])
        self.assertEqual(self.findings("#include <CLI/CLI.hpp>\nCLI::App* app;\n"), [])

    def test_a_namespace_by_its_alias(self):
        includes = "#include <boost/json/value.hpp>\n"
        self.assertEqual(self.findings(includes + "namespace json = boost::json;\nauto F() { return json::parse(0); }\n"),
                         ["3: boost::json::parse needs <boost/json/parse.hpp>"])

    def test_a_source_file_uses_more_than_the_forward_declaration(self):
        text = "#include <boost/json/fwd.hpp>\nint F(const boost::json::value& value);\n"
        self.assertEqual(self.findings(text, "src/core/f.h"), [])
        self.assertEqual(len(self.check("check_includes.py")), 0)
        self.assertEqual(len(self.findings(text)), 1)

    def test_what_the_file_declares_forward_itself(self):
        self.assertEqual(self.findings("namespace CLI {\nclass App;\n}\nvoid F(CLI::App& app);\n"), [])

    def test_matchers_need_googlemock(self):
        self.assertEqual(self.findings("#include <gtest/gtest.h>\nTEST(A, B) { EXPECT_EQ(1, 2); }\nusing ::testing::HasSubstr;\n"),
                         ["3: ::testing::HasSubstr needs <gmock/gmock.h>"])
        self.assertEqual(self.findings("TEST(A, B) {}\n"), ["1: TEST needs <gtest/gtest.h>"])


class Project(CheckIncludes):
    def test_an_include_that_is_removed_is_missed(self):
        text = '#include "core/model/pod.h"\nnamespace gs::cache {\nint F(const model::Pod& pod);\n}\n'
        self.assertEqual(self.findings(text), [])
        self.assertEqual(self.findings(text.replace('#include "core/model/pod.h"', "")),
                         ['3: model::Pod needs "core/model/pod.h"'])

    def test_all_kinds_of_names(self):
        for use in ("gs::model::Phase phase;", "model::Pods pods;", "int most = model::kMostPods;",
                    "bool room = model::HasRoom(1, 2);", "auto phase = ::gs::model::Phase::kWaiting;"):
            with self.subTest(use):
                self.assertEqual(len(self.in_cache(use)), 1)
                self.assertEqual(self.in_cache(use, '#include "core/model/pod.h"'), [])

    def test_a_name_without_its_namespace(self):
        text = "namespace gs::model {\nint F(const Pod& pod);\n}\n"
        self.assertEqual(self.findings(text), ['2: Pod needs "core/model/pod.h"'])
        self.assertEqual(self.findings(text.replace("gs::model", "gs::cache")), [])

    def test_macros_of_the_project(self):
        self.write("src/base/check.h", "#pragma once\n#define GS_CHECK(condition) do {} while (false)\n")
        self.assertEqual(self.in_cache("void F() { GS_CHECK(true); }"), ['3: GS_CHECK needs "base/check.h"'])

    def test_a_forward_declaration_of_the_file_is_enough_and_that_of_a_header_is_not(self):
        forward = "namespace gs::model {\nstruct Pod;\n}\n"
        self.assertEqual(self.findings(forward + "int F(gs::model::Pod& pod);\n"), [])
        self.write("src/core/cache/cache.h", "#pragma once\n" + forward)
        self.assertEqual(len(self.findings('#include "core/cache/cache.h"\nint F(gs::model::Pod& pod);\n')), 1)

    def test_names_of_others_with_the_same_text(self):
        for text in ("struct Pod {};\nPod pod;", "struct A {\n  int HasRoom(int b);\n  int F() { return HasRoom(1); }\n};",
                     "enum class B { kMostPods };", "template <class Pod>\nvoid F(Pod pod);",
                     "int a = b.HasRoom(1) + b->HasRoom(2);", "using other::Pod;\nPod pod;", "auto a = B::Pod();"):
            with self.subTest(text):
                self.assertEqual(self.findings(f"namespace gs::model {{\n{text}\n}}\n"), [])

    def test_names_of_tests_are_words(self):
        self.assertEqual(self.findings("#include <gtest/gtest.h>\nnamespace gs::model {\nTEST(Pod, HasRoom) {}\n}\n"), [])

    def test_an_alias_of_a_namespace(self):
        self.assertEqual(self.in_cache("namespace m = model;\nm::Pod pod;"), ['4: m::Pod needs "core/model/pod.h"'])

    def test_either_of_two_headers_that_declare_it(self):
        self.write("src/core/model/more.h", "#pragma once\nnamespace gs::model {\nbool HasRoom(int a);\n}\n")
        self.assertEqual(self.in_cache("bool room = model::HasRoom(1);", '#include "core/model/more.h"'), [])
        self.assertEqual(self.in_cache("bool room = model::HasRoom(1);"),
                         ['3: model::HasRoom needs "core/model/more.h" or "core/model/pod.h"'])

    def test_tests_and_benchmarks_are_checked_as_well(self):
        for path in ("tests/deep/a.cc", "bench/a.cc"):
            self.assertEqual(len(self.findings("gs::model::Pod pod;\n", path)), 1)
            (self.tree / path).unlink()

    def test_a_header_beside_the_file_and_one_in_the_search_of_its_target(self):
        self.write("bench/client/load.h", "#pragma once\nnamespace gs::bench {\nvoid Load();\n}\n")
        for path, include in {"bench/client/a.cc": "load.h", "bench/cluster/b.cc": "load.h",
                              "bench/cluster/c.cc": "bench/client/load.h", "bench/cluster/d.cc": "../client/load.h"}.items():
            self.assertEqual(self.findings(f'#include "{include}"\nvoid F() {{ gs::bench::Load(); }}\n', path), [])


del CheckIncludes  # it holds no tests itself

if __name__ == "__main__":
    unittest.main()
