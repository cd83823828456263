"""The webhook as API servers call it: what pods get, who is refused, and what happens when it or its certificate is
gone.
"""

import base64
import json
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import webhook_process as wp  # noqa: E402
from webhook_process import IDS, NAME, PODS, Api, Webhook, lead_to, pod, variables, wait_until  # noqa: E402

CREATIONS = 500
LIFETIME_SECONDS = 30 if wp.IS_LOCAL else 60
ROTATING_SECONDS = LIFETIME_SECONDS * 1.25  # more than the life of the first certificate


def setUpModule():
    global plane, api
    plane = wp.a_plane("webhook")
    unittest.addModuleCleanup(plane.close)
    plane.up()
    plane.call("nodes", "add", "2", "--gpus", "8")
    api = Api(plane)
    api.apply(wp.CRDS.read_text(encoding="utf-8"))


def dry(body: dict) -> tuple[int, dict]:
    """What would become of a pod; the webhook is asked all the same."""
    return api.request("POST", f"{PODS}?dryRun=All", body)


def claim_pod(name: str = "a", claim: str = "one", **more) -> dict:
    return pod(name, **{"gpu.scheduling/claim": claim}, **more)


def set_failure_policy(policy: str) -> None:
    api.request("PATCH", wp.CONFIGURATION, [{"op": "replace", "path": "/webhooks/0/failurePolicy", "value": policy}],
                wp.JSON_PATCH)


def is_asked() -> bool:
    """Whether API servers reach it: they learn of endpoints and of caBundle a little later."""
    code, made = dry(claim_pod("probe"))
    return code == 201 and variables(made) == IDS


class Stream:
    """Pods of ours, one after the other, until it is stopped."""

    def __init__(self):
        self.made, self.failures, self.is_over = 0, [], threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self) -> None:
        while not self.is_over.is_set() and not self.failures:
            code, answer = dry(claim_pod(f"stream-{self.made}"))
            if code != 201 or variables(answer) != IDS:
                self.failures.append(answer)
            self.made += 1

    def stop(self) -> list[dict]:
        """What failed."""
        self.is_over.set()
        self.thread.join()
        return self.failures


class WithWebhook(unittest.TestCase):
    """Every test begins with a configuration and a Secret as the chart makes them, and nobody who serves."""

    def setUp(self):
        for kind in ("self", "tls", "cert"):
            api.request("DELETE", f"{wp.SECRETS}/{NAME}-{kind}")
        api.request("DELETE", wp.CONFIGURATION)
        api.apply(wp.rendered("webhook-secret", "webhook-configuration"))
        lead_to(api, [])

    def start(self, *options: str) -> Webhook:
        webhook = Webhook(plane, *options)
        self.addCleanup(webhook.kill)
        return webhook

    def serve(self, *options: str) -> Webhook:
        webhook = self.start(*options)
        lead_to(api, [webhook.port])
        self.assertTrue(wait_until(webhook.is_ready, 60), webhook.said())
        self.assertTrue(wait_until(is_asked, 60), webhook.said())
        set_failure_policy("Fail")
        return webhook


