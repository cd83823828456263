#include "tests/scenarios/told_changes.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "core/explain/explanation.h"
#include "core/model/gpu_resource.h"

namespace gs::scenarios {
namespace {

using explain::Change;

class Maker {
 public:
  Maker(const ApiServer::PodKey& waiting, Cluster& cluster)
      : waiting_(waiting), api_(cluster.api()) {}

  void operator()(const explain::CountsAgree& change) {
    ChangePod(
        [&](model::Pod& pod) { model::SetWholeGpus(pod.requests, change.resource, change.gpus); });
  }
  void operator()(const explain::ClaimComes& change) {
    model::Claim claim;
    claim.ns = waiting_.first;
    claim.name = change.claim;
    claim.devices.count = change.gpus;
    api_.Put(std::move(claim));
  }
  void operator()(const explain::PrefersTopology& change) {
    ChangeClaim(change.claim, [](model::Claim& claim) {
      claim.topology->mode = model::TopologyMode::kPreferred;
    });
  }
  void operator()(const explain::PodEnds& change) {
    model::Pod pod = *api_.FindPod({change.pod.ns, change.pod.name});
    pod.phase = model::PodPhase::kSucceeded;
    pod.had_running_container = false;
    api_.Put(std::move(pod));
  }
  void operator()(const explain::GpuHeals& change) {
    model::Machine machine = api_.machines().at(change.node);
    for (auto& device : machine.devices) {
      if (device.id == change.gpu) device.health = model::Health::kHealthy;
    }
    api_.PutMachine(change.node, machine);
  }
  void operator()(const explain::ReservationEnds& change) {
    api_.RemovePod({change.pod.ns, change.pod.name});
  }
  void operator()(const explain::ToleratesTaint& change) {
    ChangePod([&](model::Pod& pod) {
      pod.rules->tolerations.push_back({.key = change.taint.key,
                                        .value = change.taint.value,
                                        .op = model::TolerationOperator::kEqual,
                                        .effect = std::nullopt});
    });
  }
  void operator()(const explain::IsUncordoned& change) {
    model::Node node = api_.nodes().at(change.node);
    node.is_unschedulable = false;
    std::erase_if(node.taints, [](const model::Taint& taint) {
      return taint.key == "node.kubernetes.io/unschedulable";
    });
    api_.Put(std::move(node));
  }
  void operator()(const explain::DropsSelector& change) {
    ChangePod([&](model::Pod& pod) { Drop(pod.rules->node_selector, change.name); });
  }
  void operator()(const explain::DropsAffinity& /*change*/) {
    ChangePod([](model::Pod& pod) { pod.rules->node_affinity.clear(); });
  }
  void operator()(const explain::DropsClaimLabel& change) {
    ChangeClaim(change.claim, [&](model::Claim& claim) { Drop(claim.match_labels, change.name); });
  }
  void operator()(const explain::AsksLess& change) {
    ChangePod([&](model::Pod& pod) {
      if (change.resource == "cpu") {
        pod.requests.cpu_milli -= change.less;
      } else if (change.resource == "memory") {
        pod.requests.memory_bytes -= change.less;
      } else {
        pod.requests.others[change.resource] -= change.less;
      }
    });
  }
  void operator()(const explain::AsksFewerGpus& change) {
    ChangePod([&](model::Pod& pod) {
      const std::string_view resource = model::WholeGpuResource(pod.requests);
      if (!resource.empty()) model::SetWholeGpus(pod.requests, resource, change.gpus);
    });
    if (change.claim.empty()) return;
    ChangeClaim(change.claim, [&](model::Claim& claim) { claim.devices.count = change.gpus; });
  }

 private:
  template <class Edit>
  void ChangePod(Edit edit) {
    model::Pod pod = *api_.FindPod(waiting_);
    edit(pod);
    api_.Put(std::move(pod));
  }
  template <class Edit>
  void ChangeClaim(const ClaimName& name, Edit edit) {
    model::Claim claim = api_.claims().at({waiting_.first, name});
    edit(claim);
    api_.Put(std::move(claim));
  }
  static void Drop(model::Labels& labels, const std::string& dropped) {
    model::Labels left;
    for (const auto& [name, value] : labels) {
      if (name != dropped) left.Set(name, value);
    }
    labels = std::move(left);
  }

  const ApiServer::PodKey& waiting_;
  ApiServer& api_;
};

}  // namespace

std::vector<ToldChange> ToldChanges(const Cluster& cluster) {
  std::vector<ToldChange> told;
  const cycle::Cycle& scheduler = cluster.scheduler();
  if (!scheduler.is_deciding() || scheduler.in_flight() > 0) return told;
  for (const auto& [uid, record] : scheduler.cache().pods()) {
    if (scheduler.pending().ReasonOf(uid) == nullptr) continue;
    const auto explanation = scheduler.Look([&record = record](const explain::Scene& scene) {
      return explain::Explain(record.pod, scene);
    });
    for (const Change& change : explanation.changes) {
      told.push_back({{record.pod.ref.ns, record.pod.ref.name}, change});
    }
  }
  return told;
}

void Make(const ToldChange& told, Cluster& cluster) {
  std::visit(Maker(told.pod, cluster), told.change);
}

std::string ToString(const ToldChange& told) {
  return told.pod.second.text() + " would start " + ToString(told.change);
}

}  // namespace gs::scenarios
