#include "programs/kubectl_gpu/live_view.h"

#include <iterator>
#include <utility>

#include "adapters/kube/watch/list_once.h"
#include "adapters/kube/watch/watched_kind.h"
#include "core/model/names.h"

namespace gs::kubectl_gpu {
namespace {

kube::WatchedKind Hideable(kube::WatchedKind kind) {
  kind.may_be_forbidden = true;
  return kind;
}

// Which namespace has the locks is the scheduler's affair, so they are found by their label.
kube::WatchedKind AllLeases() {
  kube::WatchedKind kind = kube::Leases(Namespace());
  kind.collection.label_selector = std::string(model::names::kManagedLabel) + "=true";
  return kind;
}

std::vector<kube::WatchedKind> KindsToList() {
  std::vector<kube::WatchedKind> kinds{kube::Pods(),
                                       kube::Nodes(),
                                       Hideable(kube::Namespaces()),
                                       Hideable(kube::Claims()),
                                       Hideable(AllLeases()),
                                       Hideable(kube::Machines())};
  for (auto& kind : kube::StorageKinds()) kinds.push_back(std::move(kind));
  return kinds;
}

}  // namespace

std::unique_ptr<cycle::Cycle> StandbyWith(const std::vector<model::Event>& events,
                                          const ClusterOptions& options, TimePoint now) {
  cycle::CycleOptions settings;
  settings.scheduler = options.scheduler;
  settings.leader = "kubectl-gpu";
  settings.ask.share_cap = options.share_cap;
  auto cycle = std::make_unique<cycle::Cycle>(std::move(settings));
  (void)cycle->RunOnce(events, now);
  return cycle;
}

Result<LiveView> ReadLiveView(kube::Connection& connection, const ClusterOptions& options) {
  LiveView view{.now = connection.clock().WallTime(), .events = {}, .cycle = nullptr};
  const kube::SendRequest send = [&](const http::Request& request) {
    return connection.client().Send(request);
  };
  for (const auto& kind : KindsToList()) {
    auto telling = kube::ListOnce(send, kind);
    if (!telling) return std::move(telling).error();
    std::move(telling->events.begin(), telling->events.end(), std::back_inserter(view.events));
    for (const Error& problem : telling->problems) view.warnings.push_back(ToString(problem));
  }
  view.cycle = StandbyWith(view.events, options, view.now);
  return view;
}

}  // namespace gs::kubectl_gpu
