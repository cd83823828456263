"""Runs the commands in the ```console blocks of the documentation and compares what they print.

Usage: console_blocks_test.py <folder with the programs>
"""
import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
PROGRAMS = ""


def steps_of(block):
    """Pairs of a command line and the text that must follow it."""
    steps = []
    for line in block.splitlines():
        if line.startswith("$ "):
            steps.append((line[2:], []))
        elif steps:
            steps[-1][1].append(line)
    return [(command, "\n".join(lines).strip()) for command, lines in steps]


def run(commands):
    """The output of each command, all in one shell, so that `echo $?` works."""
    marker = "-----next-----"
    script = "\n".join(f"{command}\nlast=$?; echo {marker}; (exit $last)" for command in commands)
    environment = dict(os.environ, PATH=PROGRAMS + os.pathsep + os.environ["PATH"])
    done = subprocess.run(["bash", "-c", script], cwd=ROOT, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return [part.strip() for part in done.stdout.split(marker)][: len(commands)]


class ConsoleBlocks(unittest.TestCase):
    def test_documentation_shows_what_the_programs_print(self):
        count = 0
        for page in sorted(ROOT.glob("docs/*.md")) + [ROOT / "README.md"]:
            for block in BLOCK.findall(page.read_text()):
                steps = steps_of(block)
                outputs = run([command for command, _ in steps])
                for (command, expected), output in zip(steps, outputs):
                    with self.subTest(page=page.name, command=command):
                        self.assertEqual(output, expected)
                    count += 1
        self.assertGreater(count, 0, "no console block found: the documentation has moved")


if __name__ == "__main__":
    PROGRAMS = sys.argv.pop(1)
    unittest.main()
