"""docs/webhook-certificates.md on a real node: after each way to a certificate, the API server believes the webhook."""

import base64
import json
import unittest

from on_node import OnNode
from real_cluster import IMAGE, wait_until

import go_build  # of tools/cluster, which real_cluster knows the way to
from failures import Unavailable

SYSTEM = "gpu-scheduler-system"
OURS = '{"spec":{"schedulerName":"gpu-scheduler"}}'
KINDS = ("certificates", "issuers")


def cert_manager_files() -> list[str]:
    """Its own definitions, for kubectl; nothing of it runs."""
    try:
        module = go_build.module_folder("cert-manager", "github.com/cert-manager/cert-manager")
    except Unavailable as why:
        raise unittest.SkipTest(str(why)) from why
    return [word for kind in KINDS for word in ("-f", str(module / f"deploy/crds/cert-manager.io_{kind}.yaml"))]


class Certificates(OnNode):
    def test_every_way_leads_to_a_webhook_that_is_believed(self):
        self.files = cert_manager_files()
        self.addCleanup(self.cluster.remove, SYSTEM)
        self.cluster.make_machine(SYSTEM)
        before = {"Your own, as files": self.start_anew, "cert-manager": self.define_cert_managers_kinds,
                  "Troubleshooting": self.install_again}
        after = {"Nothing to do: self": lambda: self.expect_trust("gpu-scheduler-webhook-self"),
                 "Your own, with a script": lambda: self.expect_trust("gpu-scheduler-webhook-cert"),
                 "Your own, as files": lambda: self.expect_trust("gpu-scheduler-webhook-tls"),
                 "Back to the webhook's own": lambda: self.expect_trust("gpu-scheduler-webhook-self"),
                 "Your own, from anywhere": lambda: self.expect_trust("my-certificate"),
                 "cert-manager": self.expect_a_certificate_to_be_asked_for}
        seen = set()

        def call(actions: dict, heading: str) -> None:
            seen.add(heading)
            actions.get(heading, lambda: None)()

        self.follow("webhook-certificates.md", lambda heading: call(before, heading), lambda heading: call(after, heading))
        self.assertLessEqual(before.keys() | after.keys(), seen)

    def start_anew(self) -> None:
        self.type(f"helm uninstall gpu-scheduler -n {SYSTEM} --wait; kubectl -n {SYSTEM} delete secrets --all")

    def define_cert_managers_kinds(self) -> None:
        self.start_anew()
        self.addCleanup(self.kubectl, "delete", *self.files)
        self.kubectl("create", *self.files)
        self.assertTrue(wait_until(lambda: self.kubectl("get", ",".join(KINDS), check=False).returncode == 0, 60))

    def install_again(self) -> None:
        self.start_anew()
        self.type(f"helm install gpu-scheduler charts/gpu-scheduler -n {SYSTEM}")
        self.expect_trust("gpu-scheduler-webhook-self")

    def bundle(self) -> str:
        found = self.cluster.plane.json("get", "mutatingwebhookconfiguration", "gpu-scheduler-webhook")
        return found["webhooks"][0]["clientConfig"].get("caBundle", "")

    def is_answered(self) -> bool:
        done = self.kubectl("run", "asked", f"--image={IMAGE}", "--dry-run=server", "-o", "json", "--overrides", OURS)
        variables = [each["name"] for each in json.loads(done.stdout)["spec"]["containers"][0].get("env", [])]
        return "CUDA_VISIBLE_DEVICES" in variables

    def expect_trust(self, secret: str) -> None:
        """By the authority in this Secret; earlier ones stay in the bundle for a while."""
        self.wait_for_rollouts(SYSTEM)

        def is_it_trusted() -> bool:
            data = self.cluster.plane.json("get", "secret", secret, "-n", SYSTEM).get("data", {})
            authority = base64.b64decode(data.get("ca.crt", ""))
            return bool(authority) and authority in base64.b64decode(self.bundle())

        self.assertTrue(wait_until(is_it_trusted, 120), secret)
        self.assertTrue(wait_until(self.is_answered, 120), secret)

    def expect_a_certificate_to_be_asked_for(self) -> None:
        names = self.kubectl("get", "certificates,issuers", "-n", SYSTEM, "-o", "name").stdout.split()
        self.assertIn("certificate.cert-manager.io/gpu-scheduler-webhook", names)
        self.assertFalse(self.is_answered(), "nobody has made it, so the check must be able to fail")
