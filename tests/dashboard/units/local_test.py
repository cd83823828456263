"""The dashboard that gpu-local serves: it shows what the API says, and a pod that is created appears."""

import base64
import json
import ssl
import sys
import tempfile
import unittest
import urllib.request
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent / "local")]

from browser import DEADLINE, Browser  # noqa: E402
from local_cluster import LocalCluster  # noqa: E402


def create(kubeconfig: Path, path: str, body: dict) -> None:
    """As whoever the kubeconfig says."""
    config = yaml.safe_load(kubeconfig.read_text(encoding="utf-8"))
    cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
    context = ssl.create_default_context(cadata=base64.b64decode(cluster["certificate-authority-data"]).decode())
    with tempfile.NamedTemporaryFile() as pair:
        pair.write(base64.b64decode(user["client-certificate-data"]) + base64.b64decode(user["client-key-data"]))
        pair.flush()
        context.load_cert_chain(pair.name)
    request = urllib.request.Request(cluster["server"] + path, data=json.dumps(body).encode(), method="POST",
                                     headers={"Content-Type": "application/json"})
    urllib.request.urlopen(request, context=context, timeout=DEADLINE).close()


def pod(name: str, gpus: int) -> dict:
    resources = {"limits": {"nvidia.com/gpu": gpus}, "requests": {"nvidia.com/gpu": gpus}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"},
            "spec": {"schedulerName": "gpu-scheduler",
                     "containers": [{"name": "main", "image": "busybox", "resources": resources}]}}


class LocalTest(unittest.TestCase):
    def test_pods_that_are_created_appear_with_their_gpus_or_the_reason(self):
        browser = Browser()
        self.addCleanup(browser.close)
        cluster = LocalCluster()
        self.addCleanup(cluster.close)
        status = cluster.run("status").stdout
        url = next(line.split()[1] for line in status.splitlines() if line.startswith("dashboard "))
        browser.requests()
        browser.open(url)
        browser.wait("all GPUs are free", "document.getElementById('count-free').textContent === '24'")
        with urllib.request.urlopen(url + "api/v1/fleet", timeout=DEADLINE) as answer:
            fleet = json.load(answer)
        shown = browser.run("return [...document.querySelectorAll('[data-node]')].map((row) =>"
                            "[row.dataset.node, row.querySelectorAll('.gpu').length])")
        self.assertEqual(sorted(shown), sorted([node["node"], len(node["devices"])] for node in fleet["nodes"]))

        create(cluster.kubeconfig, "/api/v1/namespaces/default/pods", pod("fits", 2))
        browser.wait("it holds two GPUs", "document.querySelectorAll('.gpu[title*=\"default/fits\"]').length === 2")
        create(cluster.kubeconfig, "/api/v1/namespaces/default/pods", pod("too-large", 64))
        browser.wait("it waits", "document.getElementById('waiting').textContent.includes('default/too-large')")
        browser.wait("it has a reason", "document.querySelector('.reason')?.textContent === 'NodesExcluded'")
        browser.click("#waiting button")
        browser.wait("the explanation", "document.getElementById('explanation')")
        self.assertEqual([line for line in browser.complaints() if "favicon" not in line], [])
        self.assertEqual([asked for asked in browser.requests() if not asked.startswith((url, "data:"))], [])


if __name__ == "__main__":
    unittest.main()
