"""tools/check_purity.py must refuse what touches the world in base and core, and leave the rest alone."""

import unittest

from support import TreeTest


class CheckPurity(TreeTest):
    def test_core_must_not_include_thread(self):
        self.write("src/core/cache/cache.cc", "// a cache\n#include <thread>\n")
        [line] = self.check("check_purity.py")
        self.assertTrue(line.startswith("src/core/cache/cache.cc:2: '#include <thread>' is not allowed"), line)
        self.assertIn("adapters/runtime", line)

    def test_each_rule_is_refused(self):
        for text in ["#include <mutex>", "#  include <fstream>", "#include <sys/socket.h>", "#include <boost/json.hpp>",
                     "auto t = std::chrono::system_clock::now();", "auto t = Clock::now();", 'std::getenv("X");',
                     "std::random_device seed;", "auto t = time(nullptr);", "if (bad) throw 1;"]:
            with self.subTest(text):
                self.write("src/base/x.cc", text + "\n")
                [line] = self.check("check_purity.py")
                self.assertTrue(line.startswith("src/base/x.cc:1: "), line)

    def test_comments_and_literals_are_no_code(self):
        self.write("src/base/x.cc", '// never throw, no ::now(\n/* #include <thread>\n throw */\n'
                   'const char* a = "throw";\nconst char* b = R"x(\nthrow ")x";\nint c = 1\'000; char d = \'"\';\n')
        self.assertEqual(self.check("check_purity.py"), [])

    def test_what_follows_a_literal_is_code_again(self):
        self.write("src/base/x.cc", 'f("a \\" b"); throw 1;\nint n = 1\'000\'000; throw 2;\n')
        self.assertEqual([line.split(": ")[0] for line in self.check("check_purity.py")],
                         ["src/base/x.cc:1", "src/base/x.cc:2"])

    def test_tests_fuzzers_benchmarks_and_adapters_are_exempt(self):
        for path in ["src/core/a_test.cc", "src/core/a_fuzz.cc", "src/core/a_bench.cc", "src/adapters/runtime/pool.cc"]:
            self.write(path, "#include <thread>\n")
        self.assertEqual(self.check("check_purity.py"), [])

    def test_shared_text_may_count_its_owners_and_no_more(self):
        self.write("src/base/shared_text.h", "#include <atomic>\n#include <mutex>\n")
        self.write("src/base/other.h", "#include <atomic>\n")
        self.assertEqual([line.split(": ")[0] for line in self.check("check_purity.py")],
                         ["src/base/other.h:1", "src/base/shared_text.h:2"])

    def test_durations_and_generators_are_pure(self):
        self.write("src/core/x.cc", "#include <chrono>\n#include <random>\nstd::mt19937 g{seed};\nruntime(0); rethrown();\n")
        self.assertEqual(self.check("check_purity.py"), [])


if __name__ == "__main__":
    unittest.main()
