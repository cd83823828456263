"""The Application for GPU machines of OpenShift.

Its project allows what the folder holds, and the generator runs where it has to.
"""

import unittest

import places
from manifests import documents, wave_of

FOLDER = places.DEPLOY / "openshift" / "gpu-infrastructure"
CLUSTER_WIDE = {"ClusterPolicy", "ClusterRole", "ClusterRoleBinding", "Namespace"}


def group_of(found: dict) -> str:
    return found["apiVersion"].rpartition("/")[0]


@unittest.skipUnless(FOLDER.is_dir(), "deploy/openshift is not there")
class Infrastructure(unittest.TestCase):
    def setUp(self):
        self.project, self.application = documents(places.ARGOCD / "gpu-infrastructure-application.yaml")
        self.objects = [each for path in sorted(FOLDER.glob("*.yaml")) if path.name != "kustomization.yaml"
                        for each in documents(path)]

    def test_the_application_reads_the_folder(self):
        self.assertEqual(places.ROOT / self.application["spec"]["source"]["path"], FOLDER)
        self.assertEqual(self.application["spec"]["project"], self.project["metadata"]["name"])

    def test_the_project_allows_what_is_in_it(self):
        places_allowed = {each["namespace"] for each in self.project["spec"]["destinations"]}
        for found in self.objects:
            kind = {"group": group_of(found), "kind": found["kind"]}
            if found["kind"] in CLUSTER_WIDE:
                self.assertIn(kind, self.project["spec"]["clusterResourceWhitelist"])
            else:
                self.assertIn(kind, self.project["spec"]["namespaceResourceWhitelist"])
                self.assertIn(found["metadata"]["namespace"], places_allowed, kind)

    def test_the_generator_is_a_hook_after_everything_it_needs(self):
        job = next(each for each in self.objects if each["kind"] == "Job")
        annotations = job["metadata"]["annotations"]
        self.assertEqual(annotations["argocd.argoproj.io/hook"], "Sync")
        self.assertEqual(annotations["argocd.argoproj.io/hook-delete-policy"], "BeforeHookCreation")
        self.assertEqual(wave_of(job), 5)
        self.assertTrue(all(wave_of(each) < 5 for each in self.objects if each is not job and each["kind"] not in CLUSTER_WIDE))
        self.assertNotIn("ttlSecondsAfterFinished", job["spec"])

    def test_machine_sets_are_not_in_git_so_nothing_prunes_them(self):
        self.assertNotIn("MachineSet", {each["kind"] for each in self.objects})


if __name__ == "__main__":
    unittest.main()
