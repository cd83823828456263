"""hack/dev.sh says the right things to kubectl and helm, which are stand-ins here."""

import os
import subprocess
import unittest

from support import ROOT, TreeTest

STAND_IN = """#!/bin/sh
echo "$(basename "$0") $*" >> "$CALLS"
case "$*" in
"get deploy,daemonset -n"*"-o name") echo deployment.apps/gpu-scheduler ;;
"rollout status"*) exit "${ROLLOUT:-0}" ;;
esac
"""


class DevScript(TreeTest):
    def run_script(self, *words: str, **environment: str) -> tuple[int, list[str]]:
        """Its exit code, and what it called."""
        for name in ("kubectl", "helm"):
            self.write(f"bin/{name}", STAND_IN, 0o755)
        calls = self.write("calls", "")
        done = subprocess.run([ROOT / "hack" / "dev.sh", *words], check=False, text=True, capture_output=True, cwd=self.tree,
                              env=os.environ | {"PATH": f"{self.tree}/bin:/usr/bin:/bin", "CALLS": str(calls)} | environment)
        return done.returncode, calls.read_text(encoding="utf-8").replace(f"{ROOT}/", "").splitlines()

    def test_an_image_that_is_given_is_installed_and_waited_for(self):
        code, calls = self.run_script("--set", "nodeSelector=null", NAMESPACE="gpu-system",
                                      IMAGE="registry.example.com:5000/team/gpu-scheduler:v1", TIMEOUT="7s")
        self.assertEqual(code, 0)
        self.assertIn("helm upgrade gpu-scheduler charts/gpu-scheduler --install --namespace gpu-system --create-namespace --set "
                      "image.repository=registry.example.com:5000/team/gpu-scheduler --set-string image.tag=v1 --set "
                      "nodeSelector=null", calls)
        self.assertIn("kubectl rollout status deployment.apps/gpu-scheduler -n gpu-system --timeout=7s", calls)
        self.assertLess(calls.index("kubectl apply --server-side --force-conflicts -f charts/gpu-scheduler/crds/crds.yaml"), 1)

    def test_an_image_without_a_tag_is_the_latest(self):
        _, calls = self.run_script(IMAGE="registry.example.com:5000/gpu-scheduler")
        self.assertIn("image.repository=registry.example.com:5000/gpu-scheduler --set-string image.tag=latest", " ".join(calls))

    def test_what_does_not_start_is_shown_and_fails(self):
        code, calls = self.run_script(IMAGE="a:b", ROLLOUT="1")
        self.assertEqual(code, 1)
        self.assertIn("kubectl get gpunodestatuses", calls)


if __name__ == "__main__":
    unittest.main()
