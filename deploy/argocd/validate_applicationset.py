"""What validate-applicationset.sh does: checks of the files, then of the cluster. Every failure says how to repair it."""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
GATE = "resource.customizations.health.argoproj.io_Application"
WAVE = "argocd.argoproj.io/sync-wave"
WAVES = {"gpu-scheduler-crds": 0, "gpu-scheduler": 1, "gpu-scheduler-check": 2}
# By which a map may call a node, the first before the second.
NODE_LABELS = ("gpu-node-name", "gpu-node")
# Values with which the chart makes what it does not make by default.
EVERYTHING = "webhook.certificates=cert-manager,networkPolicy.enabled=true,monitoring.enabled=true,dashboard.enabled=true"
HELM_ARGUMENTS = ("--kube-version", "1.30.0", "--include-crds")


class Report:
    """Counts, and prints as it goes."""

    def __init__(self):
        self.failures = 0

    def passed(self, what: str) -> None:
        print(f"ok      {what}")

    def skipped(self, what: str) -> None:
        print(f"skipped {what}")

    def failed(self, what: str, repair: str) -> None:
        self.failures += 1
        print(f"FAILED  {what}\n        repair: {repair}")

    def check(self, is_good: bool, what: str, repair: str) -> bool:
        if is_good:
            self.passed(what)
        else:
            self.failed(what, repair)
        return is_good


def documents(path: Path) -> list[dict]:
    return [each for each in yaml.safe_load_all(path.read_text(encoding="utf-8")) if each]


def run(*command: str, stdin: str = "") -> subprocess.CompletedProcess:
    return subprocess.run(command, input=stdin, text=True, capture_output=True, check=False)


# --- the files ---------------------------------------------------------------------------------------------------


def application_sets() -> dict[Path, dict]:
    paths = [*HERE.glob("*applicationset.yaml"), *(HERE / "examples").glob("*.yaml")]
    return {path: document for path in sorted(paths) for document in documents(path)}


def check_sources(report: Report) -> None:
    known = yaml.safe_load((HERE.parent / "repository.yaml").read_text(encoding="utf-8"))["project"]
    projects = documents(HERE / "gpu-scheduler-project.yaml")
    for path, found in application_sets().items():
        source = found["spec"]["template"]["spec"]["source"]
        report.check(all(source[name] == known[name] for name in ("repoURL", "targetRevision")),
                     f"{path.name} reads from {source['repoURL']} at {source['targetRevision']}",
                     f"the other files say {known['repoURL']} at {known['targetRevision']}; "
                     "set all of them with update-repo-urls.sh")
        report.check((ROOT / source["path"]).is_dir(), f"{path.name} names the folder {source['path']}",
                     f"there is no {source['path']} here; name a folder of the repository")
    for project in projects:
        name = project["metadata"]["name"]
        report.check(known["repoURL"] in project["spec"]["sourceRepos"], f"project {name} may read {known['repoURL']}",
                     "set the repository everywhere with update-repo-urls.sh")


def check_projects_are_used_right(report: Report) -> None:
    names = {each["metadata"]["name"] for each in documents(HERE / "gpu-scheduler-project.yaml")}
    for path, found in application_sets().items():
        project = found["spec"]["template"]["spec"]["project"]
        report.check(project in names, f"{path.name} belongs to project {project}",
                     f"gpu-scheduler-project.yaml has {', '.join(sorted(names))}; use one of them")


def helm_template(report: Report, chart: str, namespace: str, *words: str) -> list[dict]:
    done = run("helm", "template", Path(chart).name, str(ROOT / chart), "--namespace", namespace, *HELM_ARGUMENTS, *words)
    if not report.check(done.returncode == 0, f"{chart} renders", done.stderr.strip()[-1000:]):
        return []
    return [each for each in yaml.safe_load_all(done.stdout) if each and not is_helm_test(each)]


def is_helm_test(found: dict) -> bool:
    """What only `helm test` makes; Argo CD leaves it out."""
    return "test" in found["metadata"].get("annotations", {}).get("helm.sh/hook", "").split(",")


def values_of(found: dict) -> dict:
    return found["spec"]["template"]["spec"]["source"]["helm"].get("valuesObject", {})


