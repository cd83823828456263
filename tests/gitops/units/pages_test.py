"""Commands that the pages about Argo CD and Kubeflow show: files, scripts and make targets that they name are there."""

import re
import unittest
from pathlib import Path

import places

BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGES = {places.ARGOCD / "README.md": places.ARGOCD, places.KUBEFLOW / "README.md": places.KUBEFLOW,
         places.ROOT / "docs" / "gitops.md": places.ARGOCD, places.ROOT / "docs" / "kubeflow.md": places.KUBEFLOW}


def make_targets(folder: Path = places.KUBEFLOW) -> set[str]:
    text = (folder / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z-]+):", text, re.MULTILINE))


class Pages(unittest.TestCase):
    def test_what_commands_name_is_there(self):
        count = 0
        for page, folder in PAGES.items():
            for line in "\n".join(BLOCK.findall(page.read_text(encoding="utf-8"))).splitlines():
                count += 1
                for name in re.findall(r"(?:-f |^\./)([\w./-]+\.(?:yaml|sh))", line):
                    self.assertTrue((folder / name).exists(), f"{page.name}: {line}")
                if line.startswith("make "):
                    self.assertIn(line.split()[1], make_targets(), f"{page.name}: {line}")
        self.assertGreater(count, 15, "no commands found: the pages have moved")

    def test_make_targets_in_the_text_are_there(self):
        for page in PAGES:
            for target in re.findall(r"`make ([a-z-]+)", page.read_text(encoding="utf-8")):
                self.assertIn(target, make_targets() | make_targets(places.ROOT), page.name)

    def test_files_in_tables_and_links_are_there(self):
        for page in PAGES:
            text = page.read_text(encoding="utf-8")
            for link in re.findall(r"\]\(([^)#]+)\)", text):
                self.assertTrue(link.startswith("http") or (page.parent / link).exists(), f"{page.name}: {link}")


if __name__ == "__main__":
    unittest.main()
