"""What a process and an API server have used so far, as their own counters say it."""

import os
import re
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
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return int(re.search(r"VmHWM:\s+(\d+) kB", status).group(1)) / 1000


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
