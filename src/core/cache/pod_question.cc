#include "core/cache/pod_question.h"

#include "core/model/term_key.h"

namespace gs::cache {

std::string PodQuestion::key() const {
  std::string key = leaves_out_terminating ? "living " : "all ";
  for (const auto& term : terms) key += model::KeyOfPods(term) + '&';
  return key;
}

Namespace PodQuestion::scope() const {
  const model::PodAffinityTerm& first = terms.front();
  const bool is_one = first.namespaces.size() == 1 && !first.namespace_selector;
  return is_one ? first.namespaces.front() : Namespace();
}

PodQuestion QuestionOfAffinity(const model::Pod& pod) { return {.terms = pod.rules.pod_affinity}; }

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
  if (!pod.rules.pod_affinity.empty()) questions.push_back(QuestionOfAffinity(pod));
  for (const auto& term : pod.ties.anti_affinity) {
    questions.push_back(QuestionOfAntiAffinity(term));
  }
  for (const auto& constraint : pod.rules.spread) {
    if (AsksAnything(constraint)) questions.push_back(QuestionOfSpread(pod, constraint));
  }
  return questions;
}

}  // namespace gs::cache
