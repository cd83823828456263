"""A real Argo CD on a plane: repository server, controllers and API server as processes of this machine, with Redis.

Needs the tools argocd, helm4, kustomize and kubeconform of tools/cluster, git, and Redis.
"""

import os
import shutil
import signal
import subprocess
import sys

import yaml

import places  # noqa: F401  it shows the way to the others
from manifests import namespace
from support import PROGRAM, PlaneUnderTest, listens, wait_until

sys.path.append(str(PROGRAM.parent))

import free_ports  # noqa: E402
import go_build  # noqa: E402
import processes  # noqa: E402
from tool_table import BY_NAME  # noqa: E402

MODULE = "github.com/argoproj/argo-cd/v3"
NAMESPACE = "argocd"
PART = {"app.kubernetes.io/part-of": "argocd"}
SETTINGS = ("cm", "cmd-params-cm", "rbac-cm", "ssh-known-hosts-cm", "tls-certs-cm", "gpg-keys-cm")
KINDS = ("application", "applicationset", "appproject")
PORTS = ("redis", "repo", "server", "repo-metrics", "controller-metrics", "sets-metrics", "server-metrics", "probe",
         "webhook")
SECONDS_TO_START = 300


def tool(name: str) -> str:
    return subprocess.run([PROGRAM, "path", name], text=True, capture_output=True, check=True).stdout.strip()


