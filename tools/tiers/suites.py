"""Tiers that start programs: on gpu-local, a real control plane, a real node, a browser, or with partners."""

import random
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tiers.count import CTEST_AGAIN, SKIPPED_EXIT_CODE, Count, count_junit, run_and_count
from tiers.project import RESULTS, ROOT, build, build_programs, run


def unittest_suite(count: Count, folder: str, *options: str) -> int:
    """The suite of tests/FOLDER; its exit code."""
    junit = RESULTS / f"{folder}{'-'.join(options)}.xml"
    program = f"tests/{folder}/run"
    code = run_and_count(count, f"tests/{folder}", [program, *options, "--junit", str(junit)], junit,
                         " ".join([program, *options, "-k {name}"]))
    if code == SKIPPED_EXIT_CODE:
        count.leave_out(f"tests/{folder}", "the tools that it needs cannot be had here")
    return code


def demo_tier(count: Count) -> None:
    """What `make run` shows. Its preset is configured, not built: it compiles the files of dev, without optimization."""
    for command in (["cmake", "--preset", "run", "--log-level=WARNING"], ["tools/demo", "build/dev/bin"]):
        if run(*command):
            count.passed += 1
        else:
            count.fail(" ".join(command), " ".join(command))


def local_tier(count: Count) -> None:
    """gpu-local with the scheduler inside, as a user runs it, and kubectl-gpu on it."""
    if build_programs(count, "gpu-local", "gpu-scheduler-check", "kubectl-gpu"):
        unittest_suite(count, "local")
        unittest_suite(count, "kubectl_gpu")


def dashboard_tier(count: Count) -> None:
    """The dashboard in a real browser, on made-up fleets and on gpu-local."""
    if build_programs(count, "gpu-local"):
        unittest_suite(count, "dashboard")


def has_plane_tests() -> bool:
    listed = subprocess.run(["ctest", "--preset", "dev", "--show-only", "--label-regex", "^cluster$"], cwd=ROOT,
                            check=False, text=True, capture_output=True)
    return "Total Tests: 0" not in listed.stdout


def plane_tests(count: Count) -> None:
    """The programs with label cluster, one after the other on one plane."""
    if build(count, "dev") and has_plane_tests():
        junit = RESULTS / "dev-cluster.xml"
        again = "tools/cluster/cluster run -- " + CTEST_AGAIN
        run_and_count(count, "dev", ["tools/cluster/cluster", "run", "--", "ctest", "--preset", "dev", "-j", "1",
                                     "--label-regex", "^cluster$", "--output-junit", str(junit)], junit, again)


def cluster_tier(count: Count) -> None:
    """Tests on a real Kubernetes API server, and on a real node where one can run."""
    if unittest_suite(count, "cluster") != SKIPPED_EXIT_CODE:
        plane_tests(count)


def charts_tier(count: Count) -> None:
    """The charts, rendered and installed with Helm 3 and 4."""
    if build_programs(count, "gpu-scheduler-webhook"):
        unittest_suite(count, "charts")


def docs_tier(count: Count) -> None:
    """The commands of the pages, in order, and releases on a real node."""
    if build_programs(count, "programs"):
        unittest_suite(count, "docs")


def gitops_tier(count: Count) -> None:
    """What Argo CD reads, rendered and looked at, and Kubeflow's checklist on a real API server."""
    unittest_suite(count, "gitops")


def argocd_tier(count: Count) -> None:
    """deploy/argocd and deploy/kubeflow on a real Argo CD."""
    unittest_suite(count, "gitops", "--argocd")


def image_tier(count: Count) -> None:
    """The container image: the same twice, small, and its programs run in it."""
    if build_programs(count, "programs"):
        unittest_suite(count, "image")


def conformance_tier(count: Count) -> None:
    """The same cases on a real control plane and on gpu-local."""
    unittest_suite(count, "conformance")


