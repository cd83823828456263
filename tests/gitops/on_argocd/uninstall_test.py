"""`make clean` of deploy/kubeflow: the last thing that happens to the Argo CD of these tests."""

import places  # noqa: F401  it shows the way to the others
from argo_cd import NAMESPACE
from lab import Story

FOLDER = "deploy/kubeflow"


class Uninstall(Story):
    def test_1_argo_cd_goes_with_its_kinds_and_its_namespace(self):
        self.assertNotEqual(self.lab.shell("make -s clean", FOLDER).returncode, 0, "it does not ask")
        self.assertEqual(self.plane.kubectl("get", "namespace", NAMESPACE, check=False).returncode, 0)
        done = self.lab.shell("make -s clean YES=1", FOLDER)
        self.assertEqual(done.returncode, 0, done.stdout)
        for words in (("namespace", NAMESPACE), ("crd", "applications.argoproj.io")):
            self.assertNotEqual(self.plane.kubectl("get", *words, check=False).returncode, 0, words)

    def test_2_without_argo_cd_the_files_for_it_say_so(self):
        done = self.lab.shell("./validate-applicationset.sh", "deploy/argocd")
        self.assertEqual(done.returncode, 1)
        self.assertIn("install Argo CD first", done.stdout)

    def test_3_every_block_of_commands_of_the_pages_has_been_followed(self):
        for page in ("deploy/argocd/README.md", "deploy/kubeflow/README.md"):
            followed = [block for where, block in self.lab.followed if where == page]
            if not followed:
                self.skipTest("the stories that follow the pages have not been told")
            for block in self.lab.blocks_of(page):
                self.assertIn(block, followed)
