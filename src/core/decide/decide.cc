#include "core/decide/decide.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "core/decide/filter/volume_claims.h"
#include "core/decide/named_node.h"

namespace gs::decide {
namespace {

using model::Reason;
using model::ReasonToken;

Decision DecideNamed(const model::Pod& pod, const Ask& ask, const NamedGpus& named,
                     const cache::Cache& cache, const PlaceContext& context) {
  auto node = NamedNode(named.node, cache);
  if (auto* reason = std::get_if<Reason>(&node)) return NoPlace{std::move(*reason), {}};
  const NodeName& name = std::get<NodeName>(node);
  auto answer = PlaceOn(*cache.FindNode(name), pod, ask, Company(pod, cache), context);
  if (auto* place = std::get_if<Place>(&answer)) {
    return Placement{name, std::move(place->allocation), std::move(place->volumes)};
  }
  Reason& reason = std::get<Reason>(answer);
  return NoPlace{reason, {{name, reason}}};
}

}  // namespace

Decision Decide(const model::Pod& pod, const Ask& ask, const cache::Cache& cache,
                const PlaceContext& context) {
  if (auto reason = filter::RefusedByClaims(pod, context.storage)) {
    return NoPlace{*std::move(reason), {}};
  }
  if (const auto* named = std::get_if<NamedGpus>(&ask.gpus)) {
    return DecideNamed(pod, ask, *named, cache, context);
  }
  const Company company(pod, cache);
  const cache::NodeView* best = nullptr;
  Cost best_cost;
  std::vector<NodeVerdict> verdicts;
  for (const auto& [name, view] : cache.nodes()) {
    if (best != nullptr && !(LeastCostOn(view, ask) < best_cost)) continue;
    auto answer = CostOn(view, pod, ask, company, context);
    if (auto* reason = std::get_if<Reason>(&answer)) {
      // What keeps it off some nodes is of interest only where it has no other.
      if (best == nullptr) verdicts.push_back({name, std::move(*reason)});
      continue;
    }
    const Cost& cost = std::get<Cost>(answer);
    if (best != nullptr && !(cost < best_cost)) continue;
    best = &view;
    best_cost = cost;
  }
  if (best == nullptr) return NoPlace{Summarise(verdicts), std::move(verdicts)};
  auto place = std::get<Place>(PlaceOn(*best, pod, ask, company, context));
  return Placement{best->node.name, std::move(place.allocation), std::move(place.volumes)};
}

Reason Summarise(const std::vector<NodeVerdict>& nodes, const NodeName* nearest) {
  if (nodes.empty()) return {ReasonToken::kNodesExcluded, "the cluster has no nodes"};
  std::map<ReasonToken, std::vector<const NodeVerdict*>> groups;
  for (const NodeVerdict& verdict : nodes) groups[verdict.reason.token].push_back(&verdict);
  std::string message = "of " + std::to_string(nodes.size()) +
                        (nodes.size() == 1 ? " node" : " nodes") + " none fits";
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    const auto example = std::find_if(group->second.begin(), group->second.end(),
                                      [nearest](const NodeVerdict* each) {
                                        return nearest != nullptr && each->node == *nearest;
                                      });
    const NodeVerdict& first = example == group->second.end() ? *group->second.front() : **example;
    message += (group == groups.rbegin() ? ": " : "; ") + std::to_string(group->second.size()) +
               " " + std::string(ToString(group->first)) + " (" + first.node.text() + ": " +
               first.reason.message + ")";
  }
  return {groups.rbegin()->first, std::move(message)};
}

}  // namespace gs::decide
