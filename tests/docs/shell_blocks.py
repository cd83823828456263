"""The ```sh blocks of a page, in order, run as a reader would type them.

An ```output block after one says what it prints: … stands for any text in a line, and alone on a line for any lines; how many
blanks there are does not matter. `<!-- not run here: reason -->` above a block leaves it out.
"""

import os
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# What the commands of the pages name.
FOLDERS = ("charts", "deploy", "docs", "examples", "hack")
PART = re.compile(r"^#+ (?P<heading>[^\n]*)$"
                  r"|^(?P<left_out><!-- not run here: [^\n]* -->\n)?```sh\n(?P<text>.*?)^```\n(?:```output\n(?P<output>.*?)^```)?",
                  re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    heading: str
    text: str
    output: str | None
    is_left_out: bool


def blocks_of(page: str) -> list[Block]:
    found, heading = [], ""
    for part in PART.finditer(page):
        if part["text"] is None:
            heading = part["heading"]
        else:
            found.append(Block(heading, part["text"], part["output"], part["left_out"] is not None))
    return found


def pattern(expected: str) -> str:
    lines = []
    for line in expected.splitlines():
        words = r"[ \t]+".join(".*".join(re.escape(piece) for piece in word.split("…")) for word in line.split())
        lines.append(r"(?:.*\n)*" if line.strip() == "…" else rf"[ \t]*{words}[ \t]*\n")
    return "".join(lines)


def is_printed(expected: str, printed: str) -> bool:
    return re.fullmatch(pattern(expected), printed if printed.endswith("\n") else printed + "\n") is not None


class Shell:
    """Runs blocks in a folder that looks like the root of the project and may be written into."""

    def __init__(self, **environment: str):
        self.home = tempfile.TemporaryDirectory(prefix="docs-")
        self.folder = Path(self.home.name)
        for name in FOLDERS:
            (self.folder / name).symlink_to(ROOT / name)
        self.environment = os.environ | environment

    def close(self) -> None:
        self.home.cleanup()

    def run(self, text: str) -> subprocess.CompletedProcess:
        return subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=self.folder, env=self.environment, check=False,
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def follow(self, block: Block) -> str:
        """Runs a block; what is wrong with how that went, or nothing."""
        done = self.run(block.text)
        if done.returncode != 0:
            return f"{block.heading}: ended with {done.returncode}:\n{block.text}\n{done.stdout}{done.stderr}"
        if block.output is not None and not is_printed(block.output, done.stdout):
            return f"{block.heading}: printed\n{done.stdout}\nand not\n{block.output}"
        return ""
