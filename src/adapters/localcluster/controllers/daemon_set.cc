#include "adapters/localcluster/controllers/daemon_set.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <map>
#include <string>
#include <utility>

#include "adapters/kube/objects/decode.h"
#include "adapters/localcluster/controllers/revisions.h"
#include "adapters/localcluster/controllers/stateful_pod.h"
#include "adapters/localcluster/objects/event_about.h"
#include "adapters/localcluster/objects/metadata.h"
#include "adapters/localcluster/objects/pod_facts.h"
#include "core/decide/filter/node_affinity.h"
#include "core/decide/filter/taints.h"

namespace gs::localcluster {
namespace {

// A daemon stays on a node that is in trouble: it may be what gets it out.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kTolerated{{
    {"node.kubernetes.io/not-ready", "NoExecute"},
    {"node.kubernetes.io/unreachable", "NoExecute"},
    {"node.kubernetes.io/disk-pressure", "NoSchedule"},
    {"node.kubernetes.io/memory-pressure", "NoSchedule"},
    {"node.kubernetes.io/pid-pressure", "NoSchedule"},
    {"node.kubernetes.io/unschedulable", "NoSchedule"},
}};

void AddTolerations(Json& pod) {
  boost::json::array tolerations = Items(pod, {"spec", "tolerations"});
  for (const auto& [key, effect] : kTolerated) {
    tolerations.push_back({{"key", key}, {"operator", "Exists"}, {"effect", effect}});
  }
  Make(pod, {"spec"})["tolerations"] = std::move(tolerations);
}

// In place of what the template asks of nodes, which has been checked.
void PinTo(Json& pod, std::string_view node) {
  Json term{{"matchFields",
             boost::json::array{boost::json::object{{"key", "metadata.name"},
                                                    {"operator", "In"},
                                                    {"values", boost::json::array{Json(node)}}}}}};
  Make(pod, {"spec", "affinity", "nodeAffinity",
             "requiredDuringSchedulingIgnoredDuringExecution"})["nodeSelectorTerms"] =
      boost::json::array{std::move(term)};
  const auto scheduler = Text(pod, {"spec", "schedulerName"}, "default-scheduler");
  if (scheduler == "default-scheduler") Make(pod, {"spec"})["nodeName"] = node;
}

std::string NodeOf(const Json& pod) {
  const auto bound = Text(pod, {"spec", "nodeName"});
  if (!bound.empty()) return std::string(bound);
  for (const Json& term :
       Items(pod, {"spec", "affinity", "nodeAffinity",
                   "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"})) {
    for (const Json& field : Items(term, {"matchFields"})) {
      for (const Json& value : Items(field, {"values"})) return std::string(Text(value, {}));
    }
  }
  return "";
}

class Daemons {
 public:
  Daemons(const Json& set, const DaemonSetView& view, TimePoint now)
      : set_(set), view_(view), now_(now), min_ready_(Int(set, {"spec", "minReadySeconds"})) {
    for (const Json& pod : view.pods) pods_[NodeOf(pod)].push_back(&pod);
  }

  Reconciled Run() && {
    FindRevision();
    FindNodes();
    if (!IsBeingDeleted(set_)) {
      MakeAndTake();
      if (Text(set_, {"spec", "updateStrategy", "type"}) != "OnDelete") Roll();
    }
    WriteStatusIfChanged(reconciled_, set_, NewStatus());
    return std::move(reconciled_);
  }

 private:
  void FindRevision() {
    auto found = RevisionOf(set_, view_.revisions);
    for (Write& write : found.writes) reconciled_.writes.push_back(std::move(write));
    hash_ = LabelOf(found.revision, "controller.kubernetes.io/hash");
    const std::vector<std::string> live{std::string(NameOf(found.revision))};
    for (Write& write : DropOldRevisions(set_, view_.revisions, live)) {
      reconciled_.writes.push_back(std::move(write));
    }
  }

  void FindNodes() {
    Json pod = PodFromTemplate(set_, Members(set_, {"spec", "template"}));
    Make(pod, {"metadata"})["name"] = NameOf(set_);
    Make(pod, {"metadata"})["uid"] = UidOf(set_);
    AddTolerations(pod);
    const auto wanted = kube::DecodePod(boost::json::serialize(pod));
    for (const Json& each : view_.nodes) {
      const auto node = kube::DecodeNode(boost::json::serialize(each));
      if (!wanted || !node) continue;
      const bool fits = !filter::RefusedByAffinity(*wanted->rules, *node) &&
                        !filter::RefusedByTaint(*wanted->rules, *node);
      if (fits) fitting_.emplace_back(NameOf(each));
    }
  }

