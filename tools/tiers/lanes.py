"""Which tiers there are, and in which order and beside which others they run.

Tiers that mostly wait run in lanes of their own beside those that mostly compile; what they print follows when they end.
"""

import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

from tiers import breakdown, cpp, partners, suites
from tiers.count import Count
from tiers.project import PROGRAMS_ARE_BUILT, RESULTS, ROOT

# In `make test` always, whatever changed: they guard the core.
TIERS = {
    "static": cpp.static_tier,
    "programs": cpp.programs_tier,
    "build": cpp.build_tier,
    "tests": cpp.tests_tier,
    "headers": cpp.headers_tier,
    "gcc": cpp.gcc_tier,
    "asan": cpp.asan_tier,
    "fuzz": cpp.fuzz_tier,
    "tsan": cpp.tsan_tier,
    "demo": suites.demo_tier,
    "local": suites.local_tier,
    "dashboard": suites.dashboard_tier,
    "model": suites.model_tier,
    "cluster": suites.cluster_tier,
    "scheduler": suites.scheduler_tier,
    "webhook": suites.webhook_tier,
    "agent": suites.agent_tier,
    "crash": suites.crash_tier,
    "differential": suites.differential_tier,
    "conformance": suites.conformance_tier,
}
OTHER_TIERS = {"quick": cpp.quick_tier, "storms": suites.storms_tier, "asan-all": cpp.asan_all_tier,
               "tsan-all": cpp.tsan_all_tier, "tidy": cpp.tidy_tier}
FIRST = ["static", "programs"]  # nothing else starts before these
# They wait for elections, kubelets and time-outs, so the compiler, and each other, can have the processor meanwhile.
WAITING = [["model", "dashboard", "demo", "local", "conformance", "scheduler"],
           ["crash", "differential", "agent"],
           ["cluster", "webhook"]]
COUNT_FILE = "GS_TEST_COUNT_FILE"  # where a lane leaves its count
STARTED = "GS_TEST_STARTED"  # when the run began, in seconds since 1970
# Minutes of a run after which no partner tier begins: it is counted as not run and stays due.
PARTNERS_UNTIL = float(os.environ.get("GS_PARTNERS_UNTIL", "60"))


class Lane:
    """Tiers in a process of their own, whose output is kept until they have ended."""

    def __init__(self, names: list[str], program: Path = ROOT / "tools" / "run-tests", results: Path = RESULTS):
        results.mkdir(parents=True, exist_ok=True)
        self.names = names
        self.log = results / f"from-{names[0]}.log"
        self.counted = results / f"from-{names[0]}.json"
        self.counted.unlink(missing_ok=True)
        print(f"\n== meanwhile: {' '.join(names)}; what they print follows, or see {self.log}", flush=True)
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([sys.executable, str(program), *names], stdout=log, stderr=log,
                                            env={**os.environ, COUNT_FILE: str(self.counted), PROGRAMS_ARE_BUILT: "yes"})

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()

    def join(self, count: Count) -> None:
        self.process.wait()
        print(self.log.read_text(encoding="utf-8", errors="replace"), end="", flush=True)
        if self.counted.exists():
            count.add(Count.read(self.counted))
        else:
            count.fail("the tiers " + " ".join(self.names), "tools/run-tests " + " ".join(self.names))


@contextmanager
def tools_built_meanwhile(names: list[str]):
    """Go takes minutes to build a Kubernetes, so that begins at once. Tiers that need a tool wait for it."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    with open(RESULTS / "cluster-tools.log", "wb") as log:
        process = subprocess.Popen(["tools/cluster/cluster", "build", "--for-tests", *names], cwd=ROOT, stdout=log, stderr=log)
        try:
            yield
        finally:
            process.terminate()
            process.wait()


def is_too_late() -> bool:
    return time.time() - float(os.environ[STARTED]) > PARTNERS_UNTIL * 60


def run_named(name: str, count: Count) -> None:
    if name not in partners.PARTNERS:
        (TIERS | OTHER_TIERS)[name](count)
    elif is_too_late():
        count.leave_out(name, f"its turn came after {PARTNERS_UNTIL:.0f} minutes; it stays due: make partners P={name}")
    else:
        partners.run_partner(name, count, partners.Records())


def run_tiers(names: list[str], count: Count) -> None:
    for name in names:
        tier = partners.PARTNERS[name].tier if name in partners.PARTNERS else (TIERS | OTHER_TIERS)[name]
        print(f"\n== {name}: {tier.__doc__.splitlines()[0]}", flush=True)
        started = time.monotonic()
        run_named(name, count)
        seconds = time.monotonic() - started
        breakdown.note("tier", name, seconds)
        print(f"== {name}: {seconds:.1f} s, so far {count.summary()}", flush=True)


def leave_out_resting(count: Count, resting: dict[str, dict], records: partners.Records) -> None:
    for name, record in resting.items():
        count.leave_out(name, f"green at {record['commit']} ({record['day']}) with the same inputs; make partners P={name}")
        records.wait_a_run(name, record)


def run_all(count: Count) -> None:
    """Every tier of `make test`: static checks and programs first, then four lanes side by side."""
    records = partners.Records()
    due, resting = partners.due(records)
    tools = [tool for name in due for tool in partners.PARTNERS[name].tools]
    with tools_built_meanwhile(tools):
        run_tiers(FIRST, count)
        waiting = [names + due[number::len(WAITING)] for number, names in enumerate(WAITING)]
        lanes = [Lane(names) for names in waiting]
        try:
            run_tiers([name for name in TIERS if name not in FIRST + sum(WAITING, [])], count)
            for lane in lanes:
                lane.join(count)
        except BaseException:
            for lane in lanes:
                lane.stop()
            raise
    leave_out_resting(count, resting, records)


def run_partners(names: list[str], count: Count) -> None:
    """The partner tiers, due or not; those that are green are noted in tests/partners.json, to be committed."""
    records = partners.Records()
    green = {}
    for name in names:
        run_tiers([name], count)
        record = records.cached(name)
        if record and record["inputs"] == partners.inputs_sum(partners.PARTNERS[name]):
            green[name] = record
    records.commit_green(green)
