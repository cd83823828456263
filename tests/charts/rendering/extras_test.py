"""What the chart has around its programs: budgets, flow control, network policies, monitors, a dashboard, placement."""

import json
import re
import unittest

import paths
import yaml
from helm import HELM3, HELM4

SCHEMA = json.loads((paths.CHART / "values.schema.json").read_text(encoding="utf-8"))
VALUES = yaml.safe_load((paths.CHART / "values.yaml").read_text(encoding="utf-8"))
DASHBOARD = paths.CHART / "dashboards" / "gpu-scheduler.json"
METRIC = re.compile(r"\b(?:gpu_)?(?:scheduler|agent|webhook)_[a-z_]+")


def unknown_to_schema(values: dict, schema: dict, path: str) -> list[str]:
    """Values that the schema says nothing about, at any depth."""
    if "$ref" in schema:
        schema = SCHEMA["definitions"][schema["$ref"].rpartition("/")[2]]
    found = []
    for name, value in values.items():
        place = f"{path}.{name}"
        if name not in schema.get("properties", {}):
            found += [] if "additionalProperties" in schema and schema["additionalProperties"] else [place]
        elif isinstance(value, dict) and not {"$ref", "anyOf"} & set(schema["properties"][name]):
            found += unknown_to_schema(value, schema["properties"][name], place)
    return found


