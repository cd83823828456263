"""What the conformance cases compare with must be able to disagree."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "conformance"))

from match import look_up, matches  # noqa: E402  found only now
from normalise import normalise  # noqa: E402


class Match(unittest.TestCase):
    def test_an_object_may_have_more_and_not_less(self):
        self.assertTrue(matches({"a": 1, "b": 2}, {"a": 1}))
        self.assertFalse(matches({"b": 2}, {"a": 1}))
        self.assertFalse(matches({"a": 2}, {"a": 1}))
        self.assertFalse(matches({"a": 1}, {"a": "<absent>"}))

    def test_a_list_has_as_many_or_at_least_these(self):
        self.assertFalse(matches([1, 2], [1]))
        self.assertTrue(matches([{"n": 1}, {"n": 2}], ["<has>", {"n": 2}]))
        self.assertFalse(matches([{"n": 1}], ["<has>", {"n": 2}]))

    def test_words_stand_for_what_differs(self):
        self.assertTrue(matches("17", "<number>"))
        self.assertFalse(matches("x17", "<number>"))
        self.assertTrue(matches("s-4kd7z", "<re: s-[a-z0-9]{5}>"))
        self.assertFalse(matches("s-4k", "<re: s-[a-z0-9]{5}>"))
        self.assertFalse(matches(True, 1))

    def test_paths_reach_into_lists_and_names_with_dots(self):
        self.assertEqual(look_up({"a": [{"b.c/d": 5}]}, "a.0['b.c/d']"), 5)


class Normalise(unittest.TestCase):
    def test_what_differs_from_run_to_run_is_named(self):
        printed = ("NAME              READY   AGE\nweb-7c5d9f6b4-x2v7k  0/1     3m5s\n"
                   "  uid: 01234567-89ab-cdef-0123-456789abcdef  \n")
        self.assertEqual(normalise(printed, "case-1"), "NAME  READY  AGE\nweb-<random>  0/1  <age>\n  uid: <uid>\n")


if __name__ == "__main__":
    unittest.main()
