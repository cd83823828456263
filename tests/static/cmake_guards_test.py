"""The helpers in cmake/ must stop the configure when a library points upwards, and a test program without tests."""

import shutil
import unittest

from support import ROOT, TreeTest, run

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(tiny NONE)
set(GS_BUILD_TESTS OFF)
list(APPEND CMAKE_MODULE_PATH ${CMAKE_SOURCE_DIR}/cmake)
include(gs_options)
include(gs_targets)
gs_library(NAME base LAYER base)
"""


class Layers(TreeTest):
    def configure(self, libraries: str):
        """Configures a tiny project with these libraries; exit code and output with the line breaks taken out."""
        shutil.copytree(ROOT / "cmake", self.tree / "cmake")
        self.write("CMakeLists.txt", PROJECT + libraries)
        done = run(["cmake", "-G", "Ninja", "-S", str(self.tree), "-B", str(self.tree / "build")])
        return done.returncode, " ".join(done.stdout.split())

    def test_core_must_not_depend_on_adapters(self):
        code, said = self.configure("gs_library(NAME kube LAYER adapters DEPS base)\n"
                                    "gs_library(NAME cache LAYER core DEPS base kube)\n")
        self.assertNotEqual(code, 0)
        self.assertIn("gs::cache (core) must not depend on gs::kube (adapters)", said)

    def test_a_ring_cannot_be_written(self):
        code, said = self.configure("gs_library(NAME cache LAYER core DEPS pending)\n"
                                    "gs_library(NAME pending LAYER core DEPS cache)\n")
        self.assertNotEqual(code, 0)
        self.assertIn("gs::cache depends on gs::pending, which is not declared before it", said)

    def test_an_unknown_layer_is_refused(self):
        code, said = self.configure("gs_library(NAME cache LAYER kernel DEPS base)\n")
        self.assertNotEqual(code, 0)
        self.assertIn("'kernel' is no layer", said)

    def test_downwards_is_fine(self):
        code, said = self.configure("gs_library(NAME cache LAYER core DEPS base)\n"
                                    "gs_library(NAME kube LAYER adapters DEPS base cache)\n")
        self.assertEqual(code, 0, said)


class HasTests(TreeTest):
    def link(self, listing: str):
        """What happens after linking a test program that lists these tests."""
        program = self.write("program", f"#!/bin/sh\nprintf '{listing}'\n", mode=0o755)
        return run(["cmake", f"-DTEST_PROGRAM={program}", "-P", str(ROOT / "cmake" / "gs_has_tests.cmake")])

    def test_a_program_without_tests_stops_the_build(self):
        for listing in ["", "Running main() from gtest_main.cc\\n", "Suite.\\n"]:
            with self.subTest(listing):
                done = self.link(listing)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("holds no test", " ".join(done.stdout.split()))

    def test_one_test_is_enough(self):
        self.assertEqual(self.link("Running main()\\nSuite.\\n  Test\\n").returncode, 0)


if __name__ == "__main__":
    unittest.main()
