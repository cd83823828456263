"""One run: a storm, faults one after the other, and what the checker says all the time and in the end."""

import shlex
import shutil
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from faults import Fault, choose
from memory import MOST_GROWTH, MemoryWatch, growth
from steps import Stage
from storm import Storm
from world import NAMESPACE, PATIENCE_SECONDS, ROOT, World

RESULTS = ROOT / "build" / "test-results" / "crash"
ACTIONS_PER_SECOND = 10
# What a step may raise; the last one: a process that did not end.
FAILURES = (TimeoutError, RuntimeError, AssertionError, subprocess.TimeoutExpired)
STEADY_SHARE = 0.35  # of a soak: nobody is killed any more, and memory must stay the same


@dataclass(frozen=True)
class Settings:
    seed: int
    faults: int
    minutes: float = 0  # goes on with more faults until then; the last part watches memory
    only: str = ""  # faults whose name contains this
    again: tuple[str, ...] = ()  # how it was called


@dataclass
class Campaign:
    world: World
    settings: Settings
    done: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def run(self) -> list[str]:
        """What is wrong; nothing if all is well."""
        started = time.monotonic()
        print(f"seed {self.settings.seed}; logs and history in {self.world.folder}", flush=True)
        self.storm = Storm(self.world.api, self.settings.seed, NAMESPACE, ACTIONS_PER_SECOND)
        try:
            self.storm.prepare()
            self.world.start_releases()
            self.storm.start()
            self._faults(started)
            if self.settings.minutes and not self.problems:
                self._steady(started)
            if not self.problems:
                self._end()
        except FAILURES as error:
            self.problems.append(str(error))
        finally:
            self.storm.close()
        self.problems += self.world.violations()
        self.problems += self._different_replays()
        print(f"{len(self.done)} faults, {self.storm.actions} actions and {self.world.bound_pods()} bound pods in "
              f"{time.monotonic() - started:.0f} s: {'FAILED' if self.problems else 'all is well'}", flush=True)
        return self._report(started) if self.problems else []

    # --- parts of a run -------------------------------------------------------------------------------------------

    def _faults(self, started: float) -> None:
        until = started + 60 * self.settings.minutes * (1 - STEADY_SHARE)
        for number, fault in enumerate(self._endless(spares_leader=False), 1):
            if self.problems or (number > self.settings.faults and time.monotonic() >= until):
                return
            self._inject(number, fault, started)

    def _steady(self, started: float) -> None:
        """More faults that no process dies of, so that its memory can be watched."""
        self.world.put_right()
        watch = MemoryWatch(lambda: self.world.replicas.members)
        until = max(started + 60 * self.settings.minutes, time.monotonic() + 60 * self.settings.minutes * STEADY_SHARE)
        for number, fault in enumerate(self._endless(spares_leader=True), len(self.done) + 1):
            if self.problems or time.monotonic() >= until:
                break
            self._inject(number, fault, started)
        watch.stop()
        self._judge_memory({replica.uid: growth(samples) for replica, samples in watch.samples.items()})

    def _judge_memory(self, growths: dict[str, float | None]) -> None:
        """Of those that lived long enough: a leader may lose its lead to a fault, and is replaced then."""
        known = {uid: factor for uid, factor in growths.items() if factor is not None}
        for uid, factor in known.items():
            print(f"memory of {uid}: {factor:.2f} of what it was in the second quarter", flush=True)
            if factor > MOST_GROWTH:
                self.problems.append(f"the memory of {uid} grew by a factor of {factor:.2f}")
        if not known and not self.problems:
            self.problems.append("no replica lived long enough to watch its memory")

    def _end(self) -> None:
        """The storm is over; what is left must come to rest."""
        self.storm.stop()
        if self.storm.problem:
            raise RuntimeError(self.storm.problem)
        self.world.put_right()
        self.storm.let_go()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (left := self.world.end_complaints()) and time.monotonic() < deadline:
            time.sleep(0.5)
        self.problems += [f"after the storm: {complaint}" for complaint in left]

    def _different_replays(self) -> list[str]:
        """What every process decided in its life, however it ended, is decided again by a replay."""
        program = self.world.replicas.release.program
        recordings = sorted(self.world.folder.glob("*.rec"))
        problems = []
        for recording in recordings:
            done = subprocess.run([program, "replay", recording], check=False, text=True, capture_output=True)
            if done.returncode != 0:
                problems.append(f"replay of {recording}: {done.stdout}{done.stderr}")
        print(f"{len(recordings)} recordings replayed, {len(problems)} of them with another outcome", flush=True)
        return problems

    # --- faults ---------------------------------------------------------------------------------------------------

    def _endless(self, *, spares_leader: bool):
        """Round after round, each in another order."""
        seed = self.settings.seed
        while True:
            chosen = choose(max(self.settings.faults, 1), seed, has_own_plane=self.world.restart_server is not None,
                            spares_leader=spares_leader, only=self.settings.only,
                            on_wire=self.world.relay is not None)
            if not chosen:
                raise RuntimeError(f"no fault is called {self.settings.only}")
            yield from chosen
            seed += 1

    def _inject(self, number: int, fault: Fault, started: float) -> None:
        began = time.monotonic()
        self.done.append(fault.name)
        stage = Stage(self.world, self.storm)
        try:
            for step in fault.steps:
                step.do(stage)
            self.world.put_right()
        except FAILURES as error:
            self.problems.append(f"fault {number}, {fault.name}: {error}")
        if self.storm.problem:
            self.problems.append(self.storm.problem)
        if self.world.recorder.void:
            self.problems.append(f"THE RUN IS VOID, nothing follows from it: {self.world.recorder.void}")
        self.problems += self.world.violations()
        self._say(number, fault, time.monotonic() - began, time.monotonic() - started)

    def _say(self, number: int, fault: Fault, seconds: float, since: float) -> None:
        of = max(self.settings.faults, number)
        left = max((of - number) * since / number, 60 * self.settings.minutes - since, 0)
        outcome = "FAILED" if self.problems else "ok"
        print(f"{number:>4}/{of} {outcome} {seconds:5.1f} s  {fault.name} ({self.storm.actions} actions, "
              f"{self.world.bound_pods()} pods bound, {left / 60:.0f} min left)", flush=True)

    def _report(self, started: float) -> list[str]:
        again = shlex.join(["tests/crash/run", *self.settings.again, "--seed", str(self.settings.seed)])
        so_far = "".join(f"    {number} {name}\n" for number, name in enumerate(self.done, 1))
        seconds = time.monotonic() - started
        return [*self.problems, f"seed {self.settings.seed}, after {seconds:.0f} s and these faults:\n{so_far}"
                f"    logs and history: {self.world.folder}\n    again: {again}"]


def fresh_folder(name: str) -> Path:
    folder = RESULTS / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
