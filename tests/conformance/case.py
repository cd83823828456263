"""A case: steps in YAML, run against an API server as a user or a program would, each with what must come back.

Strings may hold ${ns}, the case's own namespace, and what earlier steps saved. See README.md for the steps.
"""

import contextlib
import http.client
import json
import queue
import re
import shlex
import socket
import subprocess
import threading
import time
import urllib.parse
from dataclasses import dataclass, field
from pathlib import Path

from hook import Hook
from match import Mismatch, check, look_up
from normalise import normalise

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 60
STEPS = ("request", "kubectl", "follow", "line", "ended", "watch", "frame", "closed", "hook", "asked")
CONTENT_TYPES = {"json": "application/json-patch+json", "merge": "application/merge-patch+json",
                 "strategic": "application/strategic-merge-patch+json", "apply": "application/apply-patch+yaml"}


class Failed(Exception):
    """A step did not end as it should."""


@dataclass
class Answer:
    status: int
    body: object
    headers: dict


class Watch(threading.Thread):
    """A watch that is read in the background, so that steps can do something meanwhile."""

    def __init__(self, engine, path: str):
        super().__init__(daemon=True)
        self.frames = queue.Queue()
        self.connection = engine.connection()
        self.connection.request("GET", path, headers={"Accept": "application/json"})
        self.socket = self.connection.sock  # the connection lets go of it
        self.answer = self.connection.getresponse()
        self.start()

    def run(self) -> None:
        try:
            for line in self.answer:
                self.frames.put(json.loads(line))
        except (OSError, ValueError, http.client.HTTPException, AttributeError):
            pass  # closed under our hands
        self.frames.put(None)

    def next(self) -> dict:
        try:
            frame = self.frames.get(timeout=PATIENCE_SECONDS)
        except queue.Empty:
            raise Failed("the watch has nothing to tell") from None
        if frame is None:
            raise Failed("the watch has ended")
        return frame

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)  # closing alone would wait for the reader
        self.connection.close()


class Following(threading.Thread):
    """A kubectl that goes on printing, such as get --watch, read in the background."""

    def __init__(self, command: list[str]):
        super().__init__(daemon=True)
        self.lines = queue.Queue()
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT)
        self.start()

    def run(self) -> None:
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def next(self) -> str:
        try:
            line = self.lines.get(timeout=PATIENCE_SECONDS)
        except queue.Empty:
            raise Failed("kubectl has nothing more to say") from None
        if line is None:
            raise Failed("kubectl has ended")
        return line

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self.join()
        self.process.stdout.close()


