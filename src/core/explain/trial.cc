#include "core/explain/trial.h"

#include <set>
#include <utility>
#include <variant>

#include "core/decide/named_node.h"
#include "core/model/gpu_resource.h"

namespace gs::explain {
namespace {

using decide::Place;

constexpr std::size_t kMostBefore = 200;

bool MayBeOn(const decide::Ask& ask, const NodeName& node, const cache::Cache& cache) {
  const auto* named = std::get_if<decide::NamedGpus>(&ask.gpus);
  if (named == nullptr) return true;
  const auto found = decide::NamedNode(named->node, cache);
  const auto* name = std::get_if<NodeName>(&found);
  return name != nullptr && *name == node;
}

// As if the pod had been placed there.
void PutOn(cache::NodeView& view, const model::Pod& pod, const Place& place) {
  view.used.Add(pod.requests);
  ++view.pods_used;
  for (const model::HostPort& port : pod.ties->host_ports) ++view.host_ports[port];
  const bool is_counted = model::HasGpuResource(pod.requests);
  if (is_counted) view.counted_pods.push_back(pod.ref);
  if (!place.allocation) return;
  if (!is_counted) view.direct_pods.push_back(pod.ref);
  for (const GpuId gpu : place.allocation->gpus.ids) {
    view.holders.Add(gpu, pod.ref, place.allocation->mode, place.allocation->controller,
                     cache::Evidence::kAssumed);
  }
}

}  // namespace

Trial::Trial(const model::Pod& pod, const decide::Ask& ask, const Scene& scene)
    : pod_(pod),
      ask_(ask),
      scene_(scene),
      company_(pod, scene.cache),
      before_(scene.pending.Before(pod, kMostBefore + 1)) {
  knows_all_before_ = before_.size() <= kMostBefore;
}

std::optional<decide::Placement> Trial::Starts(const model::Pod& pod,
                                               const decide::Ask& ask) const {
  auto decision = decide::Decide(pod, ask, scene_.cache, scene_.context);
  auto* placement = std::get_if<decide::Placement>(&decision);
  if (placement == nullptr) return std::nullopt;
  return std::move(*placement);
}

bool Trial::Fits(const cache::NodeView& view, const model::Pod& pod, const decide::Ask& ask) const {
  return MayBeOn(ask, view.node.name, scene_.cache) &&
         std::holds_alternative<Place>(decide::PlaceOn(view, pod, ask, company_, scene_.context));
}

bool Trial::StartsOn(cache::NodeView changed) const {
  return StartsOn(std::move(changed), scene_.context);
}

bool Trial::StartsOn(cache::NodeView changed, const decide::PlaceContext& context) const {
  const auto fits = [&] {
    return std::holds_alternative<Place>(decide::PlaceOn(changed, pod_, ask_, company_, context));
  };
  // Mostly it does not fit at all, which is quickly told.
  if (!MayBeOn(ask_, changed.node.name, scene_.cache) || !fits()) return false;
  return ServeThoseBefore(changed, context) && fits();
}

bool Trial::ServeThoseBefore(cache::NodeView& view, const decide::PlaceContext& context) const {
  if (!knows_all_before_) return false;
  std::set<std::size_t> without_place;  // classes: where one has none, none has
  for (const pending::Earlier& earlier : before_) {
    if (without_place.contains(earlier.group)) continue;
    const model::Pod& pod = *scene_.cache.FindPod(earlier.pod);
    const auto ask = decide::AskOf(pod, scene_.cache, scene_.ask);
    const auto* known = std::get_if<decide::Ask>(&ask);
    const bool may_be = known != nullptr && MayBeOn(*known, view.node.name, scene_.cache);
    if (may_be) {
      auto answer = decide::PlaceOn(view, pod, *known, decide::Company(pod, scene_.cache), context);
      if (const auto* place = std::get_if<Place>(&answer)) {
        PutOn(view, pod, *place);
        continue;
      }
    }
    without_place.insert(earlier.group);
  }
  return true;
}

}  // namespace gs::explain
