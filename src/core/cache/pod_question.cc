#include "core/cache/pod_question.h"

#include <algorithm>

#include "core/model/term_key.h"

namespace gs::cache {

std::string PodQuestion::key() const {
  std::string key = leaves_out_terminating ? "living " : "all ";
  for (const auto& term : terms) key += model::KeyOfPods(term) + '&';
  return key;
}

Namespace PodQuestion::scope() const {
  const std::vector<Namespace>& named = terms.front().namespaces;
  // A term that goes by labels has to be counted again when they change.
  const bool goes_by_labels = std::any_of(terms.begin(), terms.end(), [](const auto& term) {
    return term.namespace_selector.has_value();
  });
  return named.size() == 1 && !goes_by_labels ? named.front() : Namespace();
}

PodQuestion QuestionOfAffinity(const model::Pod& pod) { return {.terms = pod.rules->pod_affinity}; }

PodQuestion QuestionOfAntiAffinity(const model::PodAffinityTerm& term) { return {.terms = {term}}; }

PodQuestion QuestionOfSpread(const model::Pod& pod, const model::SpreadConstraint& constraint) {
  model::PodAffinityTerm term;
  term.selector = constraint.selector;
  term.namespaces = {pod.ref.ns};
  return {.terms = {std::move(term)}, .leaves_out_terminating = true};
}

bool AsksAnything(const model::SpreadConstraint& constraint) {
  return constraint.selector && !constraint.selector->requirements.empty();
}

std::vector<PodQuestion> QuestionsOf(const model::Pod& pod) {
  std::vector<PodQuestion> questions;
  if (!pod.rules->pod_affinity.empty()) questions.push_back(QuestionOfAffinity(pod));
  for (const auto& term : pod.ties->anti_affinity) {
    questions.push_back(QuestionOfAntiAffinity(term));
  }
  for (const auto& constraint : pod.rules->spread) {
    if (AsksAnything(constraint)) questions.push_back(QuestionOfSpread(pod, constraint));
  }
  return questions;
}

}  // namespace gs::cache