def scheduler_tier(count: Count) -> None:
    """The scheduler on a real API server, and on gpu-local."""
    if build_programs(count, "gpu-scheduler", "gpu-local", "kubectl-gpu"):
        unittest_suite(count, "scheduler")
        unittest_suite(count, "scheduler", "--engine", "local")


def differential_tier(count: Count) -> None:
    """The scheduler's answers and kube-scheduler's, on generated clusters and on a real API server."""
    if build_programs(count, "gs-filter-verdicts", "gpu-scheduler"):
        unittest_suite(count, "differential")


def webhook_tier(count: Count) -> None:
    """The webhook as a real API server and gpu-local call it, with certificates that expire."""
    if build_programs(count, "gpu-scheduler-webhook", "gpu-scheduler", "gpu-local"):
        unittest_suite(count, "webhook")
        unittest_suite(count, "webhook", "--engine", "local")


def agent_tier(count: Count) -> None:
    """The agent on a real API server, and on gpu-local."""
    if build_programs(count, "gpu-scheduler-agent", "gs-fake-device-plugin", "fake_nvml", "gpu-local", "gpu-scheduler",
                      "gpu-scheduler-webhook"):
        unittest_suite(count, "agent")
        unittest_suite(count, "agent", "--engine", "local")


def openshift_tier(count: Count) -> None:
    """gpu-machinesets on a real API server with OpenShift's own kinds."""
    if build_programs(count, "gpu-machinesets"):
        unittest_suite(count, "openshift")


def storms_on_local(count: Count, faults: int, seeds: list[int]) -> None:
    """A storm with so many faults for each seed, all at the same time: they mostly wait for elections."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    storms = [["tests/crash/run", "--engine", "local", "--faults", str(faults), "--seed", str(seed), "-k", "Storming",
               "--junit", str(RESULTS / f"crash-local-{seed}.xml")] for seed in seeds]

    def storm(command: list[str]) -> subprocess.CompletedProcess:
        Path(command[-1]).unlink(missing_ok=True)
        return subprocess.run(command, cwd=ROOT, check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    with ThreadPoolExecutor(len(storms)) as pool:
        for command, done in zip(storms, pool.map(storm, storms)):
            print(done.stdout, end="", flush=True)
            again = " ".join(command[:-2])
            before = len(count.failures)
            if Path(command[-1]).exists():
                count_junit(count, "tests/crash", Path(command[-1]), again)
            if done.returncode not in (0, SKIPPED_EXIT_CODE) and len(count.failures) == before:
                count.fail(f"tests/crash on gpu-local ended with {done.returncode}", again)


def crash_tier(count: Count) -> None:
    """Faults around the scheduler on a real API server and on gpu-local, and whether the checker finds what it looks for."""
    if build_programs(count, "gpu-scheduler", "gpu-local", "gs-fault-proxy", "gs-scheduler-lab"):
        unittest_suite(count, "crash")
        storms_on_local(count, 30, [2, 3])


def storms_tier(count: Count) -> None:
    """1,000 faults around the scheduler on gpu-local, others at every run."""
    if build_programs(count, "gpu-scheduler", "gpu-local", "gs-fault-proxy", "gs-scheduler-lab"):
        storms_on_local(count, 250, random.sample(range(10, 1_000_000), 4))


def model_tier(count: Count) -> None:
    """The model of the commit protocol, explored in full, and with each rule off."""
    done = subprocess.run(["tests/model/run"], cwd=ROOT, check=False, text=True, stdout=subprocess.PIPE)
    print(done.stdout, end="", flush=True)
    if done.returncode == SKIPPED_EXIT_CODE:
        count.skipped += 1
        return
    outcomes = [line.split()[:2] for line in done.stdout.splitlines() if line.startswith(("passed ", "FAILED "))]
    for outcome, name in outcomes:
        if outcome == "passed":
            count.passed += 1
        else:
            count.fail(name.rstrip(":"), f"tests/model/run {name.rstrip(':')}")
    if done.returncode != 0 and not count.failures:
        count.fail("tests/model/run", "tests/model/run")
