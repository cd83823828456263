"""deploy/argocd on a real Argo CD: what is made for which cluster, in which order, on upgrades and removal too."""

import tempfile

import yaml

import places  # noqa: F401  it shows the way to the others
from argo_cd import NAMESPACE
from lab import GOOD, Story
from manifests import documents

README = "deploy/argocd/README.md"
TROUBLES = "docs/TROUBLESHOOTING.md"
FOLDER = "deploy/argocd"
PARENT, CRDS, SCHEDULER, CHECK = "gpu-scheduler-complete", "gpu-scheduler-crds", "gpu-scheduler", "gpu-scheduler-check"
SYSTEM, TESTS = "gpu-scheduler-system", "gpu-scheduler-tests"
CONTROL_PLANE = "node-role.kubernetes.io/control-plane"
MANY_TRIES = 6
NO_DEPLOYMENTS = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "none", "namespace": SYSTEM},
                  "spec": {"hard": {"count/deployments.apps": "0"}}}


class GpuScheduler(Story):
    # --- what the steps are made of

    def let_scheduler_run(self, yes: bool) -> None:
        """The scheduler's pods need a node with this label, so without one wave 1 does not become healthy."""
        node = self.plane.json("get", "nodes")["items"][0]["metadata"]["name"]
        self.plane.kubectl("label", "node", node, f"{CONTROL_PLANE}=" if yes else f"{CONTROL_PLANE}-", "--overwrite")

    def validate(self) -> tuple[int, str]:
        done = self.lab.shell("./validate-applicationset.sh", FOLDER)
        return done.returncode, done.stdout

    def tries_of(self, name: str) -> int:
        return self.log.there.get(name, {}).get("status", {}).get("operationState", {}).get("retryCount", 0)

    def remove(self, *names: str) -> None:
        for name in names:
            self.plane.kubectl("delete", "applicationset", name, "-n", NAMESPACE, "--wait=false")
        self.lab.wait_for(lambda: not self.log.there, "applications do not go away")

    def cluster_wide(self) -> set[str]:
        """What is ours and in no namespace."""
        kinds = ("crds,clusterroles,clusterrolebindings,mutatingwebhookconfigurations,validatingadmissionpolicies,"
                 "flowschemas,prioritylevelconfigurations")
        names = {each["metadata"]["name"] for each in self.plane.json("get", kinds)["items"]}
        return {name for name in names if "gpu-scheduler" in name or name.endswith("gpu.scheduling")}

    def token_of(self, role: str) -> str:
        return self.argo.cli("proj", "role", "create-token", "gpu-scheduler", role, "--token-only").stdout.strip()

    def is_gone(self, name: str) -> bool:
        """Its sync may wait for a cluster that does not answer."""
        if name in self.log.there:
            self.argo.cli("app", "terminate-op", name, check=False)
        return name not in self.log.there

    def cluster_secret(self, name: str, environment: str, **annotations: str) -> str:
        secret = documents(places.ARGOCD / "local-cluster-secret.yaml")[0]
        secret["metadata"] |= {"name": name, "annotations": annotations}
        secret["metadata"]["labels"]["environment"] = environment
        secret["stringData"] = {"name": name, "server": f"https://{name}.example.invalid"}
        return yaml.safe_dump(secret)

    # --- the story

    def test_01_one_command_points_the_files_at_a_fork_and_another_says_what_is_missing(self):
        self.lab.follow(README, "Installation")
        self.lab.project.commit("the repository")
        self.plane.kubectl("label", "nodes", "-l", "gpu-node-name=node3", "gpu-node-name=other", "--overwrite")
        code, said = self.validate()
        self.plane.kubectl("label", "nodes", "-l", "gpu-node-name=other", "gpu-node-name=node3", "--overwrite")
        self.assertEqual(code, 1)
        for repair in ("the waves have no meaning", "kubectl apply -f local-cluster-secret.yaml",
                       "kubectl apply -f gpu-scheduler-project.yaml", "kubectl label node <node> gpu-node-name=node3",
                       "set nodeSelector: null in scheduler.values"):
            self.assertIn(repair, said)
        self.assertIn("ok      kubeconform accepts the files", said)

    def test_02_the_api_server_accepts_the_projects(self):
        for project in documents(self.lab.project.folder / FOLDER / "gpu-scheduler-project.yaml"):
            with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
                yaml.safe_dump(project, file)
                file.flush()
                self.argo.cli("proj", "create", "--file", file.name)
            broken = project | {"metadata": {"name": "broken", "namespace": NAMESPACE}}
            with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
                yaml.safe_dump(broken, file)
                file.flush()
                self.assertNotEqual(self.argo.cli("proj", "create", "--file", file.name, check=False).returncode, 0)
        self.lab.follow(README, "1. Deploy the projects")

    def test_03_without_a_labelled_cluster_nothing_is_made(self):
        self.lab.follow(README, "3. Deploy one of the two")
        self.lab.wait_for(lambda: "generated 0 applications" in self.argo.log("applicationset-controller"),
                          "no word about 0 applications")
        self.assertEqual(self.log.there, {})

    def test_04_with_stock_settings_the_check_comes_before_the_scheduler_runs(self):
        begin = self.log.now()
        unlabelled = documents(places.ARGOCD / "local-cluster-secret.yaml")[0]
        del unlabelled["metadata"]["labels"]["environment"]
        self.plane.kubectl("apply", "-f", "-", stdin=yaml.safe_dump(unlabelled))
        self.lab.follow_what_needs_argo_cd(TROUBLES, "Argo CD: generated 0 applications")
        self.lab.wait_for(lambda: PARENT in self.log.there, "the label does not help")
        self.lab.follow(README, "2. Register the cluster")
        self.lab.wait_for(lambda: self.log.added(CHECK) is not None, "the race does not show")
        self.assertIsNone(self.log.good(SCHEDULER, begin))
        self.remove(PARENT)

    def test_05_with_our_settings_it_waits_while_the_scheduler_fails_and_while_it_starts(self):
        self.lab.follow(README, "0. Make Argo CD wait between waves")
        self.plane.kubectl("apply", "-f", "-", stdin=yaml.safe_dump(NO_DEPLOYMENTS))
        begin = self.log.now()
        self.lab.follow(README, "3. Deploy one of the two")
        self.lab.wait_for(lambda: self.tries_of(SCHEDULER) >= MANY_TRIES, "the scheduler is not tried again and again")
        # Not in the moments in which the next try has begun.
        self.lab.wait_for(lambda: "exceeded quota" in self.argo.cli("app", "get", SCHEDULER).stdout, "the reason is not shown")
        self.plane.kubectl("delete", "resourcequota", "none", "-n", SYSTEM)
        self.lab.wait_for(lambda: self.log.state(SCHEDULER) == "Synced/Progressing", "the scheduler does not recover")
        self.assertTrue(self.lab.stays(lambda: CHECK not in self.log.there), "the check was made too early")
        self.let_scheduler_run(True)
        self.lab.wait_for(lambda: self.log.state(PARENT) == GOOD and self.log.state(CHECK) == GOOD,
                          "it does not end well")
        self.assertLess(self.log.good(CRDS, begin), self.log.added(SCHEDULER, begin))
        self.assertLess(self.log.good(SCHEDULER, begin), self.log.added(CHECK, begin))
        self.lab.follow_what_needs_argo_cd(TROUBLES, "Argo CD: a sync fails")
        self.lab.wait_for(lambda: self.log.state(PARENT) == GOOD, "it does not stay well")

    def test_06_an_upgrade_waits_too_and_goes_on_after_many_failures(self):
        self.let_scheduler_run(False)
        before, begin = self.log.there[CHECK]["spec"]["source"]["targetRevision"], self.log.now()
        self.lab.project.replace("charts/gpu-scheduler/values.yaml", "\npodAnnotations: {}",
                                 "\npodAnnotations: {changed: 'yes'}")
        after = self.lab.project.commit("a change of the scheduler")
        self.argo.refresh(PARENT)
        self.lab.wait_for(lambda: self.log.asked_for(SCHEDULER, after, begin),
                          "the commit does not reach the scheduler")
        # A rollout that is given one second has failed, and so has the parent's sync, again and again.
        self.plane.kubectl("patch", "deployment", "gpu-scheduler", "-n", SYSTEM, "-p",
                           '{"spec": {"progressDeadlineSeconds": 1}}')
        self.lab.wait_for(lambda: self.log.state(SCHEDULER) == "Synced/Degraded", "the scheduler does not fail")
        self.lab.wait_for(lambda: self.tries_of(PARENT) >= MANY_TRIES, "the parent is not tried again and again")
        self.assertEqual(self.log.there[CHECK]["spec"]["source"]["targetRevision"], before)
        self.let_scheduler_run(True)
        self.lab.wait_for(lambda: self.log.good(CHECK, begin, after) and self.log.state(PARENT) == GOOD,
                          "the upgrade does not end")
        self.assertLess(self.log.good(CRDS, begin, after), self.log.asked_for(SCHEDULER, after, begin))
        self.assertLess(self.log.good(SCHEDULER, begin, after), self.log.asked_for(CHECK, after, begin))

    def test_07_what_is_changed_by_hand_is_set_back(self):
        self.plane.kubectl("delete", "service", "gpu-scheduler", "-n", SYSTEM)
        self.plane.kubectl("scale", "deployment/gpu-scheduler", "-n", SYSTEM, "--replicas=5")
        words = ("gpu-scheduler", "-n", SYSTEM)
        self.lab.wait_for(lambda: self.plane.json("get", "deployment", *words)["spec"]["replicas"] == 2,
                          "the number of replicas is not healed")
        self.lab.wait_for(lambda: self.plane.kubectl("get", "service", *words, check=False).returncode == 0,
                          "the Service does not come back")

    def test_08_a_second_cluster_and_another_environment_get_parents_of_their_own(self):
        self.plane.kubectl("apply", "-f", f"{self.lab.project.folder}/{FOLDER}/examples/staging-applicationset.yaml")
        staging = self.cluster_secret("lab", "gpu-staging", **{"gpu.scheduling/check-node": "node2"})
        self.plane.kubectl("apply", "-f", "-", stdin=self.cluster_secret("east", "gpu-enabled") + "---\n" + staging)
        parents = {PARENT, f"east-{PARENT}", f"lab-{PARENT}"}
        self.lab.wait_for(lambda: {name for name in self.log.there if name.endswith(PARENT)} == parents,
                          "parents are missing")
        values = self.log.there[f"lab-{PARENT}"]["spec"]["source"]["helm"]["valuesObject"]
        self.assertEqual(values["scheduler"]["values"]["replicas"], 1)
        self.assertEqual(values["check"]["values"]["gpuScheduling"]["schedulingMap"][0]["nodeName"], "node2")
        self.plane.kubectl("delete", "applicationset", "gpu-scheduler-staging", "-n", NAMESPACE, "--wait=false")
        self.plane.kubectl("delete", "secret", "east", "lab", "-n", NAMESPACE)
        for name in (f"east-{PARENT}", f"lab-{PARENT}"):
            self.lab.wait_for(lambda name=name: self.is_gone(name), f"{name} does not go away")
        self.lab.wait_for(lambda: not [name for name in self.log.there if name.startswith(("east-", "lab-"))],
                          "applications of clusters that are gone do not go away")

    def test_09_the_commands_that_people_type_work(self):
        self.lab.wait_until_settled(CRDS, SCHEDULER, CHECK, PARENT)
        said = self.lab.follow(README, "4. Look")
        for expected in ("Nothing is wrong.", "argocd/gpu-scheduler-complete", "Application/gpu-scheduler-check"):
            self.assertIn(expected, said)

    def test_10_those_who_look_cannot_sync_and_admins_can(self):
        looks, does = (("--auth-token", self.token_of(f"gpu-scheduler-{role}")) for role in ("readonly", "admin"))
        self.argo.cli("app", "get", SCHEDULER, *looks)
        refused = self.argo.cli("app", "sync", SCHEDULER, *looks, check=False)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("permission denied", refused.stderr.lower())
        self.lab.wait_until_settled(SCHEDULER)
        self.argo.cli("app", "sync", SCHEDULER, *does)

    def test_11_removal_goes_backwards_and_leaves_nothing(self):
        begin = self.log.now()
        self.lab.follow(README, "Removal", 0)
        self.lab.wait_for(lambda: not self.log.there, "applications do not go away")
        self.assertEqual(self.log.deleted(begin), [CHECK, SCHEDULER, CRDS, PARENT])
        for where in (SYSTEM, TESTS):
            kinds = "deployments,daemonsets,statefulsets,services,leases,roles,poddisruptionbudgets"
            self.assertEqual(self.plane.json("get", kinds, "-n", where)["items"], [])
        roles = self.plane.json("get", "roles,rolebindings", "-n", "kube-system")["items"]
        self.assertEqual([each["metadata"]["name"] for each in roles if "gpu-scheduler" in each["metadata"]["name"]], [])
        self.assertEqual(self.cluster_wide(), {"gpuclaims.gpu.scheduling", "gpunodestatuses.gpu.scheduling"})
        self.lab.follow(README, "Removal", 1)
        self.assertEqual(self.cluster_wide(), set())

    def test_12_the_parts_work_without_the_whole(self):
        self.lab.follow(README, "3. Deploy one of the two", 1)
        self.lab.wait_for(lambda: self.log.states() == {SCHEDULER: GOOD, CHECK: GOOD},
                          "the parts do not become healthy")
        self.remove(SCHEDULER, CHECK)
