"""examples/maps/check-service.yaml is what the chart of the check service makes with its defaults."""

import unittest

import yaml

import paths
from helm import HELM4, KUBERNETES

CHART = paths.ROOT / "charts" / "gpu-scheduler-check"
EXAMPLE = paths.ROOT / "examples" / "maps" / "check-service.yaml"
# What only somebody has who installs with Helm.
OF_HELM = ("helm.sh/chart", "app.kubernetes.io/managed-by", "app.kubernetes.io/version")


def without_helm(value):
    if isinstance(value, dict):
        return {name: without_helm(each) for name, each in value.items() if name not in OF_HELM}
    return [without_helm(each) for each in value] if isinstance(value, list) else value


class ExampleTest(unittest.TestCase):
    def test_the_plain_manifest_is_the_charts_output(self):
        text = HELM4("template", "gpu-scheduler-check", str(CHART), f"--kube-version={KUBERNETES}").stdout
        rendered = [without_helm(each) for each in yaml.safe_load_all(text) if each]
        for each in rendered:
            each["metadata"].pop("namespace", None)
        self.assertEqual(list(yaml.safe_load_all(EXAMPLE.read_text(encoding="utf-8"))), rendered)


if __name__ == "__main__":
    unittest.main()
