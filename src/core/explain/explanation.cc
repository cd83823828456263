#include "core/explain/explanation.h"

#include <algorithm>
#include <utility>

#include "core/explain/changes.h"

namespace gs::explain {
namespace {

using decide::Ask;
using model::ReasonToken;

// More than any node that is there has. Nothing that ends or heals helps then.
std::optional<std::int64_t> LargestNodeIfTooSmall(const Ask& ask, const Scene& scene) {
  const auto* counted = std::get_if<decide::CountedGpus>(&ask.gpus);
  if (counted == nullptr || scene.cache.nodes().empty()) return std::nullopt;
  std::int64_t largest = 0;
  for (const auto& [name, view] : scene.cache.nodes()) {
    if (!view.is_known) continue;
    const auto topology = scene.context.topologies.Of(view);
    if (topology) largest = std::max(largest, static_cast<std::int64_t>(topology->size()));
    if (counted->request.count <= largest) return std::nullopt;
  }
  return largest;
}

// Of the nodes with the leading reason the nearest.
const NodeName* NearestOf(ReasonToken leading, const std::vector<NearMiss>& misses) {
  const auto nearest = std::find_if(misses.begin(), misses.end(), [leading](const auto& miss) {
    return miss.verdict->reason.token == leading;
  });
  return nearest == misses.end() ? nullptr : &nearest->verdict->node;
}

}  // namespace

Explanation Explain(const model::Pod& pod, const Scene& scene) {
  auto ask = decide::AskOf(pod, scene.cache, scene.ask);
  if (const auto* known = std::get_if<Ask>(&ask)) return Explain(pod, *known, scene);
  Explanation explanation;
  explanation.reason = std::get<model::Reason>(std::move(ask));
  explanation.changes = FindRepairs(pod, explanation.reason.token, scene);
  return explanation;
}

Explanation Explain(const model::Pod& pod, const Ask& ask, const Scene& scene) {
  Explanation explanation;
  auto decision = decide::Decide(pod, ask, scene.cache, scene.context);
  if (auto* placement = std::get_if<decide::Placement>(&decision)) {
    explanation.placement = std::move(*placement);
    return explanation;
  }
  auto& none = std::get<decide::NoPlace>(decision);
  explanation.nodes = std::move(none.nodes);
  explanation.reason = std::move(none.reason);
  if (explanation.nodes.empty()) return explanation;
  const auto misses = NearMisses(explanation.nodes, pod, ask, scene);
  if (std::holds_alternative<decide::CountedGpus>(ask.gpus)) {
    explanation.reason =
        decide::Summarise(explanation.nodes, NearestOf(explanation.reason.token, misses));
  }
  explanation.largest_node = LargestNodeIfTooSmall(ask, scene);
  explanation.changes = FindChanges(misses, pod, ask, scene);
  return explanation;
}

model::Reason ToldReason(const Explanation& explanation) {
  model::Reason told = explanation.reason;
  if (explanation.largest_node) {
    told.message += "; would start never on today's nodes: largest has " +
                    std::to_string(*explanation.largest_node);
  } else if (!explanation.changes.empty()) {
    told.message += "; would start " + ToString(explanation.changes.front());
  }
  return told;
}

}  // namespace gs::explain
