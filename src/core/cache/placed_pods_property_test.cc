// Whatever happens to pods and namespaces, the numbers that are kept are those that counting every
// pod again gives.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/cache/cache.h"

namespace gs::cache {
namespace {

using model::SelectorOperator;

constexpr int kSteps = 60;
const TimePoint kNow{std::chrono::hours(1)};

std::size_t Below(std::size_t limit) { return *rc::gen::inRange<std::size_t>(0, limit); }
bool Once(std::size_t in) { return Below(in) == 0; }

std::string OneOf(const std::vector<std::string>& words) { return words[Below(words.size())]; }

Namespace AnyNamespace() { return Namespace(OneOf({"x", "y", "z"})); }

model::Labels AnyLabels() {
  model::Labels labels;
  if (!Once(3)) labels.Set("app", OneOf({"web", "db"}));
  if (Once(2)) labels.Set("tier", OneOf({"1", "2"}));
  return labels;
}

model::LabelSelector AnySelector() {
  model::LabelSelector selector;
  if (!Once(4)) {
    const auto op = Once(3) ? SelectorOperator::kNotIn : SelectorOperator::kIn;
    selector.requirements.push_back({"app", op, {OneOf({"web", "db"})}});
  }
  if (Once(3)) selector.requirements.push_back({"tier", SelectorOperator::kExists, {}});
  return selector;
}

model::PodAffinityTerm AnyTerm() {
  model::PodAffinityTerm term;
  if (!Once(8)) term.selector = AnySelector();
  if (Once(3)) term.namespace_selector = AnySelector();
  if (!term.namespace_selector || Once(2)) term.namespaces.push_back(AnyNamespace());
  if (Once(5)) term.namespaces.push_back(AnyNamespace());
  term.topology_key = OneOf({"zone", "host"});
  return term;
}

std::vector<model::PodAffinityTerm> AnyTerms() {
  std::vector<model::PodAffinityTerm> terms(Below(3));
  for (auto& term : terms) term = AnyTerm();
  return terms;
}

class Story {
 public:
  void Step() {
    const PodUid uid(OneOf({"1", "2", "3", "4", "5", "6", "7", "8"}));
    switch (Below(9)) {
      case 0:
        See(model::PodGone{{AnyNamespace(), PodName(uid.text()), uid}});
        namespace_of_.erase(uid);
        return;
      case 1: return NameSpace();
      case 2: return Assume(uid);
      case 3: (void)cache_.TakeBack(uid); return;
      default: See(model::PodSeen{AnyPod(uid)});
    }
  }

  void Check() const {
    for (const auto& [uid, record] : cache_.pods()) {
      for (const PodQuestion& question : QuestionsOf(record.pod)) CheckQuestion(question);
    }
    CheckTerms();
  }

 private:
  void See(const model::Event& event) { (void)cache_.Apply(event, kNow); }

  void NameSpace() {
    const Namespace ns = AnyNamespace();
    if (Once(3)) {
      namespaces_.erase(ns);
      return See(model::NamespaceGone{ns});
    }
    namespaces_[ns] = AnyLabels();
    See(model::NamespaceSeen{ns, namespaces_[ns]});
  }

  void Assume(const PodUid& uid) {
    const model::Pod* pod = cache_.FindPod(uid);
    if (pod == nullptr || pod->is_bound()) return;
    cache_.Assume(uid, NodeName(OneOf({"n1", "n2"})), std::nullopt);
  }

  // A pod never changes its namespace, and once bound it stays where it is.
  model::Pod AnyPod(const PodUid& uid) {
    const model::Pod* known = cache_.FindPod(uid);
    model::Pod pod;
    pod.ref = {namespace_of_.try_emplace(uid, AnyNamespace()).first->second, PodName(uid.text()),
               uid};
    pod.scheduler = SchedulerName(Once(4) ? "other" : "gpu-scheduler");
    if (known != nullptr) pod.node = known->node;
    if (!pod.is_bound() && Once(2)) pod.node = NodeName(OneOf({"n1", "n2", "n3"}));
    if (Once(6)) pod.phase = model::PodPhase::kSucceeded;
    pod.is_terminating = Once(4);
    pod.labels = AnyLabels();
    pod.ties->anti_affinity = AnyTerms();
    if (pod.is_bound()) return pod;
    pod.rules->pod_affinity = AnyTerms();
    if (Once(2)) pod.rules->spread.push_back({.topology_key = "zone", .selector = AnySelector()});
    return pod;
  }

  [[nodiscard]] bool Matches(const model::PodAffinityTerm& term, const model::Pod& pod) const {
    bool is_chosen = false;
    for (const Namespace& ns : term.namespaces) is_chosen = is_chosen || ns == pod.ref.ns;
    if (term.namespace_selector) {
      const auto labels = namespaces_.find(pod.ref.ns);
      is_chosen = is_chosen ||
                  model::Matches(*term.namespace_selector,
                                 labels == namespaces_.end() ? model::Labels() : labels->second);
    }
    return is_chosen && term.selector && model::Matches(*term.selector, pod.labels);
  }

  static std::optional<NodeName> NodeOf(const PodRecord& record) {
    if (record.pod.is_terminal()) return std::nullopt;
    if (record.pod.is_bound()) return record.pod.node;
    return record.assumed ? std::optional(record.assumed->node) : std::nullopt;
  }

  void CheckQuestion(const PodQuestion& question) const {
    CountsByNode expected;
    for (const auto& [uid, record] : cache_.pods()) {
      const auto node = NodeOf(record);
      bool counts = node && !(question.leaves_out_terminating && record.pod.is_terminating);
      for (const auto& term : question.terms) counts = counts && Matches(term, record.pod);
      if (counts) ++expected[*node];
    }
    CountsByNode actual;
    cache_.placed().ForEachNode(
        question, cache_.pods(),
        [&actual](const NodeName& node, std::int64_t pods) { actual[node] = pods; });
    RC_ASSERT(actual == expected);
  }

  // For a pod of each look: which terms of others on which nodes match it.
  void CheckTerms() const {
    for (const auto& [uid, looked_at] : cache_.pods()) {
      std::map<std::pair<NodeName, std::string>, std::int64_t> expected;
      for (const auto& [other, record] : cache_.pods()) {
        const auto node = NodeOf(record);
        if (!node) continue;
        for (const auto& term : record.pod.ties->anti_affinity) {
          if (Matches(term, looked_at.pod)) ++expected[{*node, term.topology_key}];
        }
      }
      std::map<std::pair<NodeName, std::string>, std::int64_t> actual;
      cache_.placed().ForEachTermAgainst(looked_at.pod, [&actual](const StandingTerm& standing) {
        for (const auto& [node, pods] : standing.pods) {
          actual[{node, standing.term.topology_key}] += pods;
        }
      });
      RC_ASSERT(actual == expected);
    }
  }

  Cache cache_{{.scheduler = SchedulerName("gpu-scheduler")}};
  std::map<Namespace, model::Labels> namespaces_;
  std::map<PodUid, Namespace> namespace_of_;
};

RC_GTEST_PROP(PlacedPodsProperty, KeepsWhatCountingAgainGives, ()) {
  Story story;
  for (int i = 0; i < kSteps; ++i) {
    story.Step();
    story.Check();
  }
}

}  // namespace
}  // namespace gs::cache
