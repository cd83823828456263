"""A plane that looks like OpenShift to gpu-machinesets, and the Job of deploy/openshift without a kubelet."""

import atexit
import base64
import functools
import json
import os
import ssl
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "cluster"), str(ROOT / "tests" / "webhook")]

from support import PlaneUnderTest, wait_for_kinds, wait_until  # noqa: E402
from webhook_process import JSON_PATCH, MERGE_PATCH, Api  # noqa: E402
import go_build  # noqa: E402  # of tools/cluster, which support knows the way to
from relay import Relay  # noqa: E402

PROGRAMS = Path(os.environ.get("GS_PROGRAMS", ROOT / "build" / "dev" / "bin"))
PROGRAM = PROGRAMS / "gpu-machinesets"
DEPLOYED = ROOT / "deploy" / "openshift" / "gpu-infrastructure"
AS_DOCUMENTED = ROOT / "gitops" / "stage00-ai-platform" / "gpu-infrastructure"
CLUSTERS = ROOT / "tests" / "openshift" / "offline"
CRDS = ("machine/v1beta1/zz_generated.crd-manifests/0000_10_machine-api_01_machinesets-Default.crd.yaml",
        "machine/v1beta1/zz_generated.crd-manifests/0000_10_machine-api_01_machines-Default.crd.yaml",
        "config/v1/zz_generated.crd-manifests/0000_10_config-operator_01_infrastructures-Default.crd.yaml")

NAMESPACE = "openshift-machine-api"
NAME = "gpu-machineset-generator"
SETS = f"/apis/machine.openshift.io/v1beta1/namespaces/{NAMESPACE}/machinesets"
MACHINES = f"/apis/machine.openshift.io/v1beta1/namespaces/{NAMESPACE}/machines"
AUTOSCALERS = f"/apis/autoscaling.openshift.io/v1beta1/namespaces/{NAMESPACE}/machineautoscalers"
CLUSTER_AUTOSCALERS = "/apis/autoscaling.openshift.io/v1/clusterautoscalers"
POLICIES = "/apis/nvidia.com/v1/clusterpolicies"
DISCOVERIES = "/apis/nfd.openshift.io/v1/namespaces/openshift-nfd/nodefeaturediscoveries"
INFRASTRUCTURES = "/apis/config.openshift.io/v1/infrastructures"
COLLECTIONS = (SETS, AUTOSCALERS, CLUSTER_AUTOSCALERS, MACHINES, INFRASTRUCTURES, POLICIES, DISCOVERIES)
CONFIG_MAP = f"/api/v1/namespaces/{NAMESPACE}/configmaps/{NAME}-script"
JOB = f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs/{NAME}"
ROLE = f"/apis/rbac.authorization.k8s.io/v1/clusterroles/{NAME}"
HEADER = "apiVersion: gpu-machinesets/v1\nkind: MachineSetSettings\n"


