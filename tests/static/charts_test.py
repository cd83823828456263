"""The tables of values in the charts' READMEs are current, and the certificate scripts make the same certificates."""

import sys
import unittest

from support import ROOT, TreeTest, run

VALUES = """# About the file.

image:
  # Where it is.
  tag: latest

# A group.
webhook:
  enabled: true  # not about the value
  tolerations:
  - key: a
    operator: Exists
  # With | in it.
  labels: {}
"""
README = "before\n<!-- values: written by tools/chart_readme.py -->\n<!-- end of values -->\nafter\n"


class ChartReadme(TreeTest):
    def readme(self, *words: str, root=ROOT):
        return run([sys.executable, str(ROOT / "tools" / "chart_readme.py"), *words, str(root)])

    def test_the_tables_of_the_charts_are_current(self):
        done = self.readme("--check")
        self.assertEqual((done.stdout, done.returncode), ("", 0))

    def test_a_table_has_a_row_per_value_with_its_comment(self):
        self.write("charts/a/values.yaml", VALUES)
        file = self.write("charts/a/README.md", README)
        self.assertEqual(self.readme(root=self.tree).returncode, 0)
        rows = file.read_text(encoding="utf-8").splitlines()
        self.assertEqual(rows[4:-2], ['| `image.tag` | `"latest"` | Where it is. |', "| `webhook` |  | A group. |",
                                      "| `webhook.enabled` | `true` |  |",
                                      '| `webhook.tolerations` | `[{"key": "a", "operator": "Exists"}]` |  |',
                                      "| `webhook.labels` | `{}` | With \\| in it. |"])
        self.assertEqual((rows[0], rows[-1]), ("before", "after"))

    def test_a_table_that_is_out_of_date_is_named(self):
        values = self.write("charts/a/values.yaml", VALUES)
        self.write("charts/a/README.md", README)
        self.assertEqual(self.readme(root=self.tree).returncode, 0)
        self.assertEqual(self.readme("--check", root=self.tree).stdout, "")
        values.write_text(VALUES.replace("latest", "v1"), encoding="utf-8")
        done = self.readme("--check", root=self.tree)
        self.assertEqual(done.returncode, 1)
        self.assertIn("charts/a/README.md:1: the table is not that of values.yaml", done.stdout)

    def test_a_readme_without_a_place_for_the_table_is_named(self):
        self.write("charts/a/values.yaml", VALUES)
        self.write("charts/a/README.md", "nothing\n")
        self.assertIn("charts/a/README.md:1: has no lines", self.readme("--check", root=self.tree).stdout)


class CertificateScripts(unittest.TestCase):
    """Guides name both. One of them must work when it is piped into a shell, so that one is the file."""

    def test_both_names_are_one_script(self):
        link = ROOT / "hack" / "generate-webhook-certs.sh"
        self.assertTrue(link.is_symlink())
        self.assertEqual(link.resolve(), ROOT / "hack" / "gen-webhook-certs.sh")
        self.assertFalse((ROOT / "hack" / "gen-webhook-certs.sh").is_symlink())


if __name__ == "__main__":
    unittest.main()
