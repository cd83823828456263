"""deploy/argocd without a cluster: what the parent makes, how it syncs, and what validate-applicationset.sh finds."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import yaml

import places
from helm import HELM4
from manifests import documents, the_only, wave_of

APPS = places.ARGOCD / "apps"
SOURCE = ("--set", "source.repoURL=https://git.example.com/a.git", "--set", "source.targetRevision=abc123")
CHILD_OPTIONS = {"CreateNamespace=true", "PrunePropagationPolicy=foreground", "ApplyOutOfSyncOnly=true", "ServerSideApply=true"}
SETS = {"complete": "gpu-scheduler-complete", "scheduler": "gpu-scheduler", "check": "gpu-scheduler-check"}


def template_of(name: str) -> dict:
    return the_only(places.ARGOCD / f"{name}-applicationset.yaml")["spec"]["template"]


class Parent(unittest.TestCase):
    """With Helm 4, which Argo CD calls."""

    def children(self, *words: str) -> dict[str, dict]:
        text = HELM4("template", "a", str(APPS), "--namespace=argocd", *SOURCE, *words).stdout
        return {each["metadata"]["name"]: each for each in yaml.safe_load_all(text) if each}

    def test_lint_finds_nothing(self):
        self.assertIn("0 chart(s) failed", HELM4("lint", "--strict", str(APPS), *SOURCE).stdout)

    def test_the_order_is_crds_then_scheduler_then_check(self):
        waves = {name: wave_of(each) for name, each in self.children().items()}
        self.assertEqual(waves, {"gpu-scheduler-crds": 0, "gpu-scheduler": 1, "gpu-scheduler-check": 2})

    def test_children_come_from_the_parents_commit_and_go_to_their_namespaces(self):
        children = self.children("--set", "cluster.server=https://east.example", "--set", "cluster.prefix=east-")
        self.assertEqual(set(children), {"east-gpu-scheduler-crds", "east-gpu-scheduler", "east-gpu-scheduler-check"})
        for child in children.values():
            self.assertEqual(child["metadata"]["namespace"], "argocd")
            self.assertEqual(child["metadata"]["finalizers"], ["resources-finalizer.argocd.argoproj.io"])
            source, policy = child["spec"]["source"], child["spec"]["syncPolicy"]
            self.assertEqual((source["repoURL"], source["targetRevision"]), ("https://git.example.com/a.git", "abc123"))
            self.assertTrue((places.ROOT / source["path"]).is_dir(), source["path"])
            self.assertEqual(child["spec"]["destination"]["server"], "https://east.example")
            self.assertEqual(policy["automated"], {"prune": True, "selfHeal": True, "allowEmpty": False})
            self.assertLessEqual(CHILD_OPTIONS, set(policy["syncOptions"]))
            self.assertEqual(policy["retry"]["limit"], -1)
            self.assertEqual(child["spec"]["revisionHistoryLimit"], 3)
        self.assertEqual(children["east-gpu-scheduler"]["spec"]["destination"]["namespace"], "gpu-scheduler-system")
        self.assertEqual(children["east-gpu-scheduler-check"]["spec"]["destination"]["namespace"], "gpu-scheduler-tests")

    def test_the_crds_come_once(self):
        self.assertTrue(self.children()["gpu-scheduler"]["spec"]["source"]["helm"]["skipCrds"])
        without = self.children("--set", "crds.enabled=false")
        self.assertNotIn("gpu-scheduler-crds", without)
        self.assertFalse(without["gpu-scheduler"]["spec"]["source"]["helm"]["skipCrds"])

    def test_the_values_of_the_application_set_are_values_of_the_charts(self):
        for path in ("gpu-scheduler-complete-applicationset.yaml", "examples/staging-applicationset.yaml"):
            values = the_only(places.ARGOCD / path)["spec"]["template"]["spec"]["source"]["helm"]["valuesObject"]
            for chart, part in (("gpu-scheduler", "scheduler"), ("gpu-scheduler-check", "check")):
                # Names of nodes may be templates of the ApplicationSet.
                given = re.sub(r"\{\{ .*? \}\}", "node", json.dumps(values[part]["values"]))
                with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                    file.write(given)
                    file.flush()
                    HELM4.template("--values", file.name, chart=places.ROOT / "charts" / chart)

    def test_a_parent_without_a_source_is_refused(self):
        for words in ((), ("--set", "source.repoURL=a"), (*SOURCE, "--set", "schedular.values.a=b")):
            self.assertNotEqual(HELM4("template", "a", str(APPS), *words, check=False).returncode, 0, words)


class Manifests(unittest.TestCase):
    def test_every_object_is_in_the_namespace_argocd(self):
        for path in sorted(places.ARGOCD.glob("*.yaml")):
            for found in documents(path):
                self.assertEqual(found["metadata"]["namespace"], "argocd", path)

    def test_names_are_those_that_people_type(self):
        for name in SETS.values():
            found = the_only(places.ARGOCD / f"{name}-applicationset.yaml")
            self.assertEqual(found["metadata"]["name"], name)
            self.assertTrue(found["spec"]["template"]["metadata"]["name"].endswith("}}" + name))
        self.assertEqual(template_of("gpu-scheduler")["metadata"]["labels"]["component"], "scheduler")
        self.assertEqual(template_of("gpu-scheduler-check")["metadata"]["labels"]["component"], "test-service")

    def test_the_parent_waits_also_for_children_that_are_in_sync(self):
        policy = template_of("gpu-scheduler-complete")["spec"]["syncPolicy"]
        self.assertNotIn("ApplyOutOfSyncOnly=true", policy["syncOptions"])
        self.assertEqual(policy["retry"]["limit"], -1)

    def test_the_individual_scheduler_syncs_as_the_child_does(self):
        text = HELM4("template", "a", str(APPS), *SOURCE, "--show-only", "templates/scheduler.yaml").stdout
        child, alone = yaml.safe_load(text)["spec"], template_of("gpu-scheduler")["spec"]
        for part in ("syncPolicy", "ignoreDifferences", "revisionHistoryLimit", "project"):
            self.assertEqual(child[part], alone[part])

    def test_the_secret_is_what_the_selectors_look_for(self):
        secret = the_only(places.ARGOCD / "local-cluster-secret.yaml")
        self.assertEqual(secret["metadata"]["labels"],
                         {"argocd.argoproj.io/secret-type": "cluster", "environment": "gpu-enabled"})
        for name in SETS.values():
            chosen = the_only(places.ARGOCD / f"{name}-applicationset.yaml")["spec"]["generators"][0]["clusters"]["selector"]
            self.assertEqual(chosen["matchLabels"], {"environment": "gpu-enabled"})

    def test_argo_cd_makes_no_leases(self):
        """They are the scheduler's. A Lease that Argo CD kept or pruned would be one that it fights about."""
        project = documents(places.ARGOCD / "gpu-scheduler-project.yaml")[0]["spec"]
        for rules in (project["namespaceResourceWhitelist"], template_of("gpu-scheduler")["spec"]["ignoreDifferences"]):
            self.assertNotIn("Lease", [each["kind"] for each in rules])
        rendered = HELM4.template("--include-crds", chart=places.ROOT / "charts" / "gpu-scheduler").stdout
        self.assertNotIn("\nkind: Lease\n", rendered)

    def test_those_who_look_cannot_sync(self):
        for project in documents(places.ARGOCD / "gpu-scheduler-project.yaml"):
            role = next(each for each in project["spec"]["roles"] if each["name"] == "gpu-scheduler-readonly")
            self.assertEqual({policy.split(", ")[3] for policy in role["policies"]}, {"get"})

    def test_it_is_found_at_the_top(self):
        self.assertEqual((places.ROOT / "argocd").resolve(), places.ARGOCD)
        self.assertTrue((places.ROOT / "argocd").is_symlink())


