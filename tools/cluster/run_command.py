"""Runs a command against a plane of its own: `cluster run -- COMMAND...`.

However it ends (the command ends, Ctrl-C, SIGTERM, SIGHUP) the plane and everything the command started are gone
afterwards. When this process is killed outright, the kernel kills the plane and the command.
"""

import os
import subprocess

import descendants
import lifecycle
import processes
import stop_signals
from failures import Failed
from plane import Plane, State

PATIENCE_SECONDS = 10


def exit_code(returncode: int) -> int:
    return 128 - returncode if returncode < 0 else returncode


def run_inside(plane: Plane, command: list[str]) -> int:
    parent = os.getpid()

    def prepare() -> None:
        stop_signals.restore_defaults()
        processes.die_with(parent)

    try:
        process = subprocess.Popen(command, env=os.environ | plane.environment(), preexec_fn=prepare)
    except OSError as error:
        raise Failed(f"cannot run {command[0]}: {error.strerror}") from error
    return exit_code(process.wait())


def run(plane: Plane, state: State, command: list[str], *, keeps_folder: bool) -> int:
    """The exit code of the command."""
    processes.adopt_orphans()
    lifecycle.up(plane, state, tied_to_us=True)
    try:
        try:
            return run_inside(plane, command)
        finally:
            stop_signals.ignore()
    finally:
        descendants.end_all(plane.pids(), PATIENCE_SECONDS)
        lifecycle.down(plane, keeps_folder=keeps_folder)