class Admission(WithWebhook):
    def test_pods_get_what_leads_to_their_gpus(self):
        self.serve()
        self.assertEqual(variables(dry(claim_pod())[1]), IDS)
        code, made = dry(pod("a", **{"gpu-scheduling-map": "0=gpu-node-0:0,1"}))
        self.assertEqual((code, variables(made)), (201, IDS))
        self.assertIn({"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
                      made["spec"]["tolerations"])
        counted = claim_pod()
        counted["spec"]["containers"][0]["resources"] = {"limits": {"nvidia.com/gpu": "2"}}
        counted["spec"]["containers"].append({"name": "second", "image": "none"})
        made = dry(counted)[1]
        self.assertEqual(variables(made), {"CUDA_VISIBLE_DEVICES": "0,1"})
        self.assertEqual(variables(made, 1), {"CUDA_VISIBLE_DEVICES": "", "NVIDIA_VISIBLE_DEVICES": "void"})

    def test_pods_of_others_are_left_alone(self):
        self.serve()
        self.assertEqual(variables(dry(claim_pod(scheduler="default-scheduler"))[1]), {})

    def test_what_cannot_work_is_refused_with_a_sentence(self):
        self.serve()
        preset = claim_pod()
        preset["spec"]["nodeName"] = "gpu-node-0"
        for refused, words in ((pod("a", **{"gpu-scheduling-map": "0=gpu-node-0"}), "line 1, column 13"),
                               (claim_pod(**{"gpu-scheduling-map": "0=gpu-node-0:0"}), "remove one"),
                               (claim_pod(**{"gpu.scheduling/visible-devices": "0"}), "gpu.scheduling/visible-devices"),
                               (preset, "spec.nodeName")):
            code, answer = dry(refused)
            self.assertEqual(code, 422, answer)
            self.assertIn('admission webhook "pods.gpu-scheduler.svc" denied the request: ', answer["message"])
            self.assertIn(words, answer["message"])

    def test_a_shared_claim_is_refused_behind_a_device_plugin(self):
        self.serve()
        shared = wp.claim("shared", 1)
        shared["spec"]["devices"]["exclusivity"] = "Shared"
        api.request("POST", "/apis/gpu.scheduling/v1/namespaces/default/gpuclaims", shared)
        counted = claim_pod(claim="shared")
        counted["spec"]["containers"][0]["resources"] = {"limits": {"nvidia.com/gpu": "1"}}
        self.assertTrue(wait_until(lambda: dry(counted)[0] == 422, 60))
        self.assertIn("shares GPUs", dry(counted)[1]["message"])

    def test_many_at_once(self):
        webhook = self.serve()
        with ThreadPoolExecutor(50) as pool:
            answers = list(pool.map(lambda number: dry(claim_pod(f"many-{number}")), range(CREATIONS)))
        self.assertEqual([answer for code, answer in answers if code != 201][:1], [])
        self.assertTrue(all(variables(made) == IDS for _, made in answers))
        self.assertGreaterEqual(webhook.metric("gpu_webhook_review_duration_seconds_count"), CREATIONS)


if not wp.IS_LOCAL:
    class OnRealServersOnly(WithWebhook):
        """gpu-local has neither ephemeral containers nor validating policies."""

        def test_new_ephemeral_containers_are_told_too(self):
            self.serve()
            self.assertEqual(api.request("POST", PODS, claim_pod("debugged"))[0], 201)
            self.addCleanup(api.request, "DELETE", f"{PODS}/debugged?gracePeriodSeconds=0")
            for name in ("first", "second"):
                present = api.get(f"{PODS}/debugged")["spec"].get("ephemeralContainers", [])
                patch = {"spec": {"ephemeralContainers": present + [{"name": name, "image": "none"}]}}
                code, made = api.request("PATCH", f"{PODS}/debugged/ephemeralcontainers", patch,
                                         "application/strategic-merge-patch+json")
                self.assertEqual(code, 200, made)
            for container in api.get(f"{PODS}/debugged")["spec"]["ephemeralContainers"]:
                self.assertEqual([each["name"] for each in container["env"]], list(IDS))

        def test_nobody_forges_an_answer_while_it_is_down(self):
            api.apply(wp.rendered("results-policy"))
            self.addCleanup(api.request, "DELETE", "/apis/admissionregistration.k8s.io/v1/"
                            "validatingadmissionpolicybindings/gpu-scheduler-default-results")
            forged = claim_pod(**{"gpu.scheduling/allocated": "gpu-node-0:0"})
            self.assertTrue(wait_until(lambda: dry(forged)[0] == 422, 60))
            self.assertIn("the scheduler's answer", dry(forged)[1]["message"])
            self.assertEqual(api.request("POST", PODS, claim_pod("plain"))[0], 201)
            self.addCleanup(api.request, "DELETE", f"{PODS}/plain?gracePeriodSeconds=0")
            patch = {"metadata": {"annotations": {"gpu.scheduling/visible-devices": "7"}}}
            for path in (f"{PODS}/plain", f"{PODS}/plain/status"):
                self.assertEqual(api.request("PATCH", path, patch, wp.MERGE_PATCH)[0], 422)
            fine = {"metadata": {"annotations": {"mine": "7"}}}
            self.assertEqual(api.request("PATCH", f"{PODS}/plain", fine, wp.MERGE_PATCH)[0], 200)


class Down(WithWebhook):
    def test_with_ignore_pods_are_made_without_it(self):
        code, made = dry(claim_pod())
        self.assertEqual((code, variables(made)), (201, {}))

    def test_with_fail_pods_of_ours_are_refused_and_no_others(self):
        set_failure_policy("Fail")
        self.assertTrue(wait_until(lambda: dry(claim_pod())[0] == 500, 60))
        self.assertEqual(dry(claim_pod())[1]["message"],
                         'Internal error occurred: failed calling webhook "pods.gpu-scheduler.svc": '
                         f'failed to call webhook: Post "https://{NAME}.default.svc:443/mutate?timeout=10s": '
                         f'no endpoints available for service "{NAME}"')
        self.assertEqual(dry(claim_pod(scheduler="default-scheduler"))[0], 201)

    def test_it_comes_back(self):
        self.serve().kill()
        set_failure_policy("Fail")
        self.assertEqual(dry(claim_pod())[0], 500)
        self.serve()


class WithTheScheduler(WithWebhook):
    """It places no GPU pod that the webhook has not seen, and has those of controllers made anew."""

    def setUp(self):
        super().setUp()
        self.addCleanup(plane.kubectl, "delete", "jobs,pods,replicasets,gpuclaims", "--all", "--force", "--grace-period=0")
        self.port = wp.pick(1)[0]
        self.scheduler = wp.Scheduler(plane, wp.pick(1)[0], "--webhook-pods", "recreate", "--webhook-url",
                                      f"https://127.0.0.1:{self.port}/ready", home="default")
        self.addCleanup(self.scheduler.close)
        self.create(wp.claim("one", 1))

    def create(self, *objects: dict) -> None:
        plane.kubectl("create", "-f", "-", stdin="\n---\n".join(json.dumps(item) for item in objects))

    def create_set(self) -> None:
        made = claim_pod()
        metadata = {"labels": {"app": "set"}, "annotations": made["metadata"]["annotations"]}
        self.create({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "set"},
                     "spec": {"replicas": 2, "selector": {"matchLabels": metadata["labels"]},
                              "template": {"metadata": metadata, "spec": made["spec"]}}})

    def pods_of_set(self) -> list[dict]:
        return plane.json("get", "pods", "--selector", "app=set")["items"]

    def create_job(self) -> None:
        """One that bears no failure at all."""
        made = claim_pod()
        self.create({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "job"},
                     "spec": {"backoffLimit": 0, "completions": 2, "parallelism": 2, "completionMode": "Indexed",
                              "template": {"metadata": {"annotations": made["metadata"]["annotations"]},
                                           "spec": made["spec"] | {"restartPolicy": "Never"}}}})

    def pods_of_job(self) -> list[dict]:
        return plane.json("get", "pods", "--selector", "batch.kubernetes.io/job-name=job")["items"]

    def come_back(self) -> None:
        """API servers may call it as soon as it says that it is there."""
        lead_to(api, [self.port])
        webhook = Webhook(plane, port=self.port)
        self.addCleanup(webhook.kill)

    def expect_set_to_have_gpus(self) -> None:
        def have_gpus() -> bool:
            pods = self.pods_of_set()
            return len(pods) == 2 and all(each["spec"].get("nodeName") for each in pods)

        self.assertTrue(wait_until(have_gpus, 120), self.pods_of_set())
        for each in self.pods_of_set():
            self.assertEqual(variables(each), IDS)
            self.assertIn("gpu.scheduling/visible-devices", each["metadata"]["annotations"])

    def test_with_ignore_gpu_pods_wait_and_are_made_anew_when_it_is_back(self):
        self.create_set()
        self.create(claim_pod("bare"), pod("without-gpus"))
        self.assertTrue(wait_until(lambda: "nodeName" in api.get(f"{PODS}/without-gpus")["spec"], 60))
        unseen = [each["metadata"]["name"] for each in self.pods_of_set()] + ["bare"]
        self.assertEqual(len(unseen), 3)
        for name in unseen:
            self.assertTrue(wait_until(lambda: wp.reason_of(plane, name).startswith("NotInjected: "), 60), name)
            self.assertNotIn("nodeName", api.get(f"{PODS}/{name}")["spec"])
        self.assertTrue(self.scheduler.api("place", claim_pod())["fits"], "a pod that is only tried out")
        self.come_back()
        self.expect_set_to_have_gpus()
        self.assertTrue(wp.reason_of(plane, "bare").startswith("NotInjected: "), "nobody would make it anew")
        plane.kubectl("delete", "pod", "bare")
        self.create(claim_pod("bare"))
        self.assertTrue(wait_until(lambda: wp.gpus_of(plane, "bare") != "", 60))

    def test_pods_of_a_job_are_made_anew_without_a_failure(self):
        self.create_job()
        self.assertTrue(wait_until(lambda: len(self.pods_of_job()) == 2, 60))
        first = {each["metadata"]["uid"] for each in self.pods_of_job()}
        for each in self.pods_of_job():
            name = each["metadata"]["name"]
            self.assertIn("batch.kubernetes.io/job-tracking", each["metadata"]["finalizers"])
            self.assertTrue(wait_until(lambda: wp.reason_of(plane, name).startswith("NotInjected: "), 60), name)
        self.come_back()

        def have_gpus() -> bool:
            pods = self.pods_of_job()
            return len(pods) == 2 and all(each["spec"].get("nodeName") for each in pods)

        self.assertTrue(wait_until(have_gpus, 120), self.pods_of_job())
        self.assertFalse(first & {each["metadata"]["uid"] for each in self.pods_of_job()})
        status = plane.json("get", "job", "job")["status"]
        self.assertEqual((status["active"], status.get("failed", 0)), (2, 0), status)

    def test_with_fail_gpu_pods_are_made_when_it_is_back(self):
        set_failure_policy("Fail")
        self.assertTrue(wait_until(lambda: dry(claim_pod())[0] == 500, 60))
        self.create_set()
        self.come_back()
        self.expect_set_to_have_gpus()


