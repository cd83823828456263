"""Builds the tools of tool_table.py into the cache, one at a time, and says what it does and how long it takes.

A file in the cache is complete: it is built beside its place and renamed. One builder works at a time; others wait.
"""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import earlier_builds
import go_toolchain
import kubernetes_module
import processes
from tool_table import BY_NAME, WRAPPERS, Tool, tools_folder

SECONDS_BETWEEN_SIGNS_OF_LIFE = 30
# A compiler lives for a second and rarely needs so much, so collecting its garbage is wasted: a fifth of the time.
COLLECTS_LATE = {"GOGC": "off", "GOMEMLIMIT": "1500MiB"}
TIMES = "GS_GO_BUILD_TIMES"  # names a file that gets a line of JSON for each tool that is built


def say(text: str) -> None:
    """Progress goes to stderr, so that what a command prints can be used by scripts."""
    print(f"cluster: {text}", file=sys.stderr, flush=True)


def is_locked_by_us(lock) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False


@contextmanager
def build_lock():
    """Held while building. The kernel releases it when the builder dies."""
    tools_folder().mkdir(parents=True, exist_ok=True)
    with open(tools_folder() / ".lock", "w", encoding="utf-8") as lock:
        started = time.monotonic()
        while not processes.wait_until(lambda: is_locked_by_us(lock), SECONDS_BETWEEN_SIGNS_OF_LIFE, 0.2):
            say(f"waiting for another build to end, {time.monotonic() - started:.0f} s so far")
        for left_behind in tools_folder().glob(".building-*"):
            shutil.rmtree(left_behind, ignore_errors=True)
        yield


def go_environment(go: str) -> dict[str, str]:
    """Settings that decide what is built are fixed; where modules come from is the machine's business."""
    path = f"{Path(go).parent}{os.pathsep}{os.environ['PATH']}"
    return os.environ | COLLECTS_LATE | {"CGO_ENABLED": "0", "GOWORK": "off", "GOTOOLCHAIN": "local", "GOROOT": "", "PATH": path}


def wait_with_signs_of_life(process: subprocess.Popen, name: str, started: float) -> None:
    try:
        while True:
            try:
                process.wait(SECONDS_BETWEEN_SIGNS_OF_LIFE)
                return
            except subprocess.TimeoutExpired:
                say(f"  still building {name} after {time.monotonic() - started:.0f} s")
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)  # the signal on which Go removes its temporary files
            process.wait()


def source_folder(tool: Tool, go: str) -> Path:
    if tool.wrapper:
        return WRAPPERS / tool.wrapper
    return kubernetes_module.folder(tool.version, go, go_environment(go))


def compile_to(tool: Tool, target: Path, jobs: int | None) -> None:
    go = go_toolchain.find()
    parallel = ("-p", str(jobs)) if jobs else ()
    command = [go, "build", *parallel, *tool.flags, "-o", str(target), tool.package]
    folder = source_folder(tool, go)
    started = time.monotonic()
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        process = subprocess.Popen(command, cwd=folder, env=go_environment(go), stdout=output,
                                   stderr=output)
        wait_with_signs_of_life(process, tool.name, started)
        output.seek(0)
        if process.returncode != 0:
            go_toolchain.raise_for(f"building {tool.name} {tool.version}", output.read()[-4000:])
    seconds = time.monotonic() - started
    say(f"built {tool.name} in {seconds:.0f} s, {target.stat().st_size // 2**20} MiB")
    write_down(tool, seconds)


def write_down(tool: Tool, seconds: float) -> None:
    if TIMES in os.environ:
        with open(os.environ[TIMES], "a", encoding="utf-8") as file:
            print(json.dumps({"tool": tool.name, "seconds": round(seconds, 1)}), file=file)


def build(tool: Tool, jobs: int | None = None) -> Path:
    """The path of the built tool; instant when it is in the cache."""
    if tool.path.exists():
        return tool.path
    with build_lock():
        if not tool.path.exists():
            make(tool, jobs)
    return tool.path


def make(tool: Tool, jobs: int | None) -> None:
    earlier = earlier_builds.find(tool, go_toolchain.find())
    if earlier:
        os.link(earlier, tool.path)
        return
    say(f"building {tool.name} {tool.version} (about {tool.seconds} s on two idle cores when nothing is cached)")
    with tempfile.TemporaryDirectory(dir=tools_folder(), prefix=".building-") as folder:
        compile_to(tool, Path(folder) / tool.name, jobs)
        os.rename(Path(folder) / tool.name, tool.path)


def build_all(names, jobs: int | None = None) -> None:
    for name in names:
        build(BY_NAME[name], jobs)


def module_folder(wrapper: str, module: str) -> Path:
    """Where the module cache holds the files of a module, fetched when they are not there."""
    go = go_toolchain.find()
    done = None
    for command in (["mod", "download", module], ["list", "-m", "-f", "{{.Dir}}", module]):
        done = subprocess.run([go, *command], cwd=WRAPPERS / wrapper, env=go_environment(go), text=True,
                              capture_output=True, check=False)
        if done.returncode != 0:
            go_toolchain.raise_for(f"fetching the files of {module}", done.stderr)
    return Path(done.stdout.strip())
