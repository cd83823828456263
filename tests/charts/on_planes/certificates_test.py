"""A running release gets a certificate of the user's, and gives it up again, while pods keep coming: none is refused."""

import base64
import re
import shutil
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

import paths
import webhook_pods
from helm import HELM3, HELM4
from support import PlaneUnderTest, wait_until
from webhook_process import IDS, NAME, PODS, Api, pod, variables  # which webhook_pods knows the way to

# A pod that the webhook does not see is refused, so that a stream notices.
VALUES = ("--set", "webhook.failurePolicy=Fail,agent.enabled=false,nodeSelector=null")
BUNDLE = "  {{- with .Values.webhook.caBundle }}\n  - --ca-bundle={{ . }}\n  {{- end }}\n"


def setUpModule():
    global plane, api
    plane = PlaneUnderTest("certificates")
    unittest.addModuleCleanup(plane.close)
    plane.up()
    api = Api(plane)


def older_chart(folder: str) -> str:
    """As the chart was when the webhook's own certificate was in the Secret -tls, and Helm set a caBundle of the user's."""
    chart = Path(shutil.copytree(paths.CHART, Path(folder) / "gpu-scheduler", symlinks=True))
    for name, pattern, older in (
            ("webhook-secret.yaml", r"-self\n", "-tls\n"),
            ("webhook-secret.yaml", r"if and", r"if and (not .Values.webhook.caBundle)"),
            ("webhook-role.yaml", r'\(printf "%s-self" \$name\) ', ""),
            ("webhook-role.yaml", "%s-self", "%s-tls"),
            ("webhook-configuration.yaml", r'\$bundle := .* -}}', "$bundle := .Values.webhook.caBundle -}}"),
            ("webhook-configuration.yaml", r".*ca-bundle: helm\n", ""),
            ("_helpers.tpl", r"if not \$isInjected", "if not (or $isInjected .Values.webhook.caBundle)"),
            ("_helpers.tpl", re.escape(BUNDLE), "")):
        path = chart / "templates" / name
        text, count = re.subn(pattern, older, path.read_text(encoding="utf-8"))
        assert count, (name, pattern)
        path.write_text(text, encoding="utf-8")
    return str(chart)


class Stream:
    """Pods of ours, one after the other, until the first that the webhook does not see."""

    def __init__(self):
        self.made, self.failures, self.is_over = 0, [], threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self) -> None:
        while not self.is_over.is_set() and not self.failures:
            code, answer = api.request("POST", f"{PODS}?dryRun=All", pod("some", **{"gpu.scheduling/claim": "one"}))
            if code != 201 or variables(answer) != IDS:
                self.failures.append(answer.get("message", answer))
            self.made += 1

    def close(self) -> None:
        self.is_over.set()
        self.thread.join()


