#include "core/decide/filter/pod_affinity.h"

#include <algorithm>
#include <string>

namespace gs::filter {
namespace {

using model::Reason;
using model::ReasonToken;

// "zone=a"
std::string PartOf(std::string_view key, const model::Node& node) {
  return std::string(key) + "=" + *node.labels.Find(key);
}

// Calls `each` for every node that has pods of that kind.
template <class Each>
void ForEachNode(const cache::PodQuestion& question, const cache::Cache& cache, Each each) {
  cache.placed().ForEachNode(question, cache.pods(), [&](const NodeName& node, std::int64_t) {
    if (const cache::NodeView* view = cache.FindNode(node)) each(view->node);
  });
}

}  // namespace

PodAffinity::PodAffinity(const model::Pod& pod, const cache::Cache& cache) : pod_(pod) {
  FindNear(cache);
  FindApart(cache);
  FindAgainst(cache);
}

void PodAffinity::FindNear(const cache::Cache& cache) {
  const auto& terms = pod_.rules->pod_affinity;
  if (terms.empty()) return;
  ForEachNode(cache::QuestionOfAffinity(pod_), cache, [&](const model::Node& node) {
    for (const auto& term : terms) near_.Add(term.topology_key, node);
  });
  is_first_ = near_.empty() && std::all_of(terms.begin(), terms.end(), [&](const auto& term) {
                return cache.placed().Matches(term, pod_);
              });
}

void PodAffinity::FindApart(const cache::Cache& cache) {
  for (const auto& term : pod_.ties->anti_affinity) {
    ForEachNode(cache::QuestionOfAntiAffinity(term), cache,
                [&](const model::Node& node) { apart_.Add(term.topology_key, node); });
  }
}

void PodAffinity::FindAgainst(const cache::Cache& cache) {
  cache.placed().ForEachTermAgainst(pod_, [&](const cache::StandingTerm& standing) {
    for (const auto& [name, pods] : standing.pods) {
      const cache::NodeView* view = cache.FindNode(name);
      if (view != nullptr) against_.Add(standing.term.topology_key, view->node);
    }
  });
}

std::optional<Reason> PodAffinity::RefuseNear(const model::Node& node) const {
  const model::PodAffinityTerm* missing = nullptr;
  for (const auto& term : pod_.rules->pod_affinity) {
    if (node.labels.Find(term.topology_key) == nullptr) {
      return Reason{ReasonToken::kPodAffinityUnmet,
                    "its affinity asks for a node with the label " + term.topology_key};
    }
    if (!near_.Has(term.topology_key, node)) missing = &term;
  }
  if (missing == nullptr || is_first_) return std::nullopt;
  return Reason{ReasonToken::kPodAffinityUnmet, "no pod that its affinity asks for (" +
                                                    ToString(*missing) + ") is in " +
                                                    PartOf(missing->topology_key, node)};
}

std::optional<Reason> PodAffinity::Refuse(const model::Node& node) const {
  if (auto reason = RefuseNear(node)) return reason;
  if (const auto key = apart_.FindKey(node); !key.empty()) {
    return Reason{ReasonToken::kPodAffinityUnmet,
                  "a pod that its anti-affinity keeps away from is in " + PartOf(key, node)};
  }
  if (const auto key = against_.FindKey(node); !key.empty()) {
    return Reason{ReasonToken::kPodAffinityUnmet,
                  "a pod whose anti-affinity keeps away from it is in " + PartOf(key, node)};
  }
  return std::nullopt;
}

}  // namespace gs::filter