class Certificates(WithWebhook):
    def bundle(self) -> str:
        found = api.get(wp.CONFIGURATION)["webhooks"][0]["clientConfig"].get("caBundle", "")
        return base64.b64decode(found).decode()

    def data(self, secret: str, key: str) -> str:
        return base64.b64decode(api.get(f"{wp.SECRETS}/{secret}").get("data", {}).get(key, "")).decode()

    def make(self, folder: str, namespace: str = "default") -> Path:
        """With the script that users run."""
        environment = {"PATH": "/usr/bin:/bin", "NAMESPACE": namespace, "CERT_DIR": folder}
        done = subprocess.run([wp.ROOT / "hack" / "generate-webhook-certs.sh"], text=True, capture_output=True,
                              check=False, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return Path(folder)

    def make_expired(self, folder: str) -> Path:
        """For the right name, and its own authority."""
        Path(folder).mkdir()
        names = f"subjectAltName=DNS:{NAME}.default.svc"
        for command in ("ecparam -name prime256v1 -genkey -noout -out tls.key",
                        "req -new -key tls.key -subj /CN=expired -out tls.csr",
                        "x509 -req -in tls.csr -signkey tls.key -days -1 -extfile /dev/stdin -out tls.crt"):
            subprocess.run(["openssl", *command.split()], cwd=folder, text=True, capture_output=True, check=True,
                           input=names)
        shutil.copy(f"{folder}/tls.crt", f"{folder}/ca.crt")
        return Path(folder)

    def secret_of(self, folder: Path, name: str) -> dict:
        data = {key: base64.b64encode((folder / key).read_bytes()).decode() for key in ("ca.crt", "tls.crt", "tls.key")}
        return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "type": "kubernetes.io/tls",
                "data": data}

    def test_two_that_start_together_agree(self):
        both = [self.start(), self.start()]
        for webhook in both:
            self.assertTrue(wait_until(webhook.is_ready, 60), webhook.said())
        kept = self.data(f"{NAME}-self", "tls.crt")
        self.assertEqual([webhook.certificate().decode().strip() for webhook in both], [kept.strip()] * 2)
        self.assertEqual(self.bundle(), self.data(f"{NAME}-self", "ca.crt"))
        for webhook in both:
            lead_to(api, [webhook.port])
            self.assertTrue(wait_until(is_asked, 60))

    def test_a_bundle_that_was_overwritten_is_set_again(self):
        self.serve()
        right = self.bundle()
        patch = [{"op": "remove", "path": "/webhooks/0/clientConfig/caBundle"}]
        api.request("PATCH", wp.CONFIGURATION, patch, wp.JSON_PATCH)
        self.assertTrue(wait_until(lambda: self.bundle() == right, 60))
        self.assertTrue(wait_until(is_asked, 60))

    def test_a_users_certificate_is_used_and_only_while_it_is_good(self):
        folder = self.make(str(plane.folder.parent / "certs"))
        api.put(wp.SECRETS, self.secret_of(folder, f"{NAME}-cert"))
        webhook = self.serve()
        mine = (folder / "tls.crt").read_text(encoding="utf-8").strip()
        self.assertEqual(webhook.certificate().decode().strip(), mine)
        self.assertEqual(self.bundle(), (folder / "ca.crt").read_text(encoding="utf-8"))
        self.assertEqual(api.get(f"{wp.SECRETS}/{NAME}-self").get("data", {}), {}, "ours stays empty")

        stream = Stream()
        other = self.make(str(plane.folder.parent / "other"), namespace="elsewhere")
        expired = self.make_expired(str(plane.folder.parent / "expired"))
        for bad, words in ((other, f"is not for {NAME}.default.svc"), (expired, "has expired on ")):
            api.put(wp.SECRETS, self.secret_of(bad, f"{NAME}-cert"))
            self.assertTrue(wait_until(lambda: words in webhook.said(), 60), webhook.said())
            self.assertIn("keeps the last good certificate", webhook.said())
            self.assertEqual(webhook.metric("gpu_webhook_certificate_problem"), 1)
            self.assertEqual(webhook.certificate().decode().strip(), mine)
        made = stream.made
        self.assertTrue(wait_until(lambda: stream.made > made + 20 or stream.failures, 60))
        self.assertEqual(stream.stop(), [], webhook.said())

        stream = Stream()
        again = self.make(str(plane.folder.parent / "again"))
        api.put(wp.SECRETS, self.secret_of(again, f"{NAME}-cert"))
        renewed = (again / "tls.crt").read_text(encoding="utf-8").strip()
        self.assertTrue(wait_until(lambda: webhook.certificate().decode().strip() == renewed, 60), webhook.said())
        self.assertTrue(wait_until(lambda: stream.made > 20 or stream.failures, 60))
        self.assertEqual(stream.stop(), [], webhook.said())
        self.assertEqual(webhook.metric("gpu_webhook_certificate_problem"), 0)

    def test_one_that_is_brought_and_taken_away_again_misses_no_pod(self):
        """Two replicas, which change one after the other."""
        webhooks = [self.serve(), self.start()]
        self.assertTrue(wait_until(webhooks[1].is_ready, 60), webhooks[1].said())
        stream = Stream()
        folder = self.make(str(plane.folder.parent / "brought"))

        def expect_shown(secret: str) -> None:
            for webhook in webhooks:
                kept = self.data(secret, "tls.crt").strip()
                self.assertTrue(wait_until(lambda: webhook.certificate().decode().strip() == kept, 60), webhook.said())

        for _ in range(2):
            api.put(wp.SECRETS, self.secret_of(folder, f"{NAME}-tls"))
            expect_shown(f"{NAME}-tls")
            api.request("DELETE", f"{wp.SECRETS}/{NAME}-tls")
            expect_shown(f"{NAME}-self")
        made = stream.made
        self.assertTrue(wait_until(lambda: stream.made > made + 20 or stream.failures, 60))
        self.assertEqual(stream.stop(), [], webhooks[0].said() + webhooks[1].said())

    def test_it_is_renewed_under_a_stream_of_pods_without_a_failure(self):
        webhook = self.serve("--certificate-lifetime", f"{LIFETIME_SECONDS}s")
        first, stream = webhook.certificate(), Stream()
        end = time.monotonic() + ROTATING_SECONDS
        # A slow machine needs longer for so many pods; then the certificate is renewed more than once meanwhile.
        enough = wait_until(lambda: (time.monotonic() > end and stream.made > 100) or stream.failures, ROTATING_SECONDS + 120)
        self.assertEqual(stream.stop(), [], webhook.said())
        self.assertNotEqual(webhook.certificate(), first)
        self.assertTrue(enough, f"only {stream.made} pods were made")

    def test_the_script_puts_a_certificate_into_the_cluster(self):
        programs = plane.folder.parent / "programs"
        programs.mkdir()
        (programs / "kubectl").symlink_to(api.kubectl)
        done = subprocess.run(["bash", "-s", "--", "default"], text=True, capture_output=True, check=False,
                              input=(wp.ROOT / "hack" / "gen-webhook-certs.sh").read_text(encoding="utf-8"),
                              env={"PATH": f"{programs}:/usr/bin:/bin", "KUBECONFIG": api.kubeconfig,
                                   "HOME": str(plane.folder.parent)})
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        webhook = self.serve()
        self.assertEqual(self.bundle(), self.data(f"{NAME}-cert", "ca.crt"))
        self.assertEqual(webhook.certificate().decode().strip(), self.data(f"{NAME}-cert", "tls.crt").strip())


