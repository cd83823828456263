"""Blocks are found where they are, and outputs are told apart."""

import unittest

from shell_blocks import Block, Shell, blocks_of, is_printed

PAGE = """# Page
```sh
echo a
```
text
## Part
```sh
echo b
```
```output
b
```
<!-- not run here: needs the moon -->
```sh
fly
```
```yaml
not: run
```
"""


class Blocks(unittest.TestCase):
    def test_are_found_in_order_with_what_they_print(self):
        self.assertEqual(blocks_of(PAGE), [Block("Page", "echo a\n", None, False), Block("Part", "echo b\n", "b\n", False),
                                           Block("Part", "fly\n", None, True)])


class Outputs(unittest.TestCase):
    def test_may_leave_text_and_lines_open(self):
        self.assertTrue(is_printed("a  b\n", "a b"))
        self.assertTrue(is_printed("x=…\n", "x=12 3\n"))
        self.assertTrue(is_printed("…\nlast\n", "one\ntwo\nlast\n"))
        self.assertTrue(is_printed("…\nlast\n", "last\n"))

    def test_that_differ_are_told(self):
        for expected, printed in (("a\n", "b\n"), ("a\n", "a\nb\n"), ("x=…\n", "y=1\n"), ("…\nlast\n", "last\nmore\n"),
                                  ("a.b\n", "axb\n")):
            self.assertFalse(is_printed(expected, printed), expected)


class Following(unittest.TestCase):
    def setUp(self):
        self.shell = Shell(WORD="hello")
        self.addCleanup(self.shell.close)

    def test_a_block_runs_at_the_root_of_the_project(self):
        self.assertEqual(self.shell.follow(Block("x", "ls charts/gpu-scheduler/Chart.yaml; echo $WORD > file; cat file\n",
                                                 "charts/gpu-scheduler/Chart.yaml\nhello\n", False)), "")

    def test_a_command_that_fails_and_an_output_that_differs_are_told(self):
        self.assertIn("ended with 1", self.shell.follow(Block("x", "false | cat\n", None, False)))
        self.assertIn("and not", self.shell.follow(Block("x", "echo b\n", "a\n", False)))


if __name__ == "__main__":
    unittest.main()