class CertificateTests:
    """What both versions of Helm must do alike. Every test has a namespace of its own."""

    def setUp(self):
        test = self._testMethodName.removeprefix("test_").replace("_", "-")
        self.namespace = f"{self.helm.name}-{test}"[:40].strip("-")
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.certs = self.make_certificate()

    def helm_on_plane(self, *words: str):
        return self.helm(*words, "-n", self.namespace, kubeconfig=plane.folder / "admin.kubeconfig")

    def make_certificate(self) -> Path:
        """With the script that users run."""
        folder = Path(self.scratch.name) / "certs"
        subprocess.run([paths.ROOT / "hack" / "generate-webhook-certs.sh"], capture_output=True, check=True,
                       env={"PATH": "/usr/bin:/bin", "NAMESPACE": self.namespace, "CERT_DIR": str(folder)})
        return folder

    def install(self, *words: str, chart: str = str(paths.CHART)) -> None:
        """And waits until it answers; from then on pods keep coming."""
        self.addCleanup(self.helm_on_plane, "uninstall", "gpu-scheduler", "--ignore-not-found")
        self.helm_on_plane("install", "gpu-scheduler", chart, "--create-namespace", *VALUES, *words)
        self.webhooks = webhook_pods.WebhookPods(plane, self.namespace)
        self.addCleanup(self.webhooks.close)
        probe = pod("probe", **{"gpu.scheduling/claim": "one"})
        self.assertTrue(wait_until(lambda: api.request("POST", f"{PODS}?dryRun=All", probe)[0] == 201), self.said())
        self.stream = Stream()
        self.addCleanup(self.stream.close)

    def upgrade(self, *words: str) -> None:
        self.helm_on_plane("upgrade", "gpu-scheduler", str(paths.CHART), *VALUES, *words)
        self.expect_no_failure()

    def upgrade_with_bundle(self) -> None:
        bundle = base64.b64encode((self.certs / "ca.crt").read_bytes()).decode()
        self.upgrade("--set", "webhook.enabled=true", "--set", f"webhook.caBundle={bundle}")

    def apply(self) -> None:
        plane.kubectl("apply", "-f", str(self.certs / "webhook-tls-secret.yaml"))

    def take_away(self) -> None:
        plane.kubectl("delete", "secret", f"{NAME}-tls", "-n", self.namespace)

    def kept_certificate(self, secret: str) -> str:
        done = plane.kubectl("get", "secret", secret, "-n", self.namespace, "-o", r"jsonpath={.data.tls\.crt}", check=False)
        return base64.b64decode(done.stdout).decode().strip()

    def said(self) -> str:
        return "\n".join([self.webhooks.problem, *(each.said() for each in self.webhooks.running.values())])

    def expect_no_failure(self) -> None:
        """Of the next pods either."""
        wanted = self.stream.made + 20
        self.assertTrue(wait_until(lambda: self.stream.made > wanted or self.stream.failures), self.said())
        self.assertEqual(self.stream.failures, [], self.said())

    def expect_shown(self, secret: str, placement: str) -> None:
        """By every webhook there is, in the end."""
        def is_shown() -> bool:
            running, kept = list(self.webhooks.running.values()), self.kept_certificate(secret)
            return {each.pod.startswith(f"{NAME}-") for each in running} == {placement == "deployment"} and all(
                each.is_ready() and each.certificate().decode().strip() == kept for each in running)

        self.assertTrue(wait_until(is_shown), self.said())
        self.expect_no_failure()

    def wait_for_rollouts(self) -> None:
        deployments = plane.kubectl("get", "deploy", "-n", self.namespace, "-o", "name").stdout.split()
        for each in deployments:
            plane.kubectl("rollout", "status", each, "-n", self.namespace, "--timeout=2m")
        self.expect_no_failure()

    def move(self, *upgrades) -> None:
        """The second upgrade takes away the pods of the old placement, which the first one has left."""
        for upgrade in upgrades:
            upgrade()
            self.wait_for_rollouts()

    def test_it_is_applied_and_then_trusted_and_taken_back_last(self):
        self.install()
        self.apply()
        self.move(self.upgrade_with_bundle, self.upgrade_with_bundle)
        self.expect_shown(f"{NAME}-tls", "sidecar")
        self.move(self.upgrade, self.upgrade)
        self.expect_shown(f"{NAME}-tls", "deployment")
        self.take_away()
        self.expect_shown(f"{NAME}-self", "deployment")

    def test_it_is_trusted_and_then_applied_and_taken_back_first(self):
        self.install()
        self.move(self.upgrade_with_bundle)
        self.apply()
        self.move(self.upgrade_with_bundle)
        self.expect_taken_back_first()

    def expect_taken_back_first(self):
        self.expect_shown(f"{NAME}-tls", "sidecar")
        self.take_away()
        self.expect_shown(f"{NAME}-self", "sidecar")
        self.move(self.upgrade, self.upgrade)
        self.expect_shown(f"{NAME}-self", "deployment")

    def test_a_release_of_an_older_chart_gets_one_too(self):
        self.install(chart=older_chart(self.scratch.name))
        self.assertNotEqual(self.kept_certificate(f"{NAME}-tls"), "", "the check must be able to fail")
        self.move(self.upgrade)
        self.expect_shown(f"{NAME}-self", "deployment")
        self.apply()
        self.move(self.upgrade_with_bundle, self.upgrade_with_bundle)
        self.expect_shown(f"{NAME}-tls", "sidecar")

    def test_a_release_of_an_older_chart_gives_its_own_up(self):
        plane.kubectl("create", "namespace", self.namespace)
        self.apply()
        bundle = base64.b64encode((self.certs / "ca.crt").read_bytes()).decode()
        self.install("--set", f"webhook.caBundle={bundle}", chart=older_chart(self.scratch.name))
        self.move(self.upgrade_with_bundle)
        self.expect_taken_back_first()


class WithHelm3(CertificateTests, unittest.TestCase):
    helm = HELM3


class WithHelm4(CertificateTests, unittest.TestCase):
    helm = HELM4
