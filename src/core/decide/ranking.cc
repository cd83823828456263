#include "core/decide/ranking.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "core/decide/named_node.h"

namespace gs::decide {
namespace {

void AddIfItFits(std::vector<RankedPlace>& places, const cache::NodeView& view,
                 const model::Pod& pod, const Ask& ask, const Company& company,
                 const PlaceContext& context) {
  auto answer = PlaceOn(view, pod, ask, company, context);
  if (auto* place = std::get_if<Place>(&answer)) {
    places.push_back({view.node.name, std::move(*place)});
  }
}

}  // namespace

std::vector<RankedPlace> RankPlaces(const model::Pod& pod, const Ask& ask,
                                    const cache::Cache& cache, const PlaceContext& context) {
  std::vector<RankedPlace> places;
  const Company company(pod, cache);
  if (const auto* named = std::get_if<NamedGpus>(&ask.gpus)) {
    const auto node = NamedNode(named->node, cache);
    const auto* name = std::get_if<NodeName>(&node);
    if (name != nullptr) {
      AddIfItFits(places, *cache.FindNode(*name), pod, ask, company, context);
    }
    return places;
  }
  for (const auto& [name, view] : cache.nodes()) {
    AddIfItFits(places, view, pod, ask, company, context);
  }
  // Nodes come in the order of their names, which breaks ties.
  std::stable_sort(places.begin(), places.end(), [](const RankedPlace& a, const RankedPlace& b) {
    return a.place.cost < b.place.cost;
  });
  return places;
}

}  // namespace gs::decide
