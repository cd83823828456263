"""update-repo-urls.sh: what it changes, what it leaves alone, and that the files say the same to begin with."""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import yaml

import places
import set_repository
from manifests import documents

FORK = "https://git.example.org/team/fork.git"
MANIFEST = """# a comment that stays
apiVersion: argoproj.io/v1alpha1
kind: AppProject
spec:
  sourceRepos:   # and another
  - https://old.example/a.git
  - https://charts.example
---
kind: Application
spec:
  sources:
  - {repoURL: "https://old.example/a.git", path: x, targetRevision: main}
  - repoURL: https://old.example/a.git
    chart: a-chart
    targetRevision: main
  - {repoURL: https://other.example/b.git, targetRevision: main}
  - repoURL: https://old.example/a.git
    targetRevision: v7   # pinned on purpose
  note: https://old.example/a.git
"""
CHANGE = set_repository.Change("https://old.example/a.git", "git@host.example:team/a b.git", "main", "1.10")


def every_source(node) -> list[dict]:
    """Every mapping with a repoURL, wherever it is."""
    if isinstance(node, list):
        return [found for each in node for found in every_source(each)]
    if not isinstance(node, dict):
        return []
    below = [found for each in node.values() for found in every_source(each)]
    return ([node] if "repoURL" in node else []) + below


class Editing(unittest.TestCase):
    def test_sources_and_permissions_change_and_nothing_else(self):
        text = set_repository.changed_text(MANIFEST, CHANGE)
        project, application = yaml.safe_load_all(text)
        self.assertEqual(project["spec"]["sourceRepos"], [CHANGE.new_url, "https://charts.example"])
        self.assertEqual([(each["repoURL"], each["targetRevision"]) for each in application["spec"]["sources"]],
                         [(CHANGE.new_url, "1.10"), ("https://old.example/a.git", "main"), ("https://other.example/b.git", "main"),
                          (CHANGE.new_url, "v7")])
        self.assertEqual(application["spec"]["note"], "https://old.example/a.git")
        for comment in ("# a comment that stays", "# and another", "# pinned on purpose"):
            self.assertIn(comment, text)

    def test_a_revision_that_looks_like_a_number_stays_text(self):
        self.assertIn("targetRevision: '1.10'", set_repository.changed_text(MANIFEST, CHANGE))


class Trees(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="gitops-")
        self.addCleanup(self.folder.cleanup)
        self.deploy = Path(self.folder.name) / "deploy"
        shutil.copytree(places.DEPLOY, self.deploy)

    def call(self, *words: str, script: str = "argocd/update-repo-urls.sh") -> subprocess.CompletedProcess:
        return subprocess.run(["/bin/sh", str(self.deploy / script), *words], text=True, capture_output=True, check=False)

    def texts(self) -> dict[str, str]:
        return {str(path): path.read_text(encoding="utf-8") for path in set_repository.manifests(self.deploy)}

    def sources(self) -> list[dict]:
        return [found for path in set_repository.manifests(self.deploy) for found in every_source(documents(path))]

    def test_all_files_name_the_repositories_of_repository_yaml(self):
        known = yaml.safe_load((self.deploy / "repository.yaml").read_text(encoding="utf-8"))
        urls = {known["project"]["repoURL"], known["kubeflow"]["repoURL"]}
        for source in self.sources():
            self.assertTrue(source["repoURL"] in urls | {""} or "chart" in source, source)

    def test_one_command_moves_everything_to_a_fork(self):
        done = self.call(FORK, "v2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("git.example.com", "".join(self.texts().values()))
        ours = [source for source in self.sources() if source["repoURL"] == FORK]
        self.assertGreater(len(ours), 4)
        self.assertEqual({source.get("targetRevision") for source in ours}, {"v2"})
        projects = [each for path in set_repository.manifests(self.deploy) for each in documents(path)
                    if each.get("kind") == "AppProject" and each["metadata"]["name"].startswith("gpu-")]
        self.assertTrue(all(FORK in each["spec"]["sourceRepos"] for each in projects))

    def test_twice_is_once_and_back_is_as_before(self):
        before = self.texts()
        self.call("git@git.example.org:team/fork.git", "v2")
        after = self.texts()
        self.assertNotEqual(before, after)
        self.assertIn("0 files changed.", self.call("git@git.example.org:team/fork.git", "v2").stdout)
        self.assertEqual(self.texts(), after)
        self.call("https://git.example.com/gpu/gpu-scheduler.git", "main")
        self.assertEqual(self.texts(), before)

    def test_what_is_no_repository_is_refused_and_nothing_changes(self):
        before = self.texts()
        for words in ((), ("--help",), ("not a url",), ("https://github.com/kubeflow/manifests.git",)):
            self.assertNotEqual(self.call(*words).returncode, 0, words)
        self.assertEqual(self.texts(), before)


if __name__ == "__main__":
    unittest.main()