def check_waves(report: Report) -> None:
    children = helm_template(report, "deploy/argocd/apps", "argocd", "--set", "source.repoURL=https://example.com/a.git",
                             "--set", "source.targetRevision=b")
    waves = {each["metadata"]["name"]: int(each["metadata"]["annotations"][WAVE]) for each in children}
    in_order = ", ".join(f"{name} {wave}" for name, wave in sorted(waves.items(), key=lambda e: e[1]))
    report.check(waves == WAVES, f"waves are {in_order}", f"deploy/argocd/apps has to have {WAVES}")
    parent = documents(HERE / "gpu-scheduler-complete-applicationset.yaml")[0]["spec"]["template"]["spec"]
    report.check("ApplyOutOfSyncOnly=true" not in parent["syncPolicy"]["syncOptions"],
                 "the parent waits for children that are in sync",
                 "remove ApplyOutOfSyncOnly from gpu-scheduler-complete-applicationset.yaml: it lets a wave begin too early")


def is_cluster_wide(project: dict, found: dict) -> bool:
    kind = {"group": group_of(found), "kind": found["kind"]}
    return kind in project["spec"]["clusterResourceWhitelist"]


def group_of(found: dict) -> str:
    group, _, version = found["apiVersion"].rpartition("/")
    return group if version else ""


def check_permissions(report: Report) -> None:
    """Everything that the charts render must be allowed by the project."""
    project, before = documents(HERE / "gpu-scheduler-project.yaml")[0], report.failures
    allowed = project["spec"]["namespaceResourceWhitelist"]
    places = {each["namespace"] for each in project["spec"]["destinations"]}
    check_values = values_of(documents(HERE / "gpu-scheduler-check-applicationset.yaml")[0])
    variants = [("charts/gpu-scheduler", "gpu-scheduler-system", ()),
                ("charts/gpu-scheduler", "gpu-scheduler-system", ("--set", EVERYTHING)),
                ("charts/gpu-scheduler-check", "gpu-scheduler-tests",
                 ("--set-json", f"gpuScheduling={json.dumps(check_values['gpuScheduling'])}"))]
    for chart, namespace, words in variants:
        for found in helm_template(report, chart, namespace, *words):
            what = f"{found['kind']} {found['metadata']['name']}"
            if is_cluster_wide(project, found):
                continue
            kind = {"group": group_of(found), "kind": found["kind"]}
            place = found["metadata"].get("namespace", namespace)
            if kind not in allowed:
                report.failed(f"project gpu-scheduler does not allow {what} of {chart}",
                              f"add {kind} to clusterResourceWhitelist or namespaceResourceWhitelist of gpu-scheduler-project.yaml")
            elif place not in places:
                report.failed(f"project gpu-scheduler does not allow {what} of {chart} in namespace {place}",
                              f"add namespace {place} to destinations of gpu-scheduler-project.yaml")
    if report.failures == before:
        report.passed("the project allows what the charts render")


def check_policies(report: Report) -> None:
    """In the form that Argo CD's API server insists on."""
    before = report.failures
    for project in documents(HERE / "gpu-scheduler-project.yaml"):
        name = project["metadata"]["name"]
        for role in project["spec"]["roles"]:
            for policy in role["policies"]:
                parts = [part.strip() for part in policy.split(",")]
                is_good = (len(parts) == 6 and parts[0] == "p" and parts[1] == f"proj:{name}:{role['name']}" and
                           parts[4].startswith(f"{name}/") and parts[5] in ("allow", "deny"))
                if not is_good:
                    report.failed(f"policy '{policy}' of role {role['name']}",
                                  f"write it as: p, proj:{name}:{role['name']}, applications, get, {name}/*, allow")
    if report.failures == before:
        report.passed("the roles' policies have the form that Argo CD takes")


def check_schemas(report: Report) -> None:
    if not shutil.which("kubeconform"):
        report.skipped("kubeconform is not installed, so kinds and fields were not compared with schemas")
        return
    schemas = os.environ.get("KUBECONFORM_SCHEMAS")
    where = ("-schema-location", schemas) if schemas else ("-ignore-missing-schemas",)
    paths = sorted(str(path) for path in [*HERE.glob("*.yaml"), *(HERE / "examples").glob("*.yaml")])
    done = run("kubeconform", "-strict", *where, *paths)
    if "failed downloading schema" in done.stdout + done.stderr:
        report.skipped("kubeconform cannot fetch its schemas from here; KUBECONFORM_SCHEMAS can name a folder of them")
        return
    report.check(done.returncode == 0, "kubeconform accepts the files", (done.stdout + done.stderr).strip()[-1000:])


def check_files(report: Report) -> None:
    check_sources(report)
    check_projects_are_used_right(report)
    check_policies(report)
    if not report.check(shutil.which("helm") is not None, "helm is installed", "install helm, or put it into PATH"):
        return
    check_waves(report)
    check_permissions(report)
    check_schemas(report)


# --- the cluster -------------------------------------------------------------------------------------------------


def get(*words: str) -> dict | None:
    done = run("kubectl", "get", *words, "-o", "json")
    return json.loads(done.stdout) if done.returncode == 0 else None


