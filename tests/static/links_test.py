"""Links of the pages to files and headings of this project lead somewhere."""

import re
import unittest
from pathlib import Path

from support import ROOT, TreeTest

LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)")
CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def pages(root: Path) -> list[Path]:
    folders = ("docs", "charts", "deploy", "bench", "tests")
    return sorted([*root.glob("*.md"), *(page for folder in folders for page in (root / folder).rglob("*.md"))])


def anchors(page: Path) -> set[str]:
    """Of its headings, as forges make them."""
    headings = re.findall(r"^#+ (.+)$", CODE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken(page: Path) -> list[str]:
    found = []
    for path, anchor in LINK.findall(CODE.sub("", page.read_text(encoding="utf-8"))):
        target = page.parent / path if path else page
        if not target.exists():
            found.append(f"{page.name}: {path} is not there")
        elif anchor and anchor not in anchors(target):
            found.append(f"{page.name}: {target.name} has no heading #{anchor}")
    return found


class Links(TreeTest):
    def test_all_of_the_project_lead_somewhere(self):
        found = pages(ROOT)
        self.assertGreater(len(found), 30)
        self.assertEqual([each for page in found for each in broken(page)], [])

    def test_those_that_lead_nowhere_are_named(self):
        self.write("docs/b.md", "# First: `--one`\n")
        page = self.write("docs/a.md", "[x](b.md#first---one) [y](c.md) [z](b.md#second) [w](#a) [v](https://example.com/none)\n")
        self.assertEqual(broken(page), ["a.md: c.md is not there", "a.md: b.md has no heading #second",
                                        "a.md: a.md has no heading #a"])


if __name__ == "__main__":
    unittest.main()