class BadClients(WithWebhook):
    def connect(self, webhook: Webhook) -> ssl.SSLSocket:
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        made = context.wrap_socket(socket.create_connection(("127.0.0.1", webhook.port), timeout=60))
        self.addCleanup(made.close)
        return made

    def answer_to(self, webhook: Webhook, request: bytes) -> str:
        client = self.connect(webhook)
        client.sendall(request)
        return client.recv(4096).decode()

    def test_they_are_told_what_is_wrong(self):
        webhook = self.serve()
        head = b"POST /mutate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: "
        for request, code, words in ((head + b"999999999\r\n\r\n", 413, ""), (head + b"5\r\n\r\n{]{]{", 400, "JSON"),
                                     (head + b"2\r\n\r\n{}", 400, "AdmissionReview"),
                                     (head.replace(b"application/json", b"text/plain") + b"2\r\n\r\n{}", 415, ""),
                                     (b"GET /mutate HTTP/1.1\r\nHost: x\r\n\r\n", 405, ""),
                                     (b"GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n", 404, "/mutate"),
                                     (b"\x00\xff garbage\r\n\r\n", 400, "")):
            said = self.answer_to(webhook, request)
            self.assertTrue(said.startswith(f"HTTP/1.1 {code} "), said)
            self.assertIn(words, said)

    def test_those_that_dawdle_hold_up_nobody_and_are_cut_off(self):
        webhook = self.serve()
        slow = [self.connect(webhook) for _ in range(100)]
        for client in slow:
            client.sendall(b"POST /mutate HTTP/1.1\r\nHost: ")
        with socket.create_connection(("127.0.0.1", webhook.port), timeout=60) as silent:
            silent.sendall(b"no hello at all")
            self.assertTrue(is_asked())
            gone = threading.Event()

            def wait_for_the_end():
                for client in slow:
                    try:
                        while client.recv(1):
                            pass
                    except (ssl.SSLError, OSError):
                        pass
                gone.set()

            threading.Thread(target=wait_for_the_end, daemon=True).start()
            self.assertTrue(gone.wait(120))
        self.assertTrue(is_asked())
