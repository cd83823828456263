"""deploy/kubeflow on a real Argo CD, with stand-ins for Kubeflow's manifests: every make target, by what it did."""

import os
import re
import signal
import subprocess
import urllib.error
import urllib.request
from contextlib import contextmanager

import yaml

import login_stand_in
import places  # it shows the way to the others
from argo_cd import NAMESPACE
from kubeflow_stand_ins import USER, applications, name_of
from lab import GOOD, Story
from login_stand_in import PASSWORD, Gateway
from manifests import wave_of
from seeming_pods import SAID

import free_ports  # of tools/cluster

README = "deploy/kubeflow/README.md"
FOLDER = "deploy/kubeflow"
ROOT = "kubeflow-app-of-apps"
KATIB = "kubeflow-katib"
KATIB_PARTS = name_of("applications/katib/upstream/installs/katib-with-kubeflow")
NOWHERE = '{"spec": {"template": {"spec": {"nodeSelector": {"no-node": "has-it"}}}}}'
# Commands in the text of the pages that have a step of their own, or are not for this folder.
ELSEWHERE = ("make port-forward", "make install-argocd", "make deploy-", "make delete-", "make update-repo-url",
             "make test", "kubectl patch", "argocd login")


class Kubeflow(Story):
    # --- what the steps are made of

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.waves = {each["metadata"]["name"]: wave_of(each) for each in applications()}

    def settings(self) -> dict[str, str]:
        """Ports of this machine that nobody else uses."""
        return {"PORT": str(free_ports.pick(1)[0]), "PAUSE": "2"}

    def run_make(self, words: str, **environment: str) -> subprocess.CompletedProcess:
        return self.lab.shell(f"make -s {words}", FOLDER, **self.settings(), **environment)

    def make(self, words: str, **environment: str) -> str:
        done = self.run_make(words, **environment)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    @contextmanager
    def left_running(self, target: str, **environment: str):
        """A target that goes on until Ctrl-C."""
        process = subprocess.Popen(["make", "-s", target], cwd=self.lab.project.folder / FOLDER, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   env=self.argo.environment() | environment, start_new_session=True)
        try:
            yield process.stdout
        finally:
            os.killpg(process.pid, signal.SIGINT)
            process.communicate()

    def answer_at(self, url: str) -> int:
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code

    def nobody_logged_in(self) -> dict[str, str]:
        """The argocd command keeps logins below its home."""
        home = self.argo.folder / "another-home"
        return {"HOME": str(home), "XDG_CONFIG_HOME": str(home / "config")}

    def is_there(self, *words: str) -> bool:
        return self.plane.kubectl("get", *words, check=False).returncode == 0

    def looked_at(self, name: str) -> str:
        return self.log.there[name]["status"].get("reconciledAt", "")

    def last_sync(self) -> dict:
        """Of the root."""
        return self.log.there[ROOT]["status"]["operationState"]

    def scheduler_of(self, container: dict, **spec: str) -> str:
        """That a new pod of a user would have."""
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "asks", "namespace": USER},
               "spec": {"containers": [{"name": "main", "image": "stand-in"} | container]} | spec}
        done = self.plane.kubectl("create", "--dry-run=server", "-f", "-", "-o", "jsonpath={.spec.schedulerName}",
                                  stdin=yaml.safe_dump(pod), check=False)
        return done.stdout + done.stderr

    def uid_of(self, name: str) -> str:
        return self.log.there.get(name, {}).get("metadata", {}).get("uid", "")

    # --- the story

    def test_01_the_files_are_pointed_at_a_fork_and_a_mirror(self):
        self.lab.follow(README, "Installation", 0)
        self.make(f"update-repo-url MANIFESTS={self.lab.manifests.url}")
        self.assertIn("can be built", self.lab.follow(README, "Changes"))
        self.lab.project.commit("Kubeflow")

    def test_02_argo_cd_is_installed(self):
        self.make("install-argocd WAIT=300")
        settings = self.plane.json("get", "configmap", "argocd-cmd-params-cm", "-n", NAMESPACE)
        self.assertEqual(settings["data"]["server.insecure"], "true")
        health = self.plane.json("get", "configmap", "argocd-cm", "-n", NAMESPACE)["data"]
        self.assertIn("resource.customizations.health.argoproj.io_Application", health)
        self.assertIn(self.argo.password(), self.make("get-argocd-password"))

    def test_03_its_command_is_installed(self):
        downloads = self.argo.folder / "downloads" / "v3.5.6"
        downloads.mkdir(parents=True)
        machine = {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine]
        (downloads / f"argocd-linux-{machine}").symlink_to(self.argo.bin / "argocd")
        target = self.argo.folder / "installed"
        target.mkdir()
        self.make("install-argocd-cli", ARGOCD_DOWNLOAD=f"file://{downloads.parent}", BIN=str(target))
        command = [target / "argocd", "version", "--client"]
        self.assertIn("v3.5.6", subprocess.run(command, text=True, capture_output=True, check=True).stdout)

    def test_04_all_applications_come_in_the_order_of_their_waves(self):
        begin = self.log.now()
        self.make("deploy-app-of-apps")
        said = self.make("wait")
        self.assertIn("waiting for:", said)
        self.assertIn(f"{ROOT} is Synced and Healthy.", said)
        self.lab.wait_for(lambda: all(self.log.state(name) == GOOD for name in self.waves), "not all are healthy")
        self.assertEqual(len(self.waves), 14)
        for name, wave in self.waves.items():
            for earlier in (each for each in self.waves if self.waves[each] == wave - 1):
                self.assertLess(self.log.good(earlier, begin), self.log.added(name, begin),
                                f"{name} did not wait for {earlier}")
        labels = self.plane.json("get", "namespace", "kubeflow")["metadata"]["labels"]
        self.assertEqual(labels["pod-security.kubernetes.io/enforce"], "baseline")

    def test_05_status_and_describe_tell_about_them(self):
        said = self.make("status")
        for name, wave in self.waves.items():
            self.assertRegex(said, rf"{wave} +{name} +Synced +Healthy")
        self.assertIn("Destination", self.make(f"describe APP={KATIB}"))
        with self.left_running("watch-apps") as said:
            self.assertIn("NAME", said.readline())

    def test_06_sync_and_refresh_make_argo_cd_do_it(self):
        before = self.last_sync()["startedAt"]
        looked_at = {name: self.looked_at(name) for name in self.waves}
        self.make("sync-all")
        self.lab.wait_for(lambda: self.last_sync()["startedAt"] > before, "no sync began")
        self.assertEqual(self.last_sync()["operation"]["initiatedBy"]["username"], "make sync-all")
        self.make("refresh-all")
        self.lab.wait_for(lambda: all(self.looked_at(name) > then for name, then in looked_at.items()),
                          "not all are looked at")
        before = self.looked_at(KATIB)
        self.make(f"refresh APP={KATIB}")
        self.lab.wait_for(lambda: self.looked_at(KATIB) > before, "it is not looked at")
        self.lab.wait_for(lambda: self.log.state(ROOT) == GOOD, "the sync does not end")

    def test_07_logs_and_forwarded_ports_reach_the_pods(self):
        self.assertIn(SAID, self.make(f"logs APP={KATIB}", **self.nobody_logged_in()))
        with_login = f"logs APP={KATIB} ARGOCD=argocd"
        self.assertIn(SAID, self.make(with_login))
        self.assertNotEqual(self.run_make(with_login, **self.nobody_logged_in()).returncode, 0)
        for target, path in (("port-forward-argocd", "healthz"), ("port-forward-dashboard", "")):
            port = free_ports.pick(1)[0]
            with self.left_running(target, PORT=str(port)) as said:
                self.assertIn(f"127.0.0.1:{port}", said.readline())
                self.assertEqual(self.answer_at(f"http://127.0.0.1:{port}/{path}"), 200)

    def test_08_diff_shows_nothing_where_nothing_differs(self):
        before = self.plane.kubectl("config", "view", "--raw").stdout
        self.assertEqual(self.make(f"diff APP={KATIB}", **self.nobody_logged_in()).strip(), "")
        self.assertNotEqual(self.run_make("diff APP=no-such", **self.nobody_logged_in()).returncode, 0)
        self.assertEqual(self.plane.kubectl("config", "view", "--raw").stdout, before)

    def test_09_verify_says_that_all_is_well(self):
        # The controller of Profiles would have made it.
        self.plane.kubectl("create", "namespace", USER)
        said = self.make("verify", LOGIN=login_stand_in.USER, PASSWORD=PASSWORD)
        for expected in ("pods in kubeflow are ready", f"{login_stand_in.USER} can log in", "Kubeflow is as it should be."):
            self.assertIn(expected, said)
        self.assertIn("Kubeflow is as it should be.", self.make("test"))
        self.assertFalse(self.is_there("profile", "kubeflow-verify"))

    def test_10_pods_of_a_namespace_that_ask_for_gpus_get_our_scheduler(self):
        gpus = {"resources": {"limits": {"nvidia.com/gpu": "1"}}}
        self.plane.kubectl("apply", "-f", f"{self.lab.project.folder}/{FOLDER}/gpu/namespace-default.yaml")
        self.plane.kubectl("label", "namespace", USER, "gpu.scheduling/default=true")
        self.lab.wait_for(lambda: self.scheduler_of(gpus) == "gpu-scheduler", "the policy does nothing")
        self.assertEqual(self.scheduler_of({}), "default-scheduler")
        self.assertEqual(self.scheduler_of(gpus, schedulerName="mine"), "mine")

    def test_11_verify_names_what_is_unhealthy(self):
        self.plane.kubectl("patch", "deployment", KATIB_PARTS, "-n", "kubeflow", "-p", NOWHERE)
        Gateway.failure = 503
        self.lab.wait_for(lambda: self.log.state(KATIB) == "Synced/Progressing", "katib does not suffer")
        done = self.run_make("verify", USER_NAMESPACE="nowhere")
        Gateway.failure = 0
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stdout, rf"FAILED  applications that are not Synced and Healthy: .*{KATIB}")
        self.assertRegex(done.stdout, rf"FAILED  pods in kubeflow: {KATIB_PARTS}-\S+ \(Pending\)")
        for expected in ("there is no namespace nowhere", "the dashboard answers 503", "Dex answers 503",
                         "a Notebook cannot be made"):
            self.assertIn(f"FAILED  {expected}", done.stdout)
        self.plane.kubectl("patch", "deployment", KATIB_PARTS, "-n", "kubeflow", "--type=json", "-p",
                           '[{"op": "remove", "path": "/spec/template/spec/nodeSelector"}]')
        self.lab.wait_until_settled(*self.waves, ROOT)

    def test_12_the_commands_of_the_pages_work(self):
        texts = [(places.ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("kubeflow.md", "gitops.md")]
        pattern = re.compile(r"`((?:make|argocd|\./argocd-core\.sh|kubectl) [^`]+)`")
        commands = sorted({command for text in texts for command in pattern.findall(text)})
        self.assertGreater(len(commands), 8)
        self.lab.wait_until_settled(KATIB, "kubeflow-common-services")
        for command in commands:
            if not command.startswith(ELSEWHERE):
                with self.subTest(command=command):
                    text = re.sub(r"\bAPP(?!=)|\.\.\.", KATIB, command)
                    done = self.lab.shell(text, FOLDER, **self.settings())
                    self.assertEqual(done.returncode, 0, done.stdout)

    def test_13_argo_cd_and_the_root_are_kept_as_they_are_in_git(self):
        self.make("deploy-argocd")
        self.make("deploy-bootstrap")
        self.lab.wait_for(lambda: self.log.state("kubeflow-bootstrap") == GOOD, "the root is not kept")
        self.lab.wait_for(lambda: self.log.state("argocd") == GOOD, "Argo CD does not keep itself")
        self.plane.kubectl("patch", "application", ROOT, "-n", NAMESPACE, "--type=json", "-p",
                           '[{"op": "remove", "path": "/spec/syncPolicy/automated"}]')
        self.lab.wait_for(lambda: "automated" in self.log.there[ROOT]["spec"]["syncPolicy"], "the root is not healed")

    def test_14_everything_at_once_changes_nothing_of_what_is_there(self):
        made = {name: each["metadata"]["uid"] for name, each in self.log.there.items()}
        self.assertIn(f"{ROOT} is Synced and Healthy.", self.make("deploy-all"))
        self.assertIn("Kubeflow is as it should be.", self.lab.follow(README, "Installation", 1, **self.settings()))
        self.assertEqual(made, {name: each["metadata"]["uid"] for name, each in self.log.there.items()})

    def test_15_an_application_is_deleted_with_what_it_deployed_and_comes_back(self):
        before = self.uid_of("kubeflow-spark")
        self.assertNotEqual(self.run_make("delete-app APP=kubeflow-spark").returncode, 0)
        self.make("delete-app APP=kubeflow-spark YES=1")
        self.lab.wait_for(lambda: self.uid_of("kubeflow-spark") not in ("", before), "the root does not make it again")
        self.lab.wait_until_settled("kubeflow-spark", ROOT)

    def test_16_deleting_all_goes_backwards_and_leaves_the_users(self):
        # A sync waits, and would for ever.
        self.plane.kubectl("patch", "deployment", KATIB_PARTS, "-n", "kubeflow", "-p", NOWHERE)
        self.lab.wait_for(lambda: self.log.state(KATIB) == "Synced/Progressing", "katib does not suffer")
        self.make("sync-all")
        self.lab.wait_for(lambda: KATIB in self.last_sync().get("message", ""), "the sync does not wait")
        begin = self.log.now()
        refused = self.run_make("uninstall-argocd YES=1")
        self.assertNotEqual(refused.returncode, 0)
        self.assertRegex(refused.stdout, f"still has applications: .*{KATIB}")
        self.assertNotEqual(self.run_make("delete-all-apps").returncode, 0)
        self.assertIn(ROOT, self.log.there)
        self.make("delete-all-apps YES=1")
        self.lab.wait_for(lambda: not set(self.log.there) - {"argocd"}, "applications do not go away")
        gone = [self.waves[name] for name in self.log.deleted(begin) if name in self.waves]
        self.assertEqual(gone, sorted(gone, reverse=True))
        self.assertEqual(len(gone), 14)
        self.assertTrue(self.is_there("profile", USER))
        self.assertEqual(self.plane.json("get", "deployments", "-n", "kubeflow")["items"], [])
