"""What a process and an API server have used so far, as their own counters say it."""

import os
import re
from dataclasses import astuple, dataclass
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
WRITES = {"POST", "PUT", "PATCH", "DELETE"}
# Of the API server itself and of the machine that makes the pods.
NOT_COUNTED = {"tokenreviews", "subjectaccessreviews", "selfsubjectaccessreviews"}


def cpu_seconds(process: int) -> float:
    """Of the whole process, its ended children not included."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def peak_megabytes(process: int) -> float:
    """0 of a process that has ended."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    peak = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(peak.group(1)) / 1000 if peak else 0.0


@dataclass(frozen=True)
class Used:
    """Seconds of processors: of one process, of the API server, of its store, of whatever else ran, and of nobody."""
    own: float
    server: float
    store: float
    others: float
    idle: float

    def minus(self, before: "Used") -> "Used":
        return Used(*(after - earlier for after, earlier in zip(astuple(self), astuple(before))))


def used(process: int, server: int, store: int) -> Used:
    """So far. What a hypervisor took away is nobody's."""
    fields = [int(word) / TICKS for word in Path("/proc/stat").read_text(encoding="utf-8").split("\n", 1)[0].split()[1:9]]
    user, nice, system, idle, waiting, hard, soft, _ = fields
    each = [cpu_seconds(one) for one in (process, server, store)]
    return Used(*each, user + nice + system + hard + soft - sum(each), idle + waiting)


def writes(metrics: str) -> dict[str, int]:
    """How many requests that change something the API server has answered, by resource."""
    counted: dict[str, int] = {}
    for line in metrics.splitlines():
        if not line.startswith("apiserver_request_total{"):
            continue
        labels = dict(re.findall(r'(\w+)="([^"]*)"', line))
        if labels["verb"] in WRITES and labels["resource"] not in NOT_COUNTED:
            name = "/".join(filter(None, (labels["resource"], labels["subresource"])))
            counted[name] = counted.get(name, 0) + int(float(line.rsplit(" ", 1)[1]))
    return counted


def difference(after: dict[str, int], before: dict[str, int]) -> dict[str, int]:
    return {name: count - before.get(name, 0) for name, count in after.items() if count != before.get(name, 0)}
