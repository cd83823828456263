"""Runs kwok for the nodes of a plane: pods that are bound there become Running, and leases are renewed.

kwok does nothing without stages; they come out of its own module, so that they fit the program.
"""

import components
import go_build
from failures import Failed
from plane import Plane
from processes import wait_until
from tool_table import BY_NAME

MODULE = "sigs.k8s.io/kwok"
STAGES = ("node/fast/node-initialize.yaml", "node/heartbeat-with-lease/node-heartbeat-with-lease.yaml",
          "pod/fast/pod-ready.yaml", "pod/fast/pod-complete.yaml", "pod/fast/pod-delete.yaml")
SECONDS_TO_START = 120


def write_stages(plane: Plane) -> None:
    """Without the separators kwok reads only a part and does not say so."""
    folder = go_build.module_folder(BY_NAME["kwok"].wrapper, MODULE) / "kustomize" / "stage"
    documents = [(folder / stage).read_text(encoding="utf-8").strip() for stage in STAGES]
    (plane.folder / "kwok-stages.yaml").write_text("\n---\n".join(documents) + "\n", encoding="utf-8")


def up(plane: Plane) -> None:
    component = plane.component("kwok")
    if component.pid:
        raise Failed(f"kwok runs already in plane {plane.name}")
    go_build.build(BY_NAME["kwok"])
    plane.link_tools()
    write_stages(plane)
    component.log_file.unlink(missing_ok=True)
    component.start(components.command_of("kwok", plane), tied_to_us=False)

    def is_running_or_dead() -> bool:
        return component.pid is None or '"Watch all nodes"' in component.log_file.read_text(encoding="utf-8")

    if not wait_until(is_running_or_dead, SECONDS_TO_START):
        raise Failed(f"kwok does not watch nodes after {SECONDS_TO_START} s. Its last words:\n{component.last_lines()}")
    if component.pid is None:
        raise Failed(f"kwok ended while it started. Its last words:\n{component.last_lines()}")


def down(plane: Plane) -> None:
    plane.component("kwok").stop()
