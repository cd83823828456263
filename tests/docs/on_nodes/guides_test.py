"""What guides tell people to type, with release and pods in the default namespace and the webhook beside the scheduler."""

import json
import re
import subprocess
import urllib.request

from on_node import OnNode
from real_cluster import IMAGE, wait_until

CRDS = "charts/gpu-scheduler/templates/crds.yaml"
CLAIM = {"apiVersion": "gpu.scheduling/v1", "kind": "GpuClaim", "metadata": {"name": "single"}, "spec": {"devices": {"count": 1}}}
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "user", "annotations": {"gpu.scheduling/claim": "single"}},
       "spec": {"schedulerName": "gpu-scheduler", "terminationGracePeriodSeconds": 1,
                "containers": [{"name": "main", "image": IMAGE, "command": ["gpu-scheduler-check"]}]}}


class InTheDefaultNamespace(OnNode):
    def setUp(self):
        super().setUp()
        self.addCleanup(self.kubectl, "delete", "configmap", "machine")
        self.addCleanup(self.shell.run, "helm uninstall gpu-scheduler --ignore-not-found")
        self.addCleanup(self.kubectl, "delete", "pods", "--ignore-not-found", "user", "--timeout=120s")
        self.cluster.make_machine("default")
        self.type(f"kubectl apply -f {CRDS}; helm install gpu-scheduler charts/gpu-scheduler --set webhook.placement=sidecar")
        self.wait_for_rollouts("default")

    def gpus_in_use(self) -> list[str]:
        return self.type("kubectl get leases --no-headers | { grep gpu- || true; } | cut -d ' ' -f 1").split()

    def is_running_untouched(self) -> bool:
        status = self.cluster.plane.json("get", "pod", "user")["status"]["containerStatuses"][0]
        return "running" in status["state"] and status["restartCount"] == 0

    def test_every_command_does_what_it_says(self):
        for thing in ("deploy gpu-scheduler", "daemonset gpu-scheduler-agent", "svc gpu-scheduler gpu-scheduler-webhook", "gns"):
            self.type(f"kubectl get {thing}")
        for container in ("scheduler", "webhook"):
            self.assertTrue(self.type(f"kubectl logs -l app.kubernetes.io/name=gpu-scheduler -c {container}").strip())
        self.assertEqual(self.health_through_a_forwarded_port(), 200)
        self.run_a_pod()
        self.delete_its_lock()
        self.take_everything_away_below_it()

    def health_through_a_forwarded_port(self) -> int:
        command = ["kubectl", "port-forward", "svc/gpu-scheduler", ":8080"]
        with subprocess.Popen(command, env=self.shell.environment, text=True, stdout=subprocess.PIPE) as forward:
            try:
                port = re.search(r":(\d+) ->", forward.stdout.readline())[1]
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=60) as answer:
                    return answer.status
            finally:
                forward.terminate()

    def run_a_pod(self) -> None:
        for thing in (CLAIM, POD):
            self.kubectl("create", "-f", "-", stdin=json.dumps(thing))
        self.type("kubectl wait --for=condition=Ready pod/user --timeout=5m")
        allocated = self.type(r"kubectl get pod user -o jsonpath='{.metadata.annotations.gpu\.scheduling/allocated}'")
        self.assertEqual(allocated, "node1:0")
        self.assertEqual(self.type("kubectl exec user -- env | grep CUDA_VISIBLE_DEVICES"), "CUDA_VISIBLE_DEVICES=0\n")
        self.assertEqual(self.gpus_in_use(), ["gpu-node1-0"])
        shown = ["single", "1", "contiguous", "node1:0"]
        self.assertTrue(wait_until(lambda: self.type("kubectl get gclaim --no-headers").split() == shown, 60))

    def delete_its_lock(self) -> None:
        before = self.cluster.plane.json("get", "lease", "gpu-node1-0")["metadata"]["uid"]
        self.type("kubectl delete lease gpu-node1-0")

        def is_made_again() -> bool:
            found = self.kubectl("get", "lease", "gpu-node1-0", "-o", "jsonpath={.metadata.uid}", check=False).stdout
            return found not in ("", before)

        self.assertTrue(wait_until(is_made_again, 120))

    def take_everything_away_below_it(self) -> None:
        """The pod keeps running with the GPU it has."""
        self.type(f"kubectl delete -f {CRDS} --timeout=2m")
        self.assertTrue(self.is_running_untouched())
        self.type("helm uninstall gpu-scheduler --wait")
        self.assertTrue(self.is_running_untouched())
        self.assertEqual(self.type("kubectl exec user -- env | grep CUDA_VISIBLE_DEVICES"), "CUDA_VISIBLE_DEVICES=0\n")
        self.type("kubectl delete leases -l gpu.scheduling/managed=true")