@dataclass
class Run:
    """One case on one engine."""

    engine: object
    namespace: str
    saved: dict = field(default_factory=dict)
    watches: dict = field(default_factory=dict)
    hooks: list = field(default_factory=list)

    def close(self) -> None:
        for each in [*self.watches.values(), *self.hooks]:
            each.close()

    # --- values ------------------------------------------------------------------------------------------------

    def fill(self, value):
        """The value with every ${name} in its strings replaced."""
        if isinstance(value, str):
            return re.sub(r"\$\{(\w+)\}", lambda found: str(self.value_of(found.group(1))), value)
        if isinstance(value, dict):
            return {self.fill(key): self.fill(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self.fill(each) for each in value]
        return value

    def value_of(self, name: str):
        if name == "ns":
            return self.namespace
        if name not in self.saved:
            raise Failed(f"nothing was saved as {name}")
        return self.saved[name]

    # --- steps -------------------------------------------------------------------------------------------------

    def step(self, step: dict) -> None:
        step = self.fill(step)
        kinds = [kind for kind in STEPS if kind in step]
        if len(kinds) != 1:
            raise Failed(f"a step is one of {', '.join(STEPS)}: {step}")
        act = getattr(self, kinds[0])
        deadline = time.monotonic() + (PATIENCE_SECONDS if step.get("eventually") else 0)
        while True:
            try:
                return act(step)
            except (Failed, Mismatch):
                if time.monotonic() > deadline:
                    raise
            time.sleep(0.1)

    def request(self, step: dict) -> None:
        method, path = step["request"].split(" ", 1)
        answer = self.send(method, path, step)
        wanted = listed(step.get("status", 201 if method == "POST" else 200))
        if answer.status not in wanted:
            raise Failed(f"{method} {path} was answered {answer.status} instead of {wanted[0]}: {short(answer.body)}")
        for name, value in step.get("headers", {}).items():
            check(answer.headers.get(name), value, f"header {name}")
        if "expect" in step:
            check(answer.body, step["expect"], "the answer")
        for name, path_in_body in step.get("save", {}).items():
            self.saved[name] = look_up(answer.body, path_in_body)

    def send(self, method: str, path: str, step: dict) -> Answer:
        connection = self.engine.connection()
        try:
            body = step.get("body")
            headers = {"Accept": step.get("accept", "application/json")}
            if body is not None:
                kind = step.get("type", "application/json")
                headers["Content-Type"] = CONTENT_TYPES.get(kind, kind)
            sent = body if isinstance(body, str) or body is None else json.dumps(body)
            connection.request(method, urllib.parse.quote(path, safe="/?&=%,()!:."), sent, headers)
            answer = connection.getresponse()
            text = answer.read().decode()
            is_json = "json" in answer.getheader("Content-Type", "")
            return Answer(answer.status, json.loads(text) if is_json else text, dict(answer.getheaders()))
        finally:
            connection.close()

    def kubectl_command(self, words: str) -> list[str]:
        return [*self.engine.kubectl, "--namespace", self.namespace, *shlex.split(words)]

    def kubectl(self, step: dict) -> None:
        done = subprocess.run(self.kubectl_command(step["kubectl"]), input=step.get("stdin", ""), cwd=ROOT,
                              text=True, capture_output=True, check=False, timeout=PATIENCE_SECONDS)
        said = f"kubectl {step['kubectl']} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
        if done.returncode != step.get("exit", 0):
            raise Failed(said)
        if "out" in step and normalise(done.stdout, self.namespace) != step["out"]:
            raise Failed(f"{said}\nexpected:\n{step['out']}\ngot, normalised:\n{normalise(done.stdout, self.namespace)}")
        for part in listed(step.get("out_has")):
            if part not in normalise(done.stdout, self.namespace):
                raise Failed(f"{said}\nexpected in the output: {part}")
        for part in listed(step.get("err_has")):
            if part not in normalise(done.stderr, self.namespace):
                raise Failed(f"{said}\nexpected among the errors: {part}")

    def follow(self, step: dict) -> None:
        self.watches[step.get("as", "kubectl")] = Following(self.kubectl_command(step["follow"]))

    def line(self, step: dict) -> None:
        """The next line; with `skip: true` the next one that fits."""
        while True:
            line = normalise(self.watches[step.get("of", "kubectl")].next(), self.namespace).rstrip("\n")
            if line == step["line"]:
                return
            if not step.get("skip"):
                raise Failed(f"kubectl said {line!r} and not {step['line']!r}")

    def ended(self, step: dict) -> None:
        """A kubectl that was followed has ended, with nothing more to say."""
        following = self.watches[step["ended"]]
        line = following.lines.get(timeout=PATIENCE_SECONDS)
        if line is not None:
            raise Failed(f"kubectl went on: {line!r}")
        code = following.process.wait(timeout=PATIENCE_SECONDS)
        if code != step.get("exit", 0):
            raise Failed(f"kubectl ended with {code}")

    def hook(self, step: dict) -> None:
        """Starts the case's webhook if it has none yet, and tells it what to answer at which path."""
        if not self.hooks:
            self.hooks.append(Hook())
            self.saved |= {"hook_url": self.hooks[0].url, "hook_ca": self.hooks[0].authority}
        with self.hooks[0].lock:
            self.hooks[0].answers = step["hook"]

    def asked(self, step: dict) -> None:
        """What the webhook was asked, from the beginning."""
        with self.hooks[0].lock:
            check(list(self.hooks[0].asked), step["asked"], "the questions")

    def watch(self, step: dict) -> None:
        watch = Watch(self.engine, step["watch"])
        self.watches[step.get("as", "watch")] = watch
        if watch.answer.status not in listed(step.get("status", 200)):
            raise Failed(f"the watch was answered {watch.answer.status}")

    def frame(self, step: dict) -> None:
        """The next frame; with `skip: true` the next one that fits."""
        watch = self.watches[step.get("of", "watch")]
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            frame = watch.next()
            try:
                check(frame, step["frame"], "the frame")
                break
            except Mismatch:
                if not step.get("skip") or time.monotonic() > deadline:
                    raise
        for name, path in step.get("save", {}).items():
            self.saved[name] = look_up(frame, path)

    def closed(self, step: dict) -> None:
        """The watch has ended, with nothing more to tell."""
        frame = self.watches[step["closed"]].frames.get(timeout=PATIENCE_SECONDS)
        if frame is not None:
            raise Failed(f"the watch went on: {short(frame)}")


def listed(value) -> list:
    return value if isinstance(value, list) else [] if value is None else [value]


def short(value) -> str:
    text = json.dumps(value) if not isinstance(value, str) else value
    return text if len(text) < 1500 else text[:1500] + " …"
