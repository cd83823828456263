"""What each command of `cluster` does, in terms of the other modules. command_line.py says what one may type."""

import argparse
import os
import sys
from pathlib import Path

import go_build
import kwok_stages
import lifecycle
import nodes
import run_command
from real_node import lifecycle as real_node
from failures import Failed
from plane import COMPONENTS, Plane, State, planes_folder
from tool_table import ALL, BY_NAME, FOR_TESTS

DEFAULT_NAME = "default"


def plane_of(arguments) -> Plane:
    return Plane(arguments.name, Path(arguments.dir) if arguments.dir else None)


def state_of(arguments) -> State:
    return State(apiserver_arguments=arguments.apiserver_arg, has_node_lifecycle=arguments.node_lifecycle)


def build(arguments) -> None:
    unknown = [name for name in arguments.names if name not in BY_NAME]
    if unknown:
        raise Failed(f"there is no tool {', '.join(unknown)}; there are {', '.join(BY_NAME)}")
    names = [*(FOR_TESTS if arguments.for_tests else ()), *arguments.names]  # most tests wait for the first
    go_build.build_all(names or BY_NAME, arguments.jobs)


def path(arguments) -> None:
    """Builds it when it is missing: a path is only useful when the file is there."""
    build(argparse.Namespace(names=[arguments.tool], for_tests=False, jobs=None))
    print(BY_NAME[arguments.tool].path)


def list_tools(_arguments) -> None:
    for tool in ALL:
        print(f"{tool.name:24} {tool.version:8} {tool.path if tool.path.exists() else 'not built'}")


def up(arguments) -> None:
    plane = plane_of(arguments)
    seconds = lifecycle.up(plane, state_of(arguments), tied_to_us=False)
    which = f" --dir {plane.folder}" if arguments.dir else ""
    print(f"# plane {plane.name} is ready after {seconds:.1f} s. Use it:\nexport KUBECONFIG={plane.kubeconfig}\n"
          f"export PATH={plane.tools}:$PATH\n# end it: cluster down --name {plane.name}{which}")


def down(arguments) -> None:
    lifecycle.down(plane_of(arguments).load(), keeps_folder=arguments.keep)


def restart(arguments) -> None:
    lifecycle.restart(plane_of(arguments).load(), arguments.component)


def show_status(plane: Plane) -> bool:
    """Whether the control plane runs as a whole."""
    plane.load()
    print(f"plane {plane.name}: https://127.0.0.1:{plane.state.apiserver_port}, {plane.kubeconfig}")
    for component in plane.components():
        print(f"  {component.name:24} {f'process {component.pid}' if component.pid else 'not running'}")
    return all(plane.component(name).pid for name in COMPONENTS[:3])


def status(arguments) -> int:
    """Without a name or a folder: every plane there is."""
    if arguments.dir or arguments.name != DEFAULT_NAME:
        return 0 if show_status(plane_of(arguments)) else 1
    names = sorted(folder.parent.name for folder in planes_folder().glob("*/state.json"))
    if not names:
        print("no plane")
    return 0 if all([show_status(Plane(name)) for name in names]) else 1


def logs(arguments) -> None:
    plane = plane_of(arguments).load()
    names = [plane.component(arguments.component)] if arguments.component else plane.components()
    for component in names:
        if component.log_file.exists():
            print(f"== {component.log_file}", file=sys.stderr, flush=True)
            sys.stdout.write(component.log_file.read_text(encoding="utf-8", errors="replace"))


def run(arguments) -> int:
    command = arguments.command[1:] if arguments.command[:1] == ["--"] else arguments.command
    if not command:
        raise Failed("which command? cluster run -- COMMAND...")
    if arguments.name == DEFAULT_NAME:
        arguments.name = f"run-{os.getpid()}"
    return run_command.run(plane_of(arguments), state_of(arguments), command, keeps_folder=arguments.keep)


def add_nodes(arguments) -> None:
    labels = dict(label.split("=", 1) for label in arguments.label)
    shape = nodes.Shape(arguments.gpus, arguments.cpu, arguments.memory, arguments.pods, labels)
    with plane_of(arguments).load().client() as client:
        print("\n".join(nodes.add_many(client, arguments.count, arguments.prefix, shape)))


def free_node_name(plane: Plane) -> str:
    taken = plane.node_names()
    return next(name for number in range(len(taken) + 1) if (name := f"node-{number}") not in taken)


def node(arguments) -> None:
    plane = plane_of(arguments).load()
    if arguments.what == "up":
        name = arguments.node or free_node_name(plane)
        seconds = real_node.up(plane, name, arguments.gpus, arguments.image)
        print(f"node {name} is Ready after {seconds:.1f} s")
        return
    for name in [arguments.node] if arguments.node else plane.node_names():
        real_node.down(plane, name)


def kwok(arguments) -> None:
    plane = plane_of(arguments).load()
    (kwok_stages.up if arguments.what == "up" else kwok_stages.down)(plane)
