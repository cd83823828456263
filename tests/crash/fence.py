"""The fence as the API server has it: who leads which release, and which pods it is committing."""

import json

from api import MERGE_PATCH, Api

FENCE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/scheduler-fence"
RECORD = "gpu.scheduling/release-"


def _annotations(api: Api) -> dict[str, str]:
    return (api.get(FENCE) or {"metadata": {}})["metadata"].get("annotations") or {}


def _records(api: Api) -> dict[str, tuple[str, dict]]:
    found = {}
    for key, text in _annotations(api).items():
        if key.startswith(RECORD) and text.startswith("{"):
            record = json.loads(text)
            found[record["scheduler"]] = (key, record)
    return found


def leader_of(api: Api, scheduler: str) -> str:
    """The UID of the pod that leads; empty: nobody does."""
    return _records(api).get(scheduler, ("", {}))[1].get("holder", "")


def listed(api: Api, scheduler: str) -> list[str] | None:
    """The names of the pods that are being committed; None: the release is not in the fence, or nothing is settled yet."""
    record = _records(api).get(scheduler, ("", {}))[1]
    if not record or record.get("listLost") or "gpu.scheduling/unsettled" in _annotations(api):
        return None
    return [entry["name"] for entry in record["inFlight"]]


def delete(api: Api) -> None:
    api.insist("DELETE", FENCE)


def overwrite(api: Api, scheduler: str, text: str | None) -> None:
    """The record of a release by something else; None: by nothing at all."""
    key = _records(api)[scheduler][0]
    api.insist("PATCH", FENCE, {"metadata": {"annotations": {key: text}}}, MERGE_PATCH)
