#include "adapters/kube/objects/pod_rules.h"

#include <string_view>
#include <utility>

#include "adapters/kube/objects/selectors.h"

namespace gs::kube {
namespace {

using model::SelectorOperator;

std::optional<model::PodAffinityTerm> ReadTerm(const JsonView& item, const PodIdentity& pod) {
  model::PodAffinityTerm term;
  term.topology_key = item.Field("topologyKey").Text();
  if (term.topology_key.empty()) return std::nullopt;
  if (const JsonView selector = item.Field("labelSelector"); selector.is_present()) {
    term.selector = ReadLabelSelector(selector);
    if (!term.selector) return std::nullopt;
    AddLabelKeys(item.Field("matchLabelKeys"), SelectorOperator::kIn, pod.labels, *term.selector);
    AddLabelKeys(item.Field("mismatchLabelKeys"), SelectorOperator::kNotIn, pod.labels,
                 *term.selector);
  }
  for (const JsonView& ns : item.Field("namespaces").Items()) {
    term.namespaces.emplace_back(ns.Text());
  }
  if (const JsonView selector = item.Field("namespaceSelector"); selector.is_present()) {
    term.namespace_selector = ReadLabelSelector(selector);
    if (!term.namespace_selector) return std::nullopt;
  } else if (term.namespaces.empty()) {
    term.namespaces.push_back(pod.ns);
  }
  return term;
}

// Absent: `fallback`. Nothing where the word is not known.
std::optional<bool> ReadPolicy(const JsonView& policy, bool fallback) {
  const std::string_view word = policy.Word();
  if (word.empty()) return fallback;
  if (word == "Honor") return true;
  if (word == "Ignore") return false;
  return std::nullopt;
}

std::optional<model::SpreadConstraint> ReadConstraint(const JsonView& item,
                                                      const PodIdentity& pod) {
  model::SpreadConstraint constraint;
  constraint.topology_key = item.Field("topologyKey").Text();
  const auto honours_affinity =
      ReadPolicy(item.Field("nodeAffinityPolicy"), constraint.honours_affinity);
  const auto honours_taints = ReadPolicy(item.Field("nodeTaintsPolicy"), constraint.honours_taints);
  if (constraint.topology_key.empty() || !honours_affinity || !honours_taints) return std::nullopt;
  constraint.honours_affinity = *honours_affinity;
  constraint.honours_taints = *honours_taints;
  constraint.max_skew = static_cast<std::int32_t>(item.Field("maxSkew").Int(kInt32Range, 1));
  constraint.min_domains = static_cast<std::int32_t>(item.Field("minDomains").Int(kInt32Range, 1));
  if (const JsonView selector = item.Field("labelSelector"); selector.is_present()) {
    constraint.selector = ReadLabelSelector(selector);
    if (!constraint.selector) return std::nullopt;
    AddLabelKeys(item.Field("matchLabelKeys"), SelectorOperator::kIn, pod.labels,
                 *constraint.selector);
  }
  return constraint;
}

}  // namespace

std::optional<std::vector<model::PodAffinityTerm>> ReadPodAffinity(const JsonView& affinity,
                                                                   const PodIdentity& pod) {
  std::vector<model::PodAffinityTerm> terms;
  for (const JsonView& item :
       affinity.Field("requiredDuringSchedulingIgnoredDuringExecution").Items()) {
    auto term = ReadTerm(item, pod);
    if (!term) return std::nullopt;
    terms.push_back(*std::move(term));
  }
  return terms;
}

std::optional<std::vector<model::SpreadConstraint>> ReadSpread(const JsonView& constraints,
                                                               const PodIdentity& pod) {
  std::vector<model::SpreadConstraint> spread;
  for (const JsonView& item : constraints.Items()) {
    const std::string_view action = item.Field("whenUnsatisfiable").Word();
    if (action == "ScheduleAnyway") continue;
    if (!action.empty() && action != "DoNotSchedule") return std::nullopt;
    auto constraint = ReadConstraint(item, pod);
    if (!constraint) return std::nullopt;
    spread.push_back(*std::move(constraint));
  }
  return spread;
}

std::size_t WordsOf(const std::vector<model::PodAffinityTerm>& terms) {
  std::size_t words = 0;
  for (const auto& term : terms) {
    words += 1 + term.namespaces.size();
    if (term.selector) words += WordsOf(*term.selector);
    if (term.namespace_selector) words += WordsOf(*term.namespace_selector);
  }
  return words;
}

std::size_t WordsOf(const std::vector<model::SpreadConstraint>& constraints) {
  std::size_t words = 0;
  for (const auto& constraint : constraints) {
    words += 1 + (constraint.selector ? WordsOf(*constraint.selector) : 0);
  }
  return words;
}

}  // namespace gs::kube
