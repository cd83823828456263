"""What must be true once a storm is over and everybody had time: no Lease without its pod, none missing, and no pod that
waits although it fits. To be asked again until nothing is left, or time is up."""

from asks import MAP, SHARED, Ask, ask_of
from checker import Checker, Gpu, Violation, gpus_of
from event import gpu_requests, is_terminal, node_of


def complaints(checker: Checker) -> list[Violation]:
    return [*wrong_leases(checker), *idle_gpus(checker)]


def wrong_leases(checker: Checker) -> list[Violation]:
    found = []
    holding = {gpu: {holder.uid for holder in holders} for gpu, holders in checker.holders.items()}
    for gpu in sorted(holding.keys() | checker.leases.keys()):
        pods, named = holding.get(gpu, set()), set(checker.leases[gpu].now)
        if named - pods:
            found.append(Violation("Lease without a pod", gpu, f"the Lease of {gpu} names {sorted(named - pods)}"))
        if pods - named:
            found.append(Violation("pod without a Lease", gpu, f"{gpu} is held by {sorted(pods - named)}"))
    return found


def idle_gpus(checker: Checker) -> list[Violation]:
    found = []
    for pod in checker.pods.values():
        if not is_waiting(checker, pod):
            continue
        ask = ask_of(pod, checker.claims)
        places = [name for name in sorted(checker.nodes)
                  if ask is not None and fits(checker, ask, name) and has_room(checker, pod, name)]
        if places:
            name = pod["metadata"]["name"]
            found.append(Violation("idle GPUs", None, f"{name} waits for {ask} and fits on {places}"))
    return found


def is_waiting(checker: Checker, pod: dict) -> bool:
    return (not node_of(pod) and not is_terminal(pod) and not pod["metadata"].get("deletionTimestamp")
            and pod["spec"].get("schedulerName") in checker.rules.scheduler_names)


def fits(checker: Checker, ask: Ask, node: str) -> bool:
    if not takes_pods(checker.nodes[node]) or not handover_agrees(checker, ask, node):
        return False
    if ask.mode == MAP:
        return ask.node == node and all(is_open(checker, (node, id), ask) for id in ask.ids)
    return sum(is_open(checker, (node, id), ask) for id in gpu_ids(checker, node)) >= ask.count


def has_room(checker: Checker, pod: dict, node: str) -> bool:
    """What device plugins count is there, whoever has the rest of it."""
    room = checker.nodes[node].get("status", {}).get("allocatable", {})
    live = [gpu_requests(other) for other in checker.pods.values() if node_of(other) == node and not is_terminal(other)]
    return all(sum(asks.get(resource, 0) for asks in live) + count <= int(room.get(resource, 0))
               for resource, count in gpu_requests(pod).items())


def gpu_ids(checker: Checker, node: str) -> list[int]:
    """Those of an agent's report, if there is one; else as many as the node claims to have."""
    report = checker.machines.get(node, {}).get("status", {})
    if "devices" in report:
        return [device["id"] for device in report["devices"] if device.get("health", "Healthy") == "Healthy"]
    return list(range(gpus_of(checker.nodes[node])))


def is_open(checker: Checker, gpu: Gpu, ask: Ask) -> bool:
    holders = checker.holders.get(gpu, [])
    if ask.mode == SHARED and len(holders) >= checker.rules.pods_per_shared_gpu:
        return False
    return all(holder.ask.may_share(ask) for holder in holders)


def takes_pods(node: dict) -> bool:
    taints = node["spec"].get("taints") or []
    return not node["spec"].get("unschedulable") and not any(taint["effect"] != "PreferNoSchedule" for taint in taints)


def handover_agrees(checker: Checker, ask: Ask, node: str) -> bool:
    """Pods that a device plugin serves, and pods with exact ids, do not meet on one node."""
    live = [pod for pod in checker.pods.values() if node_of(pod) == node and not is_terminal(pod)]
    if ask.is_counted:
        direct = {holder.uid for (name, _), holders in checker.holders.items() if name == node for holder in holders
                  if not holder.ask.is_counted}
        return not direct
    return not any(gpu_requests(pod) for pod in live)
