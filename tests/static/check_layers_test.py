"""tools/check_layers.py must refuse includes that point upwards or sideways, and nothing else."""

import unittest

from support import TreeTest


class CheckLayers(TreeTest):
    def test_core_must_not_include_adapters(self):
        self.write("src/core/model/claim.h", '#pragma once\n#include "adapters/json/parse.h"\n')
        [line] = self.check("check_layers.py")
        self.assertTrue(line.startswith("src/core/model/claim.h:2: core must not include from adapters"), line)

    def test_a_test_beside_core_must_not_either(self):
        self.write("src/core/model/claim_test.cc", '#include "programs/local/wiring.h"\n')
        self.assertEqual(len(self.check("check_layers.py")), 1)

    def test_neighbours_in_core_do_not_know_each_other(self):
        self.write("src/core/cache/cache.cc", '#include "core/pending/queue.h"\n')
        [line] = self.check("check_layers.py")
        self.assertIn("cache must not include from pending: it may use base, model", line)

    def test_an_adapter_uses_only_the_adapters_of_its_line(self):
        self.write("src/adapters/json/parse.cc", '#include "adapters/http/client.h"\n')
        self.assertEqual(len(self.check("check_layers.py")), 1)

    def test_only_local_includes_other_programs(self):
        self.write("src/programs/agent/wiring.cc", '#include "programs/webhook/wiring.h"\n')
        self.write("src/programs/local/wiring.cc", '#include "programs/webhook/wiring.h"\n')
        [line] = self.check("check_layers.py")
        self.assertIn("src/programs/agent/wiring.cc:1:", line)

    def test_a_library_without_a_line_may_use_nothing_beside_it(self):
        self.write("src/core/surprise/surprise.cc", '#include "core/model/claim.h"\n')
        [line] = self.check("check_layers.py")
        self.assertIn("has no line in tools/check_layers.py", line)

    def test_project_headers_are_included_by_full_path(self):
        self.write("src/base/text.cc", '#include "text.h"\n')
        [line] = self.check("check_layers.py")
        self.assertIn("by their full path from src/", line)

    def test_only_tests_use_test_support(self):
        self.write("src/core/model/claim.cc", '#include "tests/support/machines.h"\n')
        self.write("src/core/model/claim_test.cc", '#include "tests/support/machines.h"\n')
        [line] = self.check("check_layers.py")
        self.assertIn("src/core/model/claim.cc:1:", line)

    def test_everything_that_points_down_is_fine(self):
        self.write("src/base/text.cc", '#include "base/text.h"\n#include <string>\n')
        self.write("src/core/decide/devices/choose.cc", '#include "core/model/claim.h"\n#include "base/ids.h"\n')
        self.write("src/core/decide/filter/filter.cc", '#include "core/decide/devices/choose.h"\n')
        self.write("src/core/decide/decide.cc", '#include "core/decide/filter/filter.h"\n')
        self.write("src/core/decide/devices/choose_test.cc", '#include "core/cache/cache.h"\n')
        self.write("src/adapters/yaml/parse.cc", '#include "adapters/json/value.h"\n#include "core/model/claim.h"\n')
        self.write("src/programs/agent/main.cc", '// #include "programs/local/x.h"\n#include "adapters/gpu/machine.h"\n')
        self.assertEqual(self.check("check_layers.py"), [])


if __name__ == "__main__":
    unittest.main()
