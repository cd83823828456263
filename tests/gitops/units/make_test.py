"""deploy/kubeflow/Makefile and its scripts under plain sh, with a kubectl that writes down what it is asked."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import places

# Writes its arguments and what it reads; answers from a file named after them, if there is one.
RECORDER = """#!/bin/sh
echo "$(basename "$0") $*" >> "$TREE/calls"
case "$*" in *"-f -"*) cat >> "$TREE/read" ;; esac
case "$*" in
  *status.resources*) cat "$TREE/resources" ;;
  *part-of=kubeflow*jsonpath*) cat "$TREE/applications" ;;
  *kubeflow-app-of-apps*jsonpath*) head -1 "$TREE/root"; sed -i.bak 1d "$TREE/root" ;;
  *"get namespace"*) cat "$TREE/namespace" ;;
  *"get pods"*) cat "$TREE/pods" ;;
  *dry-run=server*) exit "$(cat "$TREE/dry-run")" ;;
  *port-forward*) echo "Forwarding from 127.0.0.1:18080 -> 8080"; [ -e "$TREE/forward_ends" ] || exec sleep 30 ;;
esac
"""
CURL = """#!/bin/sh
echo "curl $*" >> "$TREE/calls"
while [ $# -gt 1 ]; do [ "$1" != -o ] || page=$2; shift; done
printf '"token_endpoint" "kid"' > "$page"
echo "$(cat "$TREE/http") http://127.0.0.1:18080/dex/auth"
"""
TARGETS = {
    "deploy-argocd": ["apply -f argocd/argocd-application.yaml"],
    "deploy-bootstrap": ["-f ../argocd/argocd-health.yaml", "apply -f argocd/bootstrap-application.yaml"],
    "deploy-app-of-apps": ["-f ../argocd/argocd-health.yaml", "apply -f app-of-apps.yaml"],
    "install-argocd": ["apply --server-side --force-conflicts -k argocd", "-f ../argocd/argocd-health.yaml", "rollout status"],
    "status": ["get applications.argoproj.io -o custom-columns"], "watch-apps": ["get applications.argoproj.io -w"],
    "sync-all": ["patch applications.argoproj.io kubeflow-app-of-apps"],
    "refresh-all": ["-l app.kubernetes.io/part-of=kubeflow argocd.argoproj.io/refresh=normal"],
    "refresh APP=kubeflow-katib": ["annotate applications.argoproj.io kubeflow-katib argocd.argoproj.io/refresh=normal"],
    "get-argocd-password": ["get secret argocd-initial-admin-secret"],
    "logs APP=kubeflow-katib": ["set-context --current --namespace argocd", "argocd app logs kubeflow-katib --tail 100 --core"],
    "diff APP=kubeflow-katib NAMESPACE=gitops": ["--current --namespace gitops", "argocd app diff kubeflow-katib --core"],
    "logs APP=kubeflow-katib ARGOCD=argocd": ["argocd app logs kubeflow-katib --tail 100\n"],
    "describe APP=kubeflow-katib": ["describe applications.argoproj.io kubeflow-katib"],
    "delete-app APP=kubeflow-katib YES=1": ["delete applications.argoproj.io kubeflow-katib"],
    "delete-all-apps YES=1": ["delete applications.argoproj.io kubeflow-app-of-apps"],
    "uninstall-argocd YES=1": ["delete -k argocd"],
    "clean YES=1": ["delete applications.argoproj.io kubeflow-app-of-apps", "delete -k argocd"],
    "wait PAUSE=0": ["get applications.argoproj.io kubeflow-app-of-apps"],
}
PROMISED = """install-argocd install-argocd-cli deploy-argocd deploy-bootstrap deploy-app-of-apps deploy-all status watch-apps
sync-all refresh-all refresh get-argocd-password port-forward-argocd logs describe diff validate verify test delete-app
delete-all-apps uninstall-argocd clean help update-repo-url""".split()


class MakeTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="gitops-")
        self.addCleanup(self.folder.cleanup)
        self.tree = Path(self.folder.name)
        shutil.copytree(places.DEPLOY, self.tree / "deploy")
        (self.tree / "bin").mkdir()
        for name, text in (("kubectl", RECORDER), ("argocd", RECORDER), ("curl", CURL)):
            (self.tree / "bin" / name).write_text(text, encoding="utf-8")
            (self.tree / "bin" / name).chmod(0o755)
        self.says(applications="kubeflow-katib Synced Healthy\n", root="Synced/Healthy\n", pods="a-1 1/1 Running 0 1m\n",
                  resources="Deployment kubeflow\n", namespace="namespace/kubeflow\n", http="200", **{"dry-run": "0"})

    def says(self, **answers: str) -> None:
        for name, text in answers.items():
            (self.tree / name).write_text(text, encoding="utf-8")

    def make(self, words: str, stdin: str = "") -> subprocess.CompletedProcess:
        environment = os.environ | {"PATH": f"{self.tree}/bin:{os.environ['PATH']}", "TREE": str(self.tree), "PAUSE": "0"}
        (self.tree / "calls").write_text("", encoding="utf-8")
        return subprocess.run(["make", "-s", "-C", str(self.tree / "deploy/kubeflow"), *words.split()], input=stdin, text=True,
                              capture_output=True, check=False, env=environment)

    def calls(self) -> str:
        return (self.tree / "calls").read_text(encoding="utf-8")


class Targets(MakeTest):
    def test_help_lists_what_was_promised(self):
        listed = re.findall(r"^  make (\S+)", self.make("help").stdout, re.MULTILINE)
        self.assertLessEqual(set(PROMISED), set(listed))

    def test_each_does_what_it_says(self):
        for words, expected in TARGETS.items():
            with self.subTest(words=words):
                self.says(root="Synced/Healthy\n")
                done = self.make(words)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                places_of = [self.calls().find(each) for each in expected]
                self.assertNotIn(-1, places_of, f"{expected} not in {self.calls()}")
                self.assertEqual(places_of, sorted(places_of))

    def test_forwarded_ports_answer_without_tls(self):
        for target, expected in (("port-forward-argocd", "-n argocd port-forward svc/argocd-server 8080:80"),
                                 ("port-forward-dashboard", "-n istio-system port-forward svc/istio-ingressgateway 8080:80")):
            self.says(forward_ends="")
            self.assertEqual(self.make(target).returncode, 0)
            self.assertIn(expected, self.calls())

    def test_those_that_destroy_ask_first(self):
        for target in ("delete-app APP=kubeflow-katib", "delete-all-apps", "uninstall-argocd", "clean"):
            for answer in ("", "n\n"):
                self.assertNotEqual(self.make(target, answer).returncode, 0, target)
                self.assertEqual(self.calls(), "", target)
        self.assertEqual(self.make("delete-app APP=kubeflow-katib", "y\n").returncode, 0)
        self.assertIn("delete applications.argoproj.io kubeflow-katib", self.calls())

    def test_those_that_need_a_name_say_so(self):
        for target in ("refresh", "logs", "describe", "diff", "delete-app YES=1"):
            done = self.make(target)
            self.assertNotEqual(done.returncode, 0, target)
            self.assertIn("name an application", done.stderr)
            self.assertEqual(self.calls(), "")

    def test_waiting_tells_for_what(self):
        self.says(root="OutOfSync/Missing\nSynced/Progressing\nSynced/Healthy\n",
                  applications="kubeflow-katib=Synced/Healthy kubeflow-spark=OutOfSync/Missing ")
        done = self.make("wait")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("waiting for: kubeflow-spark=OutOfSync/Missing"), 2, done.stdout)

    def test_update_repo_url_changes_the_files(self):
        self.assertNotEqual(self.make("update-repo-url").returncode, 0)
        done = self.make("update-repo-url REPO=https://git.example.org/fork.git MANIFESTS=https://git.example.org/mirror.git")
        self.assertEqual(done.returncode, 0, done.stderr)
        texts = "".join(path.read_text(encoding="utf-8") for path in (self.tree / "deploy/kubeflow").rglob("*.yaml"))
        self.assertNotIn("github.com/kubeflow", texts)
        self.assertNotIn("git.example.com", texts)
        self.assertIn("https://git.example.org/mirror//common/dex/overlays/oauth2-proxy?ref=v1.11.0", texts)


class Verify(MakeTest):
    def test_a_good_platform_passes_and_nothing_is_made(self):
        done = self.make("verify")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        asked = (self.tree / "read").read_text(encoding="utf-8")
        for kind in ("Profile", "Notebook", "Workflow", "InferenceService"):
            self.assertIn(f"kind: {kind}", asked)
        self.assertEqual(self.calls().count("apply"), self.calls().count("--dry-run=server"))

    def test_each_fault_is_named(self):
        faults = [({"applications": "kubeflow-katib OutOfSync Degraded\n"}, "kubeflow-katib"),
                  ({"applications": ""}, "there are no applications"),
                  ({"pods": "b-2 0/1 CrashLoopBackOff 9 1h\n"}, "b-2 (CrashLoopBackOff)"),
                  ({"pods": "b-2 1/2 Running 9 1h\n"}, "b-2 (1/2 ready)"), ({"pods": ""}, "no pod runs in kubeflow"),
                  ({"namespace": ""}, "there is no namespace kubeflow"),
                  ({"http": "503"}, "the dashboard answers 503"), ({"http": "503"}, "Dex answers 503"),
                  ({"dry-run": "1"}, "a Notebook cannot be made")]
        for answers, expected in faults:
            before = {name: (self.tree / name).read_text(encoding="utf-8") for name in answers}
            self.says(**answers)
            done = self.make("verify")
            self.says(**before)
            self.assertNotEqual(done.returncode, 0, expected)
            self.assertIn(expected, done.stdout)


class Versions(unittest.TestCase):
    def test_there_is_one_of_each(self):
        text = (places.KUBEFLOW / "versions.mk").read_text(encoding="utf-8")
        argocd, preset = (re.search(rf"^{name} = (\S+)$", text, re.MULTILINE)[1] for name in ("ARGOCD_VERSION", "PRESET"))
        self.assertIn(f"/argo-cd/{argocd}/", (places.KUBEFLOW / "argocd/kustomization.yaml").read_text(encoding="utf-8"))
        self.assertIn(f'preset: "{preset}"', (places.KUBEFLOW / "chart/values.yaml").read_text(encoding="utf-8"))

    def test_it_is_found_at_the_top(self):
        self.assertEqual((places.ROOT / "bootstrap").resolve(), places.KUBEFLOW)


if __name__ == "__main__":
    unittest.main()