def check_argocd(report: Report) -> bool:
    there = True
    for kind in ("applications", "applicationsets", "appprojects"):
        there &= report.check(get("crd", f"{kind}.argoproj.io") is not None, f"the cluster knows {kind}",
                              "install Argo CD first: https://argo-cd.readthedocs.io/en/stable/getting_started/")
    return there


def check_gate(report: Report) -> None:
    wanted = documents(HERE / "argocd-health.yaml")[0]["data"][GATE]
    settings = (get("configmap", "argocd-cm", "-n", "argocd") or {}).get("data", {})
    apply = "kubectl apply --server-side --field-manager=gpu-scheduler-health -f argocd-health.yaml"
    report.check(GATE in settings, "Argo CD waits between waves of Applications", f"{apply}; without it the waves have no meaning")
    if GATE in settings:
        report.check(settings[GATE].strip() == wanted.strip(), "it does so by the check of argocd-health.yaml",
                     f"{apply} --force-conflicts; or see that yours also looks at the sync status and at what was compared")


def check_secrets(report: Report) -> None:
    secrets = (get("secrets", "-n", "argocd", "-l", "argocd.argoproj.io/secret-type=cluster") or {}).get("items", [])
    chosen = [each["metadata"]["name"] for each in secrets
              if each["metadata"].get("labels", {}).get("environment") == "gpu-enabled"]
    report.check(bool(chosen), f"clusters with environment=gpu-enabled: {', '.join(chosen) or 'none'}",
                 "kubectl apply -f local-cluster-secret.yaml, or: kubectl -n argocd label secret <cluster> environment=gpu-enabled")


def check_project_objects(report: Report) -> None:
    for project in documents(HERE / "gpu-scheduler-project.yaml"):
        name = project["metadata"]["name"]
        report.check(get("appproject", name, "-n", "argocd") is not None, f"project {name} is there",
                     "kubectl apply -f gpu-scheduler-project.yaml")


def nodes_meant(word: str, nodes: list[dict]) -> list[str]:
    """By a map, as the scheduler reads it: the node of that name, else those with the first of the labels that any has."""
    if any(each["metadata"]["name"] == word for each in nodes):
        return [word]
    for label in NODE_LABELS:
        found = [each["metadata"]["name"] for each in nodes if each["metadata"].get("labels", {}).get(label) == word]
        if found:
            return found
    return []


def check_node_of_map(report: Report, word: str, nodes: list[dict]) -> None:
    meant = nodes_meant(word, nodes)
    if len(meant) > 1:
        report.failed(f"node {word} of the map is the label of several nodes: {', '.join(meant)}",
                      f"leave the label on one of them; it is there in: kubectl get nodes -L {','.join(NODE_LABELS)}")
        return
    as_label = f", called {word} by a label" if meant not in ([], [word]) else ""
    report.check(bool(meant), f"node {(meant or [word])[0]} of the map is there{as_label}",
                 "name a node of this cluster in gpu-scheduler-complete-applicationset.yaml, or: "
                 f"kubectl label node <node> {NODE_LABELS[0]}={word}")


def check_nodes(report: Report) -> None:
    """Of the cluster that kubectl reaches, which is the one that Argo CD runs in."""
    nodes = (get("nodes") or {}).get("items", [])
    labels = [each["metadata"].get("labels", {}) for each in nodes]
    complete = values_of(documents(HERE / "gpu-scheduler-complete-applicationset.yaml")[0])
    for entry in complete["check"]["values"]["gpuScheduling"]["schedulingMap"]:
        check_node_of_map(report, entry["nodeName"], nodes)
    report.check(any("node-role.kubernetes.io/control-plane" in label for label in labels), "a node has the control-plane label",
                 "the scheduler runs on control-plane nodes; where there are none, set nodeSelector: null in scheduler.values")


def check_cluster(report: Report) -> None:
    if not shutil.which("kubectl") or run("kubectl", "version", "--request-timeout=10s").returncode != 0:
        report.skipped("kubectl reaches no cluster, so only the files were looked at")
        return
    if not check_argocd(report):
        return
    check_gate(report)
    check_secrets(report)
    check_project_objects(report)
    check_nodes(report)


def main() -> int:
    parser = argparse.ArgumentParser(prog="validate-applicationset.sh", description=__doc__.splitlines()[0])
    parser.add_argument("--offline", action="store_true", help="only the files")
    arguments = parser.parse_args()
    report = Report()
    check_files(report)
    if not arguments.offline:
        check_cluster(report)
    print("Nothing is wrong." if report.failures == 0 else f"{report.failures} things have to be repaired.")
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
