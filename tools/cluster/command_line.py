"""What one may type after `cluster`, and how each way of failing ends."""

import argparse
import sys
from pathlib import Path

import commands
import stop_signals
from failures import SKIP_EXIT_CODE, Failed, Stopped, Unavailable


def count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text} is less than nothing")
    return number


def label(text: str) -> str:
    if "=" not in text:
        raise argparse.ArgumentTypeError(f"'{text}' is no label; write NAME=VALUE")
    return text


def add_plane_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--name", default=commands.DEFAULT_NAME, help="which plane (default)")
    parser.add_argument("--dir", help="the plane's folder, where it should not be in the cache")


def add_start_options(parser: argparse.ArgumentParser) -> None:
    add_plane_options(parser)
    parser.add_argument("--apiserver-arg", action="append", default=[], metavar="=--FLAG=VALUE",
                        help="one more argument for kube-apiserver; may be repeated")
    parser.add_argument("--node-lifecycle", action="store_true",
                        help="run the controller that taints nodes without heartbeats (with kwok or real nodes)")


def add_build_commands(subparsers) -> None:
    build = subparsers.add_parser("build", help="build tools into the cache; all when none is named")
    build.add_argument("names", nargs="*", metavar="NAME")
    build.add_argument("--for-tests", action="store_true", help="those that the tests of this project need")
    build.add_argument("--jobs", type=int, help="how many compilers at once (Go decides)")
    build.set_defaults(does=commands.build)
    path = subparsers.add_parser("path", help="print the path of a built tool, after building it if needed")
    path.add_argument("tool", metavar="NAME")
    path.set_defaults(does=commands.path)
    subparsers.add_parser("list", help="the tools, their versions and paths").set_defaults(does=commands.list_tools)


def add_plane_commands(subparsers) -> None:
    up = subparsers.add_parser("up", help="start a control plane and leave it running")
    add_start_options(up)
    up.set_defaults(does=commands.up)
    down = subparsers.add_parser("down", help="stop a control plane and remove its folder")
    add_plane_options(down)
    down.add_argument("--keep", action="store_true", help="keep the folder with the logs")
    down.set_defaults(does=commands.down)
    status = subparsers.add_parser("status", help="what runs; all planes when none is named")
    add_plane_options(status)
    status.set_defaults(does=commands.status)
    for name, does, nargs, text in (("logs", commands.logs, "?", "print the log of a component, or of all"),
                                    ("restart", commands.restart, None, "stop and start a component; the data stays")):
        command = subparsers.add_parser(name, help=text)
        command.add_argument("component", nargs=nargs)
        add_plane_options(command)
        command.set_defaults(does=does)


def add_run_command(subparsers) -> None:
    run = subparsers.add_parser("run", help="start a plane, run a command with it, take everything down")
    add_start_options(run)
    run.add_argument("--keep", action="store_true", help="keep the folder with the logs")
    run.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND...")
    run.set_defaults(does=commands.run)


def add_node_commands(subparsers) -> None:
    actions = subparsers.add_parser("nodes", help="nodes that are only objects").add_subparsers(required=True)
    add = actions.add_parser("add", help="add nodes; prints their names")
    add.add_argument("count", type=count)
    add_plane_options(add)
    add.add_argument("--gpus", type=count, default=8, help="GPUs of each (8)")
    add.add_argument("--cpu", default="64")
    add.add_argument("--memory", default="512Gi")
    add.add_argument("--pods", type=count, default=110)
    add.add_argument("--prefix", default="gpu-node", help="names are PREFIX-NUMBER (gpu-node)")
    add.add_argument("--label", action="append", default=[], type=label, metavar="NAME=VALUE")
    add.set_defaults(does=commands.add_nodes)
    node = subparsers.add_parser("node", help="a real node with containerd and a kubelet; needs root")
    node.add_argument("what", choices=("up", "down"))
    node.add_argument("node", nargs="?", metavar="NODE", help="its name; without one up takes a free one, down all")
    node.add_argument("--gpus", type=count, default=0, help="GPUs that the node claims to have (0)")
    node.add_argument("--image", type=Path, action="append", default=[], metavar="ARCHIVE",
                      help="an image that it has from the start, as an OCI or Docker archive; may be given again")
    add_plane_options(node)
    node.set_defaults(does=commands.node)
    kwok = subparsers.add_parser("kwok", help="make pods on these nodes run, with kwok")
    kwok.add_argument("what", choices=("up", "down"))
    add_plane_options(kwok)
    kwok.set_defaults(does=commands.kwok)


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="cluster", description="Real Kubernetes control planes for tests.")
    subparsers = top.add_subparsers(required=True, metavar="COMMAND")
    add_build_commands(subparsers)
    add_plane_commands(subparsers)
    add_run_command(subparsers)
    add_node_commands(subparsers)
    return top


def main(words: list[str]) -> int:
    arguments = parser().parse_args(words)
    stop_signals.catch()
    try:
        return arguments.does(arguments) or 0
    except Failed as error:
        print(f"cluster: {error}", file=sys.stderr)
        return 1
    except Unavailable as error:
        print(f"cluster: {error}", file=sys.stderr)
        return SKIP_EXIT_CODE
    except BrokenPipeError:
        return 1
    except PermissionError as error:
        print(f"cluster: {error}; only its owner and root may use a plane", file=sys.stderr)
        return 1
    except Stopped as stopped:
        return 128 + stopped.signal_number
