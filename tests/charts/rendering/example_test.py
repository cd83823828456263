"""examples/maps/check-service.yaml is what the chart of the check service makes, but for what pods are asked over the network."""

import unittest

import yaml

import paths
from helm import HELM4

CHART = paths.ROOT / "charts" / "gpu-scheduler-check"
EXAMPLE = paths.ROOT / "examples" / "maps" / "check-service.yaml"
# What only somebody has who installs with Helm.
OF_HELM = ("helm.sh/chart", "app.kubernetes.io/managed-by", "app.kubernetes.io/version")


def without_helm(value):
    if isinstance(value, dict):
        return {name: without_helm(each) for name, each in value.items() if name not in OF_HELM}
    return [without_helm(each) for each in value] if isinstance(value, list) else value


def without_network(rendered: list) -> list:
    """In gpu-local all pods have the network of the machine, where only one could listen at that port."""
    service, pods = rendered
    del service["spec"]["ports"]
    container = pods["spec"]["template"]["spec"]["containers"][0]
    container["args"] = [word for word in container["args"] if not word.startswith("--listen")]
    del container["ports"], container["readinessProbe"]
    return rendered


class ExampleTest(unittest.TestCase):
    def test_the_plain_manifest_is_the_charts_output(self):
        text = HELM4("template", "gpu-scheduler-check", str(CHART)).stdout
        rendered = [without_helm(each) for each in yaml.safe_load_all(text) if each]
        for each in rendered:
            each["metadata"].pop("namespace", None)
        self.assertEqual(list(yaml.safe_load_all(EXAMPLE.read_text(encoding="utf-8"))), without_network(rendered))


if __name__ == "__main__":
    unittest.main()
