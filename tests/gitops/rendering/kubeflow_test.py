"""deploy/kubeflow without a cluster: what the chart makes of a preset, and that apps/ is what it makes."""

import unittest

import yaml

import places
import render
from helm import HELM4
from kubeflow_releases import folders_of
from manifests import documents, sources_of, wave_of

CHART = places.KUBEFLOW / "chart"
WAVES = {0: {"common-services"}, 1: {"profiles", "admission-webhook"}, 2: {"pipelines", "katib", "jupyter"},
         3: {"kserve", "trainer"}, 4: {"web-apps", "pvcviewer-controller", "models-web-app"},
         5: {"spark", "model-registry", "user-namespace"}}
PRESETS = ("1.11", "26.03")


def rendered(*words: str) -> dict[str, dict]:
    text = HELM4("template", "kubeflow", str(CHART), *words).stdout
    return {each["metadata"]["name"]: each for each in yaml.safe_load_all(text) if each}


def manifests_sources(application: dict) -> list[dict]:
    return [each for each in sources_of(application) if "manifests" in each["repoURL"]]


class Presets(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.apps = {preset: rendered("--set-string", f"preset={preset}") for preset in PRESETS}

    def test_every_application_is_in_its_wave(self):
        for preset, apps in self.apps.items():
            found = {}
            for name, application in apps.items():
                found.setdefault(wave_of(application), set()).add(name.removeprefix("kubeflow-"))
            self.assertEqual(found, WAVES, preset)

    def test_every_folder_is_in_the_release(self):
        tags = {preset: yaml.safe_load((CHART / "presets" / f"{preset}.yaml").read_text(encoding="utf-8"))["revision"]
                for preset in PRESETS}
        lists = {preset: folders_of(tag) for preset, tag in tags.items()}
        if not all(lists.values()):
            self.skipTest("the lists of folders are not available")
        for preset, apps in self.apps.items():
            for name, application in apps.items():
                for source in manifests_sources(application):
                    self.assertEqual(source["targetRevision"], tags[preset])
                    self.assertIn(source["path"], lists[preset], f"{name} of {preset}")

    def test_no_folder_is_deployed_twice(self):
        for preset, apps in self.apps.items():
            folders = [source["path"] for application in apps.values() for source in sources_of(application)]
            self.assertEqual(len(folders), len(set(folders)), preset)

    def test_common_services_are_the_thirteen_folders_in_an_order(self):
        sources = sources_of(self.apps["1.11"]["kubeflow-common-services"])
        waves = {source["path"]: int(source["kustomize"]["commonAnnotations"]["argocd.argoproj.io/sync-wave"])
                 for source in sources}
        self.assertEqual(len(waves), 13)
        for earlier, later in (("common/istio/istio-crds/base", "common/istio/istio-install/overlays/oauth2-proxy"),
                               ("common/kubeflow-namespace/base", "common/kubeflow-roles/base"),
                               ("common/cert-manager/base", "common/cert-manager/kubeflow-issuer/base"),
                               ("common/istio/istio-namespace/base", "common/istio/kubeflow-istio-resources/base")):
            self.assertLess(waves[earlier], waves[later])

    def test_the_namespace_is_baseline_in_git(self):
        for apps in self.apps.values():
            source = next(each for each in sources_of(apps["kubeflow-common-services"])
                          if each["path"] == "common/kubeflow-namespace/base")
            patch = source["kustomize"]["patches"][0]
            self.assertEqual(patch["target"], {"kind": "Namespace", "name": "kubeflow"})
            self.assertEqual(yaml.safe_load(patch["patch"])["metadata"]["labels"],
                             {"pod-security.kubernetes.io/enforce": "baseline"})

    def test_profiles_are_never_deleted(self):
        for apps in self.apps.values():
            patch = sources_of(apps["kubeflow-user-namespace"])[0]["kustomize"]["patches"][0]
            self.assertEqual(patch["target"], {"kind": "Profile"})
            self.assertEqual(yaml.safe_load(patch["patch"])["metadata"]["annotations"],
                             {"argocd.argoproj.io/sync-options": "Prune=false,Delete=false"})

    def test_what_the_document_says_about_single_applications(self):
        apps = self.apps["1.11"]
        self.assertEqual(apps["kubeflow-web-apps"]["spec"]["destination"]["namespace"], "kubeflow")
        self.assertEqual(apps["kubeflow-trainer"]["spec"]["destination"]["namespace"], "kubeflow-system")
        self.assertEqual(sources_of(apps["kubeflow-model-registry"])[0]["path"], "applications/model-registry/upstream/overlays/db")
        self.assertEqual(sources_of(apps["kubeflow-profiles"])[0]["path"], "applications/profiles/pss")

    def test_every_application_is_retried_for_ever_and_applied_by_the_server(self):
        for apps in self.apps.values():
            for name, application in apps.items():
                policy = application["spec"]["syncPolicy"]
                self.assertIn("ServerSideApply=true", policy["syncOptions"], name)
                self.assertFalse({"Force=true", "Replace=true"} & set(policy["syncOptions"]), name)
                self.assertEqual(policy["retry"]["limit"], -1, name)
                self.assertEqual(policy["automated"], {"prune": True, "selfHeal": True, "allowEmpty": False}, name)
                self.assertNotIn("dependsOn", application["spec"])


class Values(unittest.TestCase):
    def test_applications_can_be_left_out_changed_and_added(self):
        apps = rendered("--set-json", 'apps=[{"name":"kubeflow-spark","enabled":false},{"name":"kubeflow-katib","wave":4},'
                        '{"name":"mine","wave":6,'
                        '"sources":[{"repoURL":"https://charts.example","chart":"c","targetRevision":"1"}]}]')
        self.assertNotIn("kubeflow-spark", apps)
        self.assertEqual(wave_of(apps["kubeflow-katib"]), 4)
        self.assertEqual(sources_of(apps["mine"]), [{"repoURL": "https://charts.example", "chart": "c", "targetRevision": "1"}])

    def test_the_gpu_scheduler_can_be_a_part_of_it(self):
        scheduler = rendered("--set", "gpuScheduler.enabled=true,gpuScheduler.values.replicas=1")["kubeflow-gpu-scheduler"]
        self.assertEqual(wave_of(scheduler), 1)
        source = sources_of(scheduler)[0]
        self.assertEqual((source["path"], source["helm"]["releaseName"]), ("charts/gpu-scheduler", "gpu-scheduler"))
        self.assertEqual(source["helm"]["valuesObject"], {"replicas": 1})

    def test_mistakes_are_refused_with_what_there_is(self):
        for words, message in ((("--set-string", "preset=9.9"), "there are 1.11, 26.03"),
                               (("--set-json", 'apps=[{"name":"kubeflow-sprak","enabled":false}]'), "is it a typo?"),
                               (("--set", "podSecurity=relaxed"), "podSecurity")):
            done = HELM4("template", "kubeflow", str(CHART), *words, check=False)
            self.assertNotEqual(done.returncode, 0, words)
            self.assertIn(message, done.stderr)


class Rendered(unittest.TestCase):
    def test_apps_is_what_the_chart_makes(self):
        files = render.wanted_files(HELM4.path, places.KUBEFLOW)
        self.assertEqual(render.differences(files, places.KUBEFLOW), [], "run `make render` in deploy/kubeflow")

    def test_the_root_reads_them_all(self):
        folder = places.KUBEFLOW / "apps" / "kubeflow"
        listed = documents(folder / "kustomization.yaml")[0]["resources"]
        self.assertEqual(set(listed), {path.name for path in folder.glob("*.yaml")} - {"kustomization.yaml"})
        self.assertEqual(len(listed), 14)
        root = next(each for each in documents(places.KUBEFLOW / "app-of-apps.yaml") if each["kind"] == "Application")
        self.assertEqual(places.ROOT / root["spec"]["source"]["path"], folder)
        self.assertNotIn("ApplyOutOfSyncOnly=true", root["spec"]["syncPolicy"]["syncOptions"])

    def test_the_projects_of_the_applications_come_with_the_root(self):
        found = documents(places.KUBEFLOW / "app-of-apps.yaml")
        projects = {each["metadata"]["name"]: each for each in found if each["kind"] == "AppProject"}
        used = {documents(path)[0]["spec"]["project"] for path in (places.KUBEFLOW / "apps/kubeflow").glob("*.yaml")
                if path.name != "kustomization.yaml"}
        self.assertEqual(used, {"kubeflow"})
        allowed = {each["namespace"] for each in projects["kubeflow"]["spec"]["destinations"]}
        for application in rendered("--set", "gpuScheduler.enabled=true").values():
            self.assertIn(application["spec"]["destination"]["namespace"], allowed)
        chart = HELM4("template", "gpu-scheduler", str(places.ROOT / "charts/gpu-scheduler"), "-n", "gpu-scheduler-system").stdout
        used = {each["metadata"].get("namespace", "default") for each in yaml.safe_load_all(chart) if each}
        self.assertLessEqual(used, allowed)

    def test_common_services_without_argo_cd_are_the_same_folders(self):
        kustomization = documents(places.KUBEFLOW / "apps/base/common-services/kustomization.yaml")[0]
        sources = sources_of(documents(places.KUBEFLOW / "apps/kubeflow/common-services.yaml")[0])
        self.assertEqual([f"//{source['path']}?ref={source['targetRevision']}" for source in sources],
                         ["//" + text.split("//")[2] for text in kustomization["resources"]])


if __name__ == "__main__":
    unittest.main()