class OpenShift:
    def __init__(self):
        self.plane = PlaneUnderTest("openshift")
        self.folder = Path(self.plane.parent.name)
        self.authority = self.plane.folder / "pki" / "ca.crt"

    def up(self) -> "OpenShift":
        crds = go_build.module_folder("openshift", "github.com/openshift/api")
        self.plane.up()
        self.api = Api(self.plane)
        files = [str(crds / name) for name in CRDS] + [str(ROOT / "tests" / "openshift" / "other_kinds.yaml")]
        self.kubectl("create", *(word for name in files for word in ("-f", name)))
        wait_for_kinds(self.kubectl, *(collection.rpartition("/")[2] for collection in COLLECTIONS))
        for name in (NAMESPACE, "openshift-nfd"):
            self.kubectl("create", "namespace", name)
        return self

    def close(self) -> None:
        self.plane.close()

    def kubectl(self, *words: str, stdin: str = "") -> str:
        done = self.plane.kubectl(*words, stdin=stdin, check=False)
        if done.returncode != 0:
            raise AssertionError(f"kubectl {' '.join(words)}: {done.stderr}")
        return done.stdout

    # --- the cluster itself ------------------------------------------------------------------------------------------

    def become(self, case: str) -> None:
        """The Infrastructure and the worker sets of a folder, and nothing else."""
        for collection in COLLECTIONS:
            self.api.request("DELETE", collection)
        text = (CLUSTERS / case / "cluster.yaml").read_text(encoding="utf-8")
        for made in yaml.safe_load_all(text):
            status = made.pop("status", {})
            made["metadata"] = {key: made["metadata"][key] for key in ("name", "labels") if key in made["metadata"]}
            collection = SETS if made["kind"] == "MachineSet" else INFRASTRUCTURES
            path = f"{collection}/{made['metadata']['name']}"
            self.expect("POST", collection, made)
            self.expect("PATCH", f"{path}/status", {"status": status}, MERGE_PATCH)

    def expect(self, method: str, path: str, body=None, content_type: str = "application/json") -> dict:
        code, answer = self.api.request(method, path, body, content_type)
        if code not in (200, 201):
            raise AssertionError(f"{method} {path}: {answer}")
        return answer

    def sets(self) -> dict[str, dict]:
        """Those with GPUs, by name."""
        return {each["metadata"]["name"]: each for each in self.api.get(SETS)["items"]
                if "-gpu-" in each["metadata"]["name"]}

    def versions(self) -> dict[str, str]:
        return {each["metadata"]["name"]: each["metadata"]["resourceVersion"] for each in self.api.get(SETS)["items"]}

    # --- what is deployed --------------------------------------------------------------------------------------------

    def deploy(self, *components: str) -> None:
        """oc apply -k, with components as a user adds them."""
        self.api.request("DELETE", f"{JOB}?propagationPolicy=Background")
        wait_until(lambda: self.api.request("GET", JOB)[0] == 404)
        if not components:
            self.kubectl("apply", "-k", str(AS_DOCUMENTED))
        else:
            with tempfile.TemporaryDirectory(dir=self.folder) as folder:
                base = os.path.relpath(DEPLOYED, os.path.realpath(folder))
                wanted = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "resources": [base],
                          "components": [f"{base}/components/{name}" for name in components]}
                Path(folder, "kustomization.yaml").write_text(json.dumps(wanted), encoding="utf-8")
                self.kubectl("apply", "-k", folder)
        self.wait_for_rights(self.api.get(ROLE)["rules"])
        self.log_in()

    def wait_for_rights(self, rules: list[dict]) -> None:
        """API servers learn of roles a little later."""
        for right in rights_of(rules):
            if not wait_until(lambda right=right: self.may(*right), 60):
                raise AssertionError(f"{right} is not allowed")

    def take_away(self, right: tuple[str, str, str, str], rules: list[dict]) -> None:
        """The same role without one verb of one resource."""
        verb, group, resource, _ = right

        def lacks(rule: dict) -> dict:
            is_meant = rule["apiGroups"] == [group] and rule["resources"] == [resource]
            return rule | {"verbs": [each for each in rule["verbs"] if not is_meant or each != verb]}

        left = [rule for rule in map(lacks, rules) if rule["verbs"]]
        self.expect("PATCH", ROLE, [{"op": "replace", "path": "/rules", "value": left}], JSON_PATCH)
        if not wait_until(lambda: not self.may(*right), 60):
            raise AssertionError(f"{right} is still allowed")

    def give_back(self, rules: list[dict]) -> None:
        self.expect("PATCH", ROLE, [{"op": "replace", "path": "/rules", "value": rules}], JSON_PATCH)
        self.wait_for_rights(rules)

    def may(self, verb: str, group: str, resource: str, name: str) -> bool:
        asked = {"verb": verb, "group": group, "resource": resource, "name": name, "namespace": NAMESPACE}
        review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
                  "spec": {"user": f"system:serviceaccount:{NAMESPACE}:{NAME}", "resourceAttributes": asked}}
        answer = self.expect("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", review)
        return answer["status"]["allowed"]

    def log_in(self) -> None:
        """A kubeconfig of the Job's ServiceAccount."""
        self.token = self.kubectl("create", "token", NAME, "--namespace", NAMESPACE).strip()
        authority = base64.b64encode(self.authority.read_bytes()).decode()
        self.account = self.write_account("job", {"server": f"https://{self.api.address}",
                                                  "certificate-authority-data": authority})

    def write_account(self, name: str, cluster: dict) -> Path:
        config = {"apiVersion": "v1", "kind": "Config", "current-context": "job",
                  "clusters": [{"name": "plane", "cluster": cluster}],
                  "users": [{"name": "job", "user": {"token": self.token}}],
                  "contexts": [{"name": "job", "context": {"cluster": "plane", "user": "job"}}]}
        path = self.folder / f"{name}.kubeconfig"
        path.write_text(json.dumps(config), encoding="utf-8")
        return path

    def relay(self, **heard) -> Relay:
        return Relay(self.api.address, ssl.create_default_context(cafile=str(self.authority)), **heard)

    def write_settings(self, settings: str) -> None:
        self.expect("PATCH", CONFIG_MAP, {"data": {"settings.yaml": HEADER + settings}}, MERGE_PATCH)

    def write_settings_file(self, path: Path) -> None:
        self.write_settings(path.read_text(encoding="utf-8").removeprefix(HEADER))

    # --- the program -------------------------------------------------------------------------------------------------

    def job_command(self, folder: Path) -> list[str]:
        """The Job's own command line, with the ConfigMap where its volume would be."""
        spec = self.api.get(JOB)["spec"]["template"]["spec"]
        container = next(each for each in spec["containers"] if each["name"] == "generator")
        mount = container["volumeMounts"][0]
        volume = next(each for each in spec["volumes"] if each["name"] == mount["name"])
        data = self.api.get(f"/api/v1/namespaces/{NAMESPACE}/configmaps/{volume['configMap']['name']}")["data"]
        for name, text in data.items():
            (folder / name).write_text(text, encoding="utf-8")
        program, *words = container["command"] + container.get("args", [])
        mounted = mount["mountPath"] + "/"
        return [str(PROGRAMS / Path(program).name), *(word.replace(mounted, f"{folder}/") for word in words)]

    def start_job(self, *more: str, through: Relay | None = None) -> subprocess.Popen:
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        account = self.write_account("relayed", {"server": through.address}) if through else self.account
        return subprocess.Popen([*self.job_command(folder), *more], env=os.environ | {"KUBECONFIG": str(account)},
                                text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run_job(self, *more: str, through: Relay | None = None) -> subprocess.CompletedProcess:
        process = self.start_job(*more, through=through)
        out, err = process.communicate(timeout=120)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def run(self, *words: str) -> subprocess.CompletedProcess:
        """As the same ServiceAccount."""
        return subprocess.run([PROGRAM, *words], env=os.environ | {"KUBECONFIG": str(self.account)}, text=True,
                              capture_output=True, timeout=120, check=False)


@functools.cache
def the_plane() -> OpenShift:
    """One for all tests: a control plane takes longer than they do."""
    made = OpenShift()
    atexit.register(made.close)
    return made.up()


def rights_of(rules: list[dict]) -> list[tuple[str, str, str, str]]:
    """Verb, group, resource and the name of an object, if only one is meant."""
    return sorted({(verb, group, resource, name) for rule in rules for group in rule["apiGroups"]
                   for resource in rule["resources"] for verb in rule["verbs"]
                   for name in rule.get("resourceNames", [""])})


__all__ = ["AUTOSCALERS", "CLUSTERS", "CLUSTER_AUTOSCALERS", "DISCOVERIES", "HEADER", "INFRASTRUCTURES", "JSON_PATCH",
           "MACHINES", "MERGE_PATCH", "NAMESPACE", "POLICIES", "PROGRAMS", "ROLE", "ROOT", "SETS", "OpenShift",
           "rights_of", "the_plane"]
