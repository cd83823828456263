"""Asks both schedulers about generated cases, and finds those where they disagree."""

import json
import os
import subprocess
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from multiprocessing import Pool
from pathlib import Path

from generator.case import THEMES, case

ROOT = Path(__file__).resolve().parents[2]
CLUSTER = ROOT / "tools" / "cluster" / "cluster"
OURS = Path(os.environ.get("GS_PROGRAMS", ROOT / "build" / "dev" / "bin")) / "gs-filter-verdicts"
CASES_AT_ONCE = 1000


@dataclass
class Disagreement:
    """A case with one answer of each, as {node: why not}; empty where the pod fits."""
    seed: str
    case: dict
    theirs: dict[str, str]
    ours: dict[str, str]

    def __str__(self) -> str:
        lines = [f"  {node}: kube-scheduler {say(self.theirs.get(node))}, we {say(self.ours.get(node))}"
                 for node in nodes_apart(self.theirs, self.ours)]
        return "\n".join([f"case {self.seed}:", *lines])


@dataclass
class Comparison:
    cases: int = 0
    plugins: Counter = field(default_factory=Counter)  # nodes by the plugin that refuses; "": it fits
    disagreements: list[Disagreement] = field(default_factory=list)

    def add(self, other: "Comparison") -> None:
        self.cases += other.cases
        self.plugins += other.plugins
        self.disagreements += other.disagreements

    def __str__(self) -> str:
        nodes = ", ".join(f"{count} {name or 'fit'}" for name, count in sorted(self.plugins.items()))
        return f"{self.cases} cases, {len(self.disagreements)} disagreements; nodes: {nodes}"


def say(reason: str | None) -> str:
    return "would take the pod" if reason == "" else f"would not ({reason})"


@cache
def theirs() -> str:
    done = subprocess.run([CLUSTER, "path", "filter-verdicts"], check=True, text=True, capture_output=True)
    return done.stdout.strip()


def answers(command: list, lines: list[str]) -> list[dict]:
    done = subprocess.run(command, input="\n".join(lines) + "\n", text=True, capture_output=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{command[0]} ended with {done.returncode}: {done.stderr}")
    said = [json.loads(line) for line in done.stdout.splitlines()]
    if len(said) != len(lines):
        raise AssertionError(f"{command[0]} answers {len(said)} of {len(lines)} cases: {done.stderr}")
    return said


def ask_both(cases: list[dict], without: tuple[str, ...] = ()) -> list[tuple[dict, dict]]:
    """Each answer is {"nodes": {name: why not}} or {"error": text}."""
    lines = [json.dumps(each) for each in cases]
    with ThreadPoolExecutor(2) as pool:
        said = list(pool.map(lambda command: answers(command, lines), ([theirs()], [OURS, *without])))
    return list(zip(*said))


def nodes_apart(one: dict[str, str], other: dict[str, str]) -> list[str]:
    return [node for node in sorted(one.keys() | other.keys()) if (one.get(node) == "") != (other.get(node) == "")]


def compare_cases(seeds: list[str], cases: list[dict], without: tuple[str, ...] = ()) -> Comparison:
    found = Comparison(len(cases))
    for seed, each, (their, our) in zip(seeds, cases, ask_both(cases, without)):
        if "error" in their or "error" in our:
            said = {who: answer for who, answer in (("kube-scheduler", their), ("we", our)) if "error" in answer}
            raise AssertionError(f"case {seed} has no answer: {json.dumps(said, indent=1)}\n{json.dumps(each)}")
        found.plugins.update(reason.partition(":")[0] for reason in their["nodes"].values())
        if nodes_apart(their["nodes"], our["nodes"]):
            found.disagreements.append(Disagreement(seed, each, their["nodes"], our["nodes"]))
    return found


def compare_seeds(seeds: list[str], themes: list[str], without: tuple[str, ...] = ()) -> Comparison:
    return compare_cases(seeds, [case(seed, themes) for seed in seeds], without)


def compare(seeds: list[str]) -> Comparison:
    """All themes, on all cores."""
    theirs()  # built once, before there are several that want it
    parts = [(seeds[i:i + CASES_AT_ONCE], THEMES) for i in range(0, len(seeds), CASES_AT_ONCE)]
    whole = Comparison()
    with Pool() as pool:
        for part in pool.starmap(compare_seeds, parts):
            whole.add(part)
    return whole