class ArgoCd:
    def __init__(self, plane: PlaneUnderTest):
        self.plane = plane
        self.folder = plane.folder / "argocd"
        self.folder.mkdir()
        self.module = go_build.module_folder(BY_NAME["argocd"].wrapper, MODULE)
        self.ports = dict(zip(PORTS, free_ports.pick(len(PORTS))))
        self.processes: dict[str, subprocess.Popen] = {}
        self.kubeconfig = self.folder / "kubeconfig"
        self.bin = self.folder / "bin"
        self._link_programs()

    # --- starting

    def start(self) -> "ArgoCd":
        self._write_kubeconfig()
        self._apply_objects()
        self._start_redis()
        self._start_roles()
        for port in ("redis", "repo", "server"):
            wait_until(lambda port=port: self._dead() or listens(self.ports[port]), SECONDS_TO_START)
        self._login()
        return self

    def _write_kubeconfig(self) -> None:
        """The admin's, in the namespace of Argo CD."""
        config = yaml.safe_load((self.plane.folder / "admin.kubeconfig").read_text(encoding="utf-8"))
        config["contexts"][0]["context"]["namespace"] = NAMESPACE
        self.kubeconfig.touch(mode=0o600)
        self.kubeconfig.write_text(yaml.safe_dump(config), encoding="utf-8")

    def _link_programs(self) -> None:
        self.bin.mkdir()
        (self.bin / "helm").symlink_to(tool("helm4"))
        for name in ("kustomize", "argocd", "kubectl", "kubeconform"):
            (self.bin / name).symlink_to(tool(name))
        for name in ("git-verify-wrapper.sh", "gpg-wrapper.sh"):
            shutil.copy(self.module / "hack" / name, self.bin / name)
            (self.bin / name).chmod(0o755)

    def _apply_objects(self) -> None:
        for kind in KINDS:
            self.plane.kubectl("apply", "--server-side", "-f", f"{self.module}/manifests/crds/{kind}-crd.yaml")
        kinds = ",".join(f"{kind}s.argoproj.io" for kind in KINDS)
        wait_until(lambda: self.plane.kubectl("get", kinds, "-A", check=False).returncode == 0, SECONDS_TO_START)
        named = [("ConfigMap", f"argocd-{name}") for name in SETTINGS] + [("Secret", "argocd-secret")]
        where = {"namespace": NAMESPACE, "labels": PART}
        objects = [{"apiVersion": "v1", "kind": kind, "metadata": {"name": name} | where} for kind, name in named]
        objects.insert(0, namespace(NAMESPACE))
        self.plane.kubectl("apply", "--server-side", "-f", "-", stdin=yaml.safe_dump_all(objects))

    def _start_redis(self) -> None:
        """Debian has the program also in the package without a daemon, under a name of what else it can do."""
        program = shutil.which("redis-server") or shutil.which("redis-check-rdb")
        if not program:
            raise AssertionError("there is no Redis; tools/setup test installs it")
        (self.bin / "redis-server").symlink_to(program)
        self.run("redis", [str(self.bin / "redis-server"), "--bind", "127.0.0.1", "--port",
                           str(self.ports["redis"]), "--save", ""])

    def _start_roles(self) -> None:
        ports = self.ports
        redis, repo = (f"127.0.0.1:{ports[name]}" for name in ("redis", "repo"))
        partners = ("--redis", redis, "--repo-server", repo)
        self._role("repo-server", "--port", ports["repo"], "--metrics-port", ports["repo-metrics"], "--redis", redis)
        self._role("application-controller", *partners, "--metrics-port", ports["controller-metrics"],
                   "--app-resync", 20, "--status-processors", 4, "--operation-processors", 8)
        self._role("applicationset-controller", "--metrics-addr", f":{ports['sets-metrics']}", "--probe-addr",
                   f":{ports['probe']}", "--webhook-addr", f":{ports['webhook']}", "--argocd-repo-server", repo)
        self._role("server", *partners, "--metrics-port", ports["server-metrics"], "--port", ports["server"],
                   "--insecure")

    def _role(self, name: str, *words) -> None:
        self.run(name, [str(self.bin / "argocd"), *(str(word) for word in words)], ARGOCD_BINARY_NAME=f"argocd-{name}",
                 KUBECONFIG=str(self.kubeconfig))

    def run(self, name: str, command: list[str], **more: str) -> None:
        """A process that ends with Argo CD."""
        parent = os.getpid()
        with open(self.folder / f"{name}.log", "ab") as log:
            self.processes[name] = subprocess.Popen(
                command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                env=self.environment() | more, preexec_fn=lambda: processes.die_with(parent))

    def environment(self) -> dict[str, str]:
        """Of Argo CD's programs, and of a shell in which somebody uses them."""
        for name in ("tls", "ssh", "gnupg", "gpg"):
            (self.folder / name).mkdir(mode=0o700, exist_ok=True)
        return processes.without_proxies(os.environ) | {
            "PATH": f"{self.bin}{os.pathsep}{os.environ['PATH']}",
            "KUBECONFIG": f"{self.plane.folder}/admin.kubeconfig",
            "ARGOCD_FAKE_IN_CLUSTER": "true", "ARGOCD_GPG_ENABLED": "false", "HOSTNAME": "argocd-0",
            "ARGOCD_TLS_DATA_PATH": f"{self.folder}/tls", "ARGOCD_SSH_DATA_PATH": f"{self.folder}/ssh",
            "ARGOCD_GNUPGHOME": f"{self.folder}/gnupg", "ARGOCD_GPG_DATA_PATH": f"{self.folder}/gpg",
            "ARGOCD_PLUGINSOCKFILEPATH": str(self.folder), "ARGOCD_SYNC_WAVE_DELAY": "1",
            "HOME": str(self.folder), "XDG_CONFIG_HOME": f"{self.folder}/config", "TMPDIR": str(self.folder)}

    def _login(self) -> None:
        """As admin, with the password that the server makes at its first start."""
        wait_until(lambda: self._dead() or self.password() != "", SECONDS_TO_START)
        if self._dead():
            raise AssertionError("\n".join(f"{name} ended:\n{self.log(name)[-2000:]}" for name in self._dead()))
        self.cli("login", f"127.0.0.1:{self.ports['server']}", "--plaintext", "--username", "admin", "--password",
                 self.password())

    def _dead(self) -> list[str]:
        return [name for name, process in self.processes.items() if process.poll() is not None]

    def stop(self) -> None:
        for process in self.processes.values():
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
        for process in self.processes.values():
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")

    def run_kube_scheduler(self, names: tuple[str, ...]) -> None:
        """Stands in for all schedulers: nothing here is about where pods go."""
        config = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
                  "clientConnection": {"kubeconfig": f"{self.plane.folder}/kube-scheduler.kubeconfig"},
                  "leaderElection": {"leaderElect": False}, "profiles": [{"schedulerName": name} for name in names]}
        path = self.folder / "kube-scheduler.yaml"
        path.write_text(yaml.safe_dump(config), encoding="utf-8")
        self.run("kube-scheduler", [tool("kube-scheduler"), "--config", str(path), "--secure-port=0"])

    # --- using

    def password(self) -> str:
        done = self.plane.kubectl("get", "secret", "argocd-initial-admin-secret", "-n", NAMESPACE, "-o",
                                  "go-template={{.data.password | base64decode}}", check=False)
        return done.stdout if done.returncode == 0 else ""

    def cli(self, *words: str, check: bool = True) -> subprocess.CompletedProcess:
        done = subprocess.run([str(self.bin / "argocd"), *words], text=True, capture_output=True, check=False,
                              cwd=self.folder, env=self.environment())
        if check and done.returncode != 0:
            raise AssertionError(f"argocd {' '.join(words)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done

    def refresh(self, name: str) -> None:
        """As a webhook of the Git server would: a commit is noticed now."""
        self.plane.kubectl("annotate", "applications.argoproj.io", name, "-n", NAMESPACE, "--overwrite",
                           "argocd.argoproj.io/refresh=hard")
