"""docs/TROUBLESHOOTING.md on a real node: every symptom is provoked, and gone after what the page says to do about it."""

import base64
import json

from on_node import OnNode
from real_cluster import IMAGE, NODE, wait_until

SYSTEM, NAMESAKE = "gpu-scheduler-system", "namesake"
CONFIGURATION = ("mutatingwebhookconfiguration", "gpu-scheduler-webhook")
OURS = '{"spec":{"schedulerName":"gpu-scheduler"}}'


class Troubleshooting(OnNode):
    def test_what_it_says_helps_with_what_it_is_about(self):
        self.install(SYSTEM)
        symptoms = {
            "A pod stays Pending": self.ask_for_too_much,
            "NodeMissing: the map names a node that there is not": self.name_a_node_there_is_not,
            "CUDA_VISIBLE_DEVICES is not set": self.make_a_pod_of_another_scheduler,
            "The container sees other GPUs than it was given": self.run_a_pod,
            "failed calling webhook … no endpoints available": self.take_the_webhook_away,
            "failed calling webhook … x509": self.trust_another_authority,
            "A Lease of a GPU stays": self.let_a_pod_go_while_nobody_leads,
            "The fence cannot be read or written": self.forbid_the_fence,
            "The scheduler name is led by another release": self.install_a_namesake,
            "A node reports no GPUs, or NotReady ones": self.spoil_the_machine_file,
        }
        cures = {
            "failed calling webhook … no endpoints available": self.expect_answers,
            "A Lease of a GPU stays": self.expect_the_leases_of_living_pods,
            "The scheduler name is led by another release": self.remove_the_namesake,
            "The fence was deleted or edited": self.expect_that_pods_are_placed,
        }
        provoked = set()

        def provoke(heading: str) -> None:
            if heading in symptoms:
                symptoms[heading]()
                provoked.add(heading)

        self.follow("TROUBLESHOOTING.md", provoke, lambda heading: cures.get(heading, lambda: None)())
        self.assertEqual(provoked, set(symptoms))

    # What is made for it.

    def create(self, thing: dict) -> None:
        self.kubectl("create", "-f", "-", stdin=json.dumps(thing))

    def pod(self, name: str, scheduler: str = "gpu-scheduler", **annotations: str) -> None:
        self.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "annotations": annotations},
                     "spec": {"schedulerName": scheduler, "terminationGracePeriodSeconds": 1,
                              "containers": [{"name": "main", "image": IMAGE, "command": ["gpu-scheduler-check"]}]}})

    def claim(self, name: str, count: int) -> None:
        self.addCleanup(self.kubectl, "delete", "gclaim", name)
        self.create({"apiVersion": "gpu.scheduling/v1", "kind": "GpuClaim", "metadata": {"name": name},
                     "spec": {"devices": {"count": count}}})

    def waits(self, name: str) -> bool:
        conditions = self.cluster.plane.json("get", "pod", name)["status"].get("conditions", [])
        return any(each["type"] == "PodScheduled" and each.get("message") for each in conditions)

    def set_webhook(self, path: str, value: str) -> None:
        self.kubectl("patch", *CONFIGURATION, "--type=json", "--patch",
                     json.dumps([{"op": "add", "path": f"/webhooks/0/{path}", "value": value}]))

    def complaint(self) -> str:
        """What the API server says to a pod of ours."""
        return self.kubectl("run", "asked", f"--image={IMAGE}", "--dry-run=server", "--overrides", OURS, check=False).stderr

    def scale_scheduler(self, replicas: int) -> None:
        self.kubectl("-n", SYSTEM, "scale", "deploy/gpu-scheduler", f"--replicas={replicas}")

    def holders(self) -> list[str]:
        leases = self.cluster.plane.json("get", "leases", "-n", SYSTEM, "-l", "gpu.scheduling/managed=true")["items"]
        return sorted(each["spec"]["holderIdentity"] for each in leases)

    def readiness(self) -> str:
        found = self.cluster.plane.json("get", "gns", NODE)["status"].get("conditions", [])
        return next((each["status"] for each in found if each["type"] == "Ready"), "")

    # Symptoms.

    def ask_for_too_much(self) -> None:
        self.claim("hundred", 100)
        self.pod("waiting", **{"gpu.scheduling/claim": "hundred"})
        self.assertTrue(wait_until(lambda: self.waits("waiting"), 120))

    def name_a_node_there_is_not(self) -> None:
        self.pod("lost", **{"gpu-scheduling-map": "0=nowhere:0"})
        self.assertTrue(wait_until(lambda: self.waits("lost"), 120))

    def make_a_pod_of_another_scheduler(self) -> None:
        self.pod("bare", scheduler="default-scheduler")

    def run_a_pod(self) -> None:
        self.claim("one", 1)
        self.pod("seeing", **{"gpu.scheduling/claim": "one"})
        self.kubectl("wait", "--for=condition=Ready", "pod/seeing", "--timeout=300s")

    def take_the_webhook_away(self) -> None:
        """With Fail, so that it is noticed."""
        self.kubectl("-n", SYSTEM, "scale", "deploy/gpu-scheduler-webhook", "--replicas=0")
        self.set_webhook("failurePolicy", "Fail")
        words = 'no endpoints available for service "gpu-scheduler-webhook"'
        self.assertTrue(wait_until(lambda: words in self.complaint(), 120), self.complaint())

    def trust_another_authority(self) -> None:
        """It is set again soon, so it may take more than one try to be seen."""
        authority = base64.b64encode((self.cluster.plane.folder / "pki" / "ca.crt").read_bytes()).decode()

        def is_refused() -> bool:
            self.set_webhook("clientConfig/caBundle", authority)
            return "x509: certificate signed by unknown authority" in self.complaint()

        self.assertTrue(wait_until(is_refused, 60), self.complaint())
        self.expect_answers()
        self.set_webhook("failurePolicy", "Ignore")

    def let_a_pod_go_while_nobody_leads(self) -> None:
        self.pod("holding", **{"gpu.scheduling/claim": "one"})
        self.kubectl("wait", "--for=condition=Ready", "pod/holding", "--timeout=300s")
        self.scale_scheduler(0)
        self.kubectl("-n", SYSTEM, "wait", "--for=delete", "pod", "-l", "app=gpu-scheduler", "--timeout=120s")
        self.kubectl("delete", "pod", "seeing", "--timeout=120s")
        self.assertEqual(self.holders(), ["default/holding", "default/seeing"])

    def scheduler_says(self, words: str, namespace: str = SYSTEM) -> bool:
        """In the log of a scheduler that is not ready."""
        label = "app.kubernetes.io/name=gpu-scheduler"
        log = self.kubectl("-n", namespace, "logs", "-l", label, "-c", "scheduler", "--tail=50", check=False).stdout
        pods = self.cluster.plane.json("get", "pods", "-n", namespace, "-l", label)["items"]
        are_ready = all(each["status"].get("containerStatuses", [{}])[0].get("ready", False) for each in pods)
        return words in log and not are_ready

    def forbid_the_fence(self) -> None:
        self.kubectl("-n", "kube-system", "delete", "rolebinding", f"gpu-scheduler-{SYSTEM}-fence")
        self.assertTrue(wait_until(lambda: self.scheduler_says("the fence (Lease kube-system/scheduler-fence) cannot be"), 120))

    def install_a_namesake(self) -> None:
        self.addCleanup(self.cluster.remove, NAMESAKE)
        self.type(f"helm install gpu-scheduler charts/gpu-scheduler -n {NAMESAKE} --create-namespace "
                  "--set replicas=1,webhook.enabled=false,agent.enabled=false")
        words = f"of the release in namespace {SYSTEM}"
        self.assertTrue(wait_until(lambda: self.scheduler_says(words, NAMESAKE), 120))

    def spoil_the_machine_file(self) -> None:
        broken = {"data": {"machine.yaml": "devices: ["}}
        self.kubectl("-n", SYSTEM, "patch", "configmap", "machine", "--type=merge", "--patch", json.dumps(broken))
        # A new pod sees it at once; for the one there is, it takes a kubelet's time.
        self.kubectl("-n", SYSTEM, "delete", "pod", "-l", "app=gpu-scheduler-agent", "--timeout=120s")
        self.assertTrue(wait_until(lambda: self.readiness() == "False", 180))

    # Cures.

    def expect_answers(self) -> None:
        self.assertTrue(wait_until(lambda: not self.complaint(), 120), self.complaint())

    def expect_the_leases_of_living_pods(self) -> None:
        self.scale_scheduler(2)
        self.assertTrue(wait_until(lambda: self.holders() == ["default/holding"], 180), self.holders())

    def remove_the_namesake(self) -> None:
        self.type(f"helm uninstall gpu-scheduler -n {NAMESAKE}")

    def expect_that_pods_are_placed(self) -> None:
        self.pod("after", **{"gpu.scheduling/claim": "one"})
        self.kubectl("wait", "--for=condition=Ready", "pod/after", "--timeout=300s")
