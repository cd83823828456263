#include "adapters/localcluster/controllers/node_lifecycle.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string>
#include <utility>

#include "adapters/localcluster/objects/conditions.h"
#include "adapters/localcluster/objects/metadata.h"

namespace gs::localcluster {
namespace {

constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
constexpr std::string_view kUnreachable = "node.kubernetes.io/unreachable";

Json MarkedUnknown(const Json& node, TimePoint now) {
  Json status = Members(node, {"status"});
  for (const auto* type : {"Ready", "MemoryPressure", "DiskPressure", "PIDPressure"}) {
    SetCondition(status,
                 {type, "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status."},
                 now);
  }
  return status;
}

// Which taint belongs to what the node says of itself; none if it is ready.
std::string_view TaintFor(const Json& node) {
  const Json status = Members(node, {"status"});
  const Json* ready = FindCondition(status, "Ready");
  if (ready == nullptr || Text(*ready, {"status"}) == "True") return "";
  return Text(*ready, {"status"}) == "False" ? kNotReady : kUnreachable;
}

boost::json::array TaintsOf(const Json& node, std::string_view wanted, TimePoint now) {
  boost::json::array taints;
  bool is_there = false;
  for (const Json& taint : Items(node, {"spec", "taints"})) {
    const auto key = Text(taint, {"key"});
    const bool is_ours = key == kNotReady || key == kUnreachable;
    if (is_ours && key != wanted) continue;
    is_there = is_there || is_ours;
    taints.push_back(taint);
  }
  if (wanted.empty() || is_there) return taints;
  for (const auto* effect : {"NoSchedule", "NoExecute"}) {
    taints.push_back({{"key", wanted}, {"effect", effect}, {"timeAdded", PrintTime(now)}});
  }
  return taints;
}

}  // namespace

Reconciled ReconcileNode(const Json& node, const Json* lease, Duration grace, TimePoint now) {
  Reconciled reconciled;
  const auto renewed = lease == nullptr ? std::nullopt : TimeAt(*lease, {"spec", "renewTime"});
  if (!renewed) return reconciled;
  if (*renewed + grace > now) {
    LookAgainAt(reconciled, *renewed + grace);
  } else if (TaintFor(node) != kUnreachable) {
    WriteStatusIfChanged(reconciled, node, MarkedUnknown(node, now));
    return reconciled;
  }
  boost::json::array taints = TaintsOf(node, TaintFor(node), now);
  if (taints == Items(node, {"spec", "taints"})) return reconciled;
  Json changed = node;
  if (taints.empty()) {
    Make(changed, {"spec"}).erase("taints");
  } else {
    Make(changed, {"spec"})["taints"] = std::move(taints);
  }
  reconciled.writes.push_back(Update(std::move(changed)));
  return reconciled;
}

}  // namespace gs::localcluster