class Extras:
    """What must be so with either Helm."""

    def objects(self, *values: str) -> list[dict]:
        words = [word for value in values for word in ("--set", value)]
        return [each for each in yaml.safe_load_all(self.helm.template(*words).stdout) if each]

    def of_kind(self, kind: str, *values: str) -> list[dict]:
        return [each for each in self.objects(*values) if each["kind"] == kind]

    def pod_specs(self, *values: str) -> dict[str, dict]:
        return {each["metadata"]["name"]: each["spec"]["template"]["spec"] for each in self.objects(*values)
                if each["kind"] in ("Deployment", "DaemonSet")}

    def test_every_value_at_any_depth_is_in_the_schema(self):
        self.assertEqual(unknown_to_schema(VALUES, SCHEMA, ""), [])
        self.assertEqual(unknown_to_schema({"log": {"colour": "red"}}, SCHEMA, ""), [".log.colour"])

    def test_drains_take_one_replica_at_a_time(self):
        budgets = self.of_kind("PodDisruptionBudget")
        self.assertEqual([each["metadata"]["name"] for each in budgets], ["gpu-scheduler", "gpu-scheduler-webhook"])
        self.assertEqual({each["spec"]["maxUnavailable"] for each in budgets}, {1})
        self.assertEqual(len(self.of_kind("PodDisruptionBudget", "webhook.placement=sidecar")), 1)
        self.assertEqual(self.of_kind("PodDisruptionBudget", "disruptionBudget.enabled=false"), [])

    def test_replicas_like_to_be_apart_and_run_together_where_they_must(self):
        for name in ("gpu-scheduler", "gpu-scheduler-webhook"):
            spread = self.pod_specs()[name]["topologySpreadConstraints"]
            self.assertEqual([each["topologyKey"] for each in spread],
                             ["kubernetes.io/hostname", "topology.kubernetes.io/zone"])
            for each in spread:
                self.assertEqual(each["whenUnsatisfiable"], "ScheduleAnyway")
                self.assertEqual(each["labelSelector"]["matchLabels"]["app.kubernetes.io/name"], name)

    def test_every_pod_wants_the_architecture_of_the_image_whatever_else_is_asked(self):
        architecture = {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]}

        def terms(spec: dict) -> list[dict]:
            return spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]

        for spec in self.pod_specs().values():
            self.assertEqual(terms(spec), [{"matchExpressions": [architecture]}])
        place = "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"
        asked = [f"{who}{place}[{n}].matchExpressions[0].{field}" for who in ("", "webhook.", "agent.") for n in (0, 1)
                 for field in (f"key=k{n}", "operator=Exists")]
        for spec in self.pod_specs(*asked, "affinity.podAntiAffinity.x=y").values():
            self.assertEqual(terms(spec), [{"matchExpressions": [{"key": f"k{n}", "operator": "Exists"}, architecture]}
                                           for n in (0, 1)])

    def test_priority_by_value(self):
        values = [f"{who}priorityClassName=system-cluster-critical" for who in ("", "webhook.", "agent.")]
        for spec in self.pod_specs(*values).values():
            self.assertEqual(spec["priorityClassName"], "system-cluster-critical")
        for spec in self.pod_specs().values():
            self.assertNotIn("priorityClassName", spec)

    def test_no_pod_has_a_fixed_user_but_agents_that_need_root(self):
        off = ("agent.podResources=off", "agent.seesProcesses=false")
        for spec in self.pod_specs(*off).values():
            self.assertNotIn("runAsUser", json.dumps(spec))
            self.assertNotIn("hostPath", json.dumps(spec))
            self.assertFalse(spec.get("hostPID"))

    def test_openshift_gives_agents_constraints_by_value(self):
        def bound(*values: str) -> list[str]:
            names = [each["roleRef"]["name"] for each in self.of_kind("RoleBinding", *values)]
            return [name for name in names if "openshift" in name]

        self.assertEqual(bound(), [])
        self.assertEqual(bound("agent.securityContextConstraints=privileged"), ["system:openshift:scc:privileged"])

    def test_the_fence_is_written_as_leader_election_and_the_rest_has_a_level_of_its_own(self):
        fence, rest = self.of_kind("FlowSchema")
        self.assertEqual(fence["spec"]["priorityLevelConfiguration"]["name"], "leader-election")
        self.assertLess(fence["spec"]["matchingPrecedence"], rest["spec"]["matchingPrecedence"])
        [rule] = fence["spec"]["rules"][0]["resourceRules"]
        self.assertEqual((rule["namespaces"], rule["verbs"]), (["kube-system"], ["get", "create", "update"]))
        [level] = self.of_kind("PriorityLevelConfiguration", "flowControl.shares=7")
        self.assertEqual(rest["spec"]["priorityLevelConfiguration"]["name"], level["metadata"]["name"])
        self.assertEqual(level["spec"]["limited"]["nominalConcurrencyShares"], 7)
        self.assertEqual(self.of_kind("FlowSchema", "flowControl.enabled=false"), [])

    def test_network_policies_by_value_let_in_what_is_served(self):
        self.assertEqual(self.of_kind("NetworkPolicy"), [])
        peer = "networkPolicy.metricsFrom[0].namespaceSelector.matchLabels.a=b"
        ports = {each["metadata"]["name"]: [port["port"] for rule in each["spec"]["ingress"] for port in rule["ports"]]
                 for each in self.of_kind("NetworkPolicy", "networkPolicy.enabled=true", peer)}
        self.assertEqual(ports, {"gpu-scheduler": ["http"], "gpu-scheduler-webhook": ["https"],
                                 "gpu-scheduler-agent": ["http"]})
        for value, count in (("true", 1), ("false", 0)):  # it is asked whether the webhook is there
            scheduler = self.of_kind("NetworkPolicy", "networkPolicy.enabled=true", f"webhook.recreatePods={value}")[0]
            webhook = {"podSelector": {"matchLabels": {"app.kubernetes.io/name": "gpu-scheduler-webhook",
                                                       "app.kubernetes.io/instance": "gpu-scheduler"}}}
            self.assertEqual(sum(rule.get("to") == [webhook] for rule in scheduler["spec"]["egress"]), count)
        sidecar = self.of_kind("NetworkPolicy", "networkPolicy.enabled=true", peer, "webhook.placement=sidecar")[0]
        webhook, metrics = sidecar["spec"]["ingress"]
        self.assertNotIn("from", webhook)
        self.assertEqual(metrics["from"], [{"namespaceSelector": {"matchLabels": {"a": "b"}}}])
        self.assertEqual([port["port"] for port in sidecar["spec"]["egress"][0]["ports"]], [443, 6443])

    def test_monitors_by_value_find_the_ports_there_are(self):
        self.assertEqual(self.of_kind("ServiceMonitor") + self.of_kind("PodMonitor"), [])
        values = ("monitoring.enabled=true", "monitoring.labels.release=prometheus")
        services = {each["metadata"]["labels"]["app.kubernetes.io/name"]: each for each in self.of_kind("Service")}
        for monitor in self.of_kind("ServiceMonitor", *values):
            service = services[monitor["spec"]["selector"]["matchLabels"]["app.kubernetes.io/name"]]
            [endpoint] = monitor["spec"]["endpoints"]
            self.assertEqual(endpoint["port"], service["spec"]["ports"][0]["name"])
            self.assertEqual(monitor["metadata"]["labels"]["release"], "prometheus")
        [agents] = self.of_kind("PodMonitor", *values)
        self.assertEqual(agents["spec"]["podMetricsEndpoints"][0]["port"], "http")

    def test_helm_test_takes_a_gpu_and_compares(self):
        [claim], [pod] = self.of_kind("GpuClaim"), self.of_kind("Pod")
        for each in (claim, pod):
            self.assertEqual(each["metadata"]["annotations"]["helm.sh/hook"], "test")
        self.assertEqual(pod["metadata"]["annotations"]["gpu.scheduling/claim"], claim["metadata"]["name"])
        [container] = pod["spec"]["containers"]
        self.assertEqual(container["args"], ["--once", "--verify"])
        self.assertNotIn("CUDA_VISIBLE_DEVICES", json.dumps(container))
        self.assertIn("CUDA_VISIBLE_DEVICES", json.dumps(self.of_kind("Pod", "webhook.enabled=false")))
        for kind in ("Service", "PodDisruptionBudget"):
            for each in self.of_kind(kind):
                chosen = each["spec"]["selector"].get("matchLabels", each["spec"]["selector"])
                self.assertFalse(chosen.items() <= pod["metadata"]["labels"].items(), each["metadata"]["name"])

    def test_the_dashboard_by_value_asks_for_metrics_there_are(self):
        self.assertEqual(self.of_kind("ConfigMap"), [])
        [made] = self.of_kind("ConfigMap", "dashboard.enabled=true")
        self.assertEqual(made["metadata"]["labels"]["grafana_dashboard"], "1")
        self.assertEqual(json.loads(made["data"]["gpu-scheduler.json"]), json.loads(DASHBOARD.read_text(encoding="utf-8")))
        expressions = [target["expr"] for panel in json.loads(made["data"]["gpu-scheduler.json"])["panels"]
                       for target in panel["targets"]]
        asked = {name.removesuffix("_bucket") for text in expressions for name in METRIC.findall(text)}
        sources = [path.read_text(encoding="utf-8") for path in (paths.ROOT / "src" / "programs").rglob("*.cc")
                   if not path.name.endswith("_test.cc")]
        self.assertGreater(len(asked), 8)
        self.assertEqual([name for name in sorted(asked) if not any(f'"{name}"' in text for text in sources)], [])


class WithHelm3(Extras, unittest.TestCase):
    helm = HELM3


class WithHelm4(Extras, unittest.TestCase):
    helm = HELM4