class Validating(unittest.TestCase):
    """validate-applicationset.sh on a copy of the tree, with one thing after the other broken."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="gitops-")
        self.addCleanup(self.folder.cleanup)
        self.tree = Path(self.folder.name)
        for name in ("deploy", "charts"):
            shutil.copytree(places.ROOT / name, self.tree / name, symlinks=True)
        (self.tree / "bin").mkdir()
        (self.tree / "bin" / "helm").symlink_to(HELM4.path)

    def validate(self) -> subprocess.CompletedProcess:
        environment = os.environ | {"PATH": f"{self.tree}/bin:{os.environ['PATH']}"}
        return subprocess.run(["/bin/sh", str(self.tree / "deploy/argocd/validate-applicationset.sh"), "--offline"], text=True,
                              capture_output=True, check=False, env=environment)

    def replace(self, name: str, old: str, new: str) -> None:
        path = self.tree / name
        text = path.read_text(encoding="utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new), encoding="utf-8")

    def test_the_tree_as_it_is_passes(self):
        done = self.validate()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("Nothing is wrong.", done.stdout)

    def test_each_mistake_is_found_and_says_how_to_repair_it(self):
        project, complete = "deploy/argocd/gpu-scheduler-project.yaml", "deploy/argocd/gpu-scheduler-complete-applicationset.yaml"
        mistakes = [
            (project, "kind: MutatingWebhookConfiguration", "kind: MutatingAdmissionWebhook",
             "add {'group': 'admissionregistration.k8s.io'"),
            (project, "    namespace: default\n", "    namespace: elsewhere\n", "add namespace default to destinations"),
            (project, "    namespace: kube-system\n", "    namespace: elsewhere\n", "add namespace kube-system to destinations"),
            (project, "proj:gpu-scheduler:gpu-scheduler-readonly, logs", "role:readonly, logs", "write it as: p, proj:"),
            (complete, "repoURL: https://git.example.com/gpu/", "repoURL: https://git.example.com/mine/", "update-repo-urls.sh"),
            ("deploy/argocd/gpu-scheduler-applicationset.yaml", "path: charts/gpu-scheduler", "path: argocd/no-apps",
             "name a folder of the repository"),
            (complete, "syncOptions: [", "syncOptions: [ApplyOutOfSyncOnly=true, ", "remove ApplyOutOfSyncOnly"),
            (complete, "project: gpu-scheduler-root", "project: default", "use one of them"),
            ("deploy/argocd/apps/templates/check.yaml", '"wave" 2', '"wave" 1', "has to have"),
        ]
        for name, old, new, _ in mistakes:
            self.replace(name, old, new)
        done = self.validate()
        self.assertEqual(done.returncode, 1, done.stdout)
        for *_, repair in mistakes:
            self.assertIn(repair, done.stdout)


if __name__ == "__main__":
    unittest.main()
