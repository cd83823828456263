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
  std::optional<Placement> best;
  Cost best_cost;
  std::vector<NodeVerdict> verdicts;
  for (const auto& [name, view] : cache.nodes()) {
    auto answer = PlaceOn(view, pod, ask, company, context);
    if (auto* reason = std::get_if<Reason>(&answer)) {
      verdicts.push_back({name, std::move(*reason)});
      continue;
    }
    Place& place = std::get<Place>(answer);
    if (best && !(place.cost < best_cost)) continue;
    best = Placement{name, std::move(place.allocation), std::move(place.volumes)};
    best_cost = place.cost;
  }
  if (best) return *std::move(best);
  return NoPlace{Summarise(verdicts), std::move(verdicts)};
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
