#include <boost/json/value.hpp>
#include <map>
#include <optional>
#include <string>

#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/tables/age.h"
#include "adapters/localcluster/tables/cells.h"

namespace gs::localcluster {
namespace {

using boost::json::array;
using boost::json::object;

// What the statuses of a pod's containers add up to.
struct Summary {
  std::string reason;
  std::int64_t restarts = 0;
  std::string last_restart;  // RFC 3339 in UTC, so that later is greater
  std::int64_t ready = 0;
  bool is_initializing = false;
};

bool IsSidecar(const object& container) { return Text(container, {"restartPolicy"}) == "Always"; }

void CountRestarts(const object& status, std::int64_t& restarts, std::string& last_restart) {
  restarts += Int(status, {"restartCount"});
  const std::string finished(Text(status, {"lastState", "terminated", "finishedAt"}));
  if (finished > last_restart) last_restart = finished;
}

// "Signal:9" or "ExitCode:1", where the kubelet gives no reason.
std::string ExitOf(const object& terminated) {
  const auto reason = Text(terminated, {"reason"});
  if (!reason.empty()) return std::string(reason);
  const auto signal = Int(terminated, {"signal"});
  if (signal != 0) return "Signal:" + std::to_string(signal);
  return "ExitCode:" + std::to_string(Int(terminated, {"exitCode"}));
}

// Nothing if the container is done, or runs beside the others.
std::optional<std::string> WhyInitWaits(const object& status, bool is_sidecar, std::size_t index,
                                        std::size_t count) {
  const auto* terminated = FindObject(status, {"state", "terminated"});
  if (terminated != nullptr && Int(*terminated, {"exitCode"}) == 0) {
    return std::nullopt;
  }
  if (is_sidecar && Bool(status, {"started"})) return std::nullopt;
  if (terminated != nullptr) return "Init:" + ExitOf(*terminated);
  const auto waiting = Text(status, {"state", "waiting", "reason"});
  if (!waiting.empty() && waiting != "PodInitializing") return "Init:" + std::string(waiting);
  return "Init:" + std::to_string(index) + "/" + std::to_string(count);
}

// Also returns the restarts of sidecars alone, which go on counting when the pod runs.
Summary SummarizeInit(const object& pod, Summary summary, Summary& sidecars) {
  std::map<std::string, bool> is_sidecar;
  const auto& containers = Items(pod, {"spec", "initContainers"});
  for (const auto& item : containers) {
    is_sidecar[std::string(Text(item, {"name"}))] = IsSidecar(Members(item, {}));
  }
  const auto& statuses = Items(pod, {"status", "initContainerStatuses"});
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    const object& status = Members(statuses[i], {});
    const bool stays = is_sidecar[std::string(Text(status, {"name"}))];
    CountRestarts(status, summary.restarts, summary.last_restart);
    if (stays) CountRestarts(status, sidecars.restarts, sidecars.last_restart);
    const auto why = WhyInitWaits(status, stays, i, containers.size());
    if (!why) {
      const bool runs = FindObject(status, {"state", "terminated"}) == nullptr;
      if (stays && runs && Bool(status, {"ready"})) ++summary.ready;
      continue;
    }
    summary.reason = *why;
    summary.is_initializing = true;
    break;
  }
  return summary;
}

void SummarizeContainers(const object& pod, Summary& summary) {
  bool has_running = false;
  std::string failure;
  const auto& statuses = Items(pod, {"status", "containerStatuses"});
  for (auto item = statuses.rbegin(); item != statuses.rend(); ++item) {
    const object& status = Members(*item, {});
    CountRestarts(status, summary.restarts, summary.last_restart);
    const auto waiting = Text(status, {"state", "waiting", "reason"});
    const auto* terminated = FindObject(status, {"state", "terminated"});
    if (!waiting.empty()) {
      summary.reason = waiting;
    } else if (terminated != nullptr) {
      summary.reason = ExitOf(*terminated);
      if (Int(*terminated, {"exitCode"}) != 0) failure = summary.reason;
    } else if (Bool(status, {"ready"}) && FindObject(status, {"state", "running"}) != nullptr) {
      has_running = true;
      ++summary.ready;
    }
  }
  if (summary.reason != "Completed") return;
  if (has_running && HasCondition(pod, "Ready")) {
    summary.reason = "Running";
  } else if (!failure.empty()) {
    summary.reason = failure;
  } else if (has_running) {
    summary.reason = "NotReady";
  }
}

std::string FirstReason(const object& pod) {
  for (const auto& item : Items(pod, {"status", "conditions"})) {
    const object& condition = Members(item, {});
    if (Text(condition, {"type"}) == "PodScheduled" &&
        Text(condition, {"reason"}) == "SchedulingGated") {
      return "SchedulingGated";
    }
  }
  return TextOr(Text(pod, {"status", "reason"}), Text(pod, {"status", "phase"}));
}

Summary Summarize(const object& pod) {
  Summary sidecars;
  Summary summary = SummarizeInit(pod, {.reason = FirstReason(pod)}, sidecars);
  if (!summary.is_initializing || HasCondition(pod, "Initialized")) {
    summary.restarts = sidecars.restarts;
    summary.last_restart = sidecars.last_restart;
    SummarizeContainers(pod, summary);
  }
  if (Text(pod, {"metadata", "deletionTimestamp"}).empty()) return summary;
  const auto phase = Text(pod, {"status", "phase"});
  if (Text(pod, {"status", "reason"}) == "NodeLost") {
    summary.reason = "Unknown";
  } else if (phase != "Succeeded" && phase != "Failed") {
    summary.reason = "Terminating";
  }
  return summary;
}

std::string ReadinessGates(const object& pod) {
  const auto& gates = Items(pod, {"spec", "readinessGates"});
  if (gates.empty()) return "<none>";
  std::size_t open = 0;
  for (const auto& gate : gates) {
    if (HasCondition(pod, Text(Members(gate, {}), {"conditionType"}))) ++open;
  }
  return std::to_string(open) + "/" + std::to_string(gates.size());
}

}  // namespace

array PodCells(const object& pod, TimePoint now) {
  const Summary summary = Summarize(pod);
  std::size_t containers = Items(pod, {"spec", "containers"}).size();
  for (const auto& item : Items(pod, {"spec", "initContainers"})) {
    if (IsSidecar(Members(item, {}))) ++containers;
  }
  std::string restarts = std::to_string(summary.restarts);
  if (summary.restarts != 0 && !summary.last_restart.empty()) {
    restarts += " (" + AgeSince(summary.last_restart, now) + " ago)";
  }
  const auto& addresses = Items(pod, {"status", "podIPs"});
  const auto address =
      addresses.empty() ? std::string_view() : Text(Members(addresses.front(), {}), {"ip"});
  return {Text(pod, {"metadata", "name"}),
          std::to_string(summary.ready) + "/" + std::to_string(containers),
          summary.reason,
          restarts,
          AgeOf(pod, now),
          TextOr(address, "<none>"),
          TextOr(Text(pod, {"spec", "nodeName"}), "<none>"),
          TextOr(Text(pod, {"status", "nominatedNodeName"}), "<none>"),
          ReadinessGates(pod)};
}

}  // namespace gs::localcluster