  void MakeAndTake() {
    for (auto& [node, pods] : pods_) {
      const bool fits = std::find(fitting_.begin(), fitting_.end(), node) != fitting_.end();
      std::sort(pods.begin(), pods.end(),
                [](const Json* a, const Json* b) { return IsOlder(*a, *b); });
      bool is_first = true;
      for (const Json* pod : pods) {
        if (IsBeingDeleted(*pod)) continue;
        if (!fits || !is_first || IsFinished(*pod)) TakePod(*pod);
        is_first = false;
      }
    }
    std::int64_t number = 0;
    for (const std::string& node : fitting_) {
      if (pods_.contains(node)) continue;
      Json pod = PodFromTemplate(set_, Members(set_, {"spec", "template"}));
      Make(pod, {"metadata", "labels"})[kRevisionLabel] = hash_;
      AddTolerations(pod);
      PinTo(pod, node);
      NamePod(pod, std::string(NameOf(set_)) + "-", now_, number++);
      const std::string message = "Created pod: " + std::string(NameOf(pod));
      reconciled_.writes.push_back(Create(std::move(pod)));
      Say("SuccessfulCreate", message);
    }
  }

  // Old pods go as far as maxUnavailable lets them; those that are no use anyway go first.
  void Roll() {
    const auto wanted = static_cast<std::int64_t>(fitting_.size());
    const Json* limit = Find(set_, {"spec", "updateStrategy", "rollingUpdate", "maxUnavailable"});
    std::int64_t room = std::max<std::int64_t>(1, IntOrPercent(limit, wanted, Rounding::kUp, 1));
    std::vector<const Json*> old;
    for (const std::string& node : fitting_) {
      const Json* pod = OnlyOn(node);
      if (pod == nullptr || !IsAvailable(*pod)) --room;
      if (pod != nullptr && LabelOf(*pod, kRevisionLabel) != hash_) old.push_back(pod);
    }
    for (const Json* pod : old) {
      if (IsAvailable(*pod) && room-- <= 0) continue;
      TakePod(*pod);
    }
  }

  [[nodiscard]] const Json* OnlyOn(const std::string& node) const {
    const auto found = pods_.find(node);
    if (found == pods_.end()) return nullptr;
    const auto active = std::find_if(found->second.begin(), found->second.end(),
                                     [](const Json* pod) { return IsActive(*pod); });
    return active == found->second.end() ? nullptr : *active;
  }

  [[nodiscard]] bool IsAvailable(const Json& pod) const {
    const auto from = AvailableFrom(pod, min_ready_);
    return from && *from <= now_;
  }

  [[nodiscard]] Json NewStatus() {
    std::int64_t current = 0;
    std::int64_t ready = 0;
    std::int64_t available = 0;
    std::int64_t updated = 0;
    for (const std::string& node : fitting_) {
      const Json* pod = OnlyOn(node);
      if (pod == nullptr) continue;
      ++current;
      ready += IsReady(*pod) ? 1 : 0;
      available += IsAvailable(*pod) ? 1 : 0;
      updated += LabelOf(*pod, kRevisionLabel) == hash_ ? 1 : 0;
      const auto from = AvailableFrom(*pod, min_ready_);
      if (from && *from > now_) LookAgainAt(reconciled_, *from);
    }
    std::int64_t misplaced = 0;
    for (const auto& [node, pods] : pods_) {
      const bool fits = std::find(fitting_.begin(), fitting_.end(), node) != fitting_.end();
      misplaced += fits ? 0 : 1;
    }
    const auto wanted = static_cast<std::int64_t>(fitting_.size());
    boost::json::object status{{"currentNumberScheduled", current},
                               {"numberMisscheduled", misplaced},
                               {"desiredNumberScheduled", wanted},
                               {"numberReady", ready},
                               {"observedGeneration", GenerationOf(set_)}};
    if (updated > 0) status["updatedNumberScheduled"] = updated;
    if (available > 0) status["numberAvailable"] = available;
    if (wanted > available) status["numberUnavailable"] = wanted - available;
    return status;
  }

  void TakePod(const Json& pod) {
    reconciled_.writes.push_back(Delete(pod));
    Say("SuccessfulDelete", "Deleted pod: " + std::string(NameOf(pod)));
  }

  void Say(std::string_view reason, std::string message) {
    reconciled_.writes.push_back(EventAbout(
        set_, {.reason = reason, .message = std::move(message), .source = "daemonset-controller"},
        now_));
  }

  const Json& set_;
  const DaemonSetView& view_;
  const TimePoint now_;
  const std::int64_t min_ready_;
  std::map<std::string, std::vector<const Json*>> pods_;  // by node
  std::vector<std::string> fitting_;                      // nodes
  std::string hash_;
  Reconciled reconciled_;
};

}  // namespace

Reconciled ReconcileDaemonSet(const Json& set, const DaemonSetView& view, TimePoint now) {
  return Daemons(set, view, now).Run();
}

}  // namespace gs::localcluster
