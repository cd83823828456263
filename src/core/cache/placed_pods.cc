#include "core/cache/placed_pods.h"

#include <algorithm>
#include <utility>

#include "core/model/term_key.h"

namespace gs::cache {
namespace {

// Questions that nobody asks at the moment: the next pod of the same kind will.
constexpr std::size_t kMostIdle = 64;

void AddTo(CountsByNode& counts, const NodeName& node, std::int64_t sign) {
  std::int64_t& count = counts[node];
  count += sign;
  if (count == 0) counts.erase(node);
}

// Calls `each` with what is about that namespace alone, and with what may be about several.
template <class Scoped, class Each>
void ForEachAbout(Scoped& scoped, const Namespace& ns, Each each) {
  for (const Namespace& scope : {ns, Namespace()}) {
    const auto found = scoped.find(scope);
    if (found == scoped.end()) continue;
    for (auto& [key, value] : found->second) each(key, value);
  }
}

std::string KeyOf(const model::PodAffinityTerm& term) {
  return model::KeyOfPods(term) + ' ' + term.topology_key;
}

}  // namespace

bool PlacedPods::LookAlike(const model::Pod& a, const model::Pod& b) {
  return a.is_terminating == b.is_terminating && a.labels == b.labels &&
         a.ties->anti_affinity == b.ties->anti_affinity;
}

bool PlacedPods::Chooses(const model::PodAffinityTerm& term, const Namespace& ns) const {
  if (std::find(term.namespaces.begin(), term.namespaces.end(), ns) != term.namespaces.end()) {
    return true;
  }
  if (!term.namespace_selector) return false;
  const auto known = namespaces_.find(ns);
  static const model::Labels kNone;
  return model::Matches(*term.namespace_selector,
                        known == namespaces_.end() ? kNone : known->second);
}

bool PlacedPods::Matches(const model::PodAffinityTerm& term, const model::Pod& pod) const {
  return term.selector && Chooses(term, pod.ref.ns) && model::Matches(*term.selector, pod.labels);
}

bool PlacedPods::Matches(const PodQuestion& question, const model::Pod& pod) const {
  if (question.leaves_out_terminating && pod.is_terminating) return false;
  return std::all_of(question.terms.begin(), question.terms.end(),
                     [&](const auto& term) { return Matches(term, pod); });
}

void PlacedPods::Add(const model::Pod& pod, const NodeName& node) {
  Count(pod, node, 1);
  Stand(pod, node, 1);
}

void PlacedPods::Remove(const model::Pod& pod, const NodeName& node) {
  Count(pod, node, -1);
  Stand(pod, node, -1);
}

void PlacedPods::Count(const model::Pod& pod, const NodeName& node, std::int64_t sign) {
  ForEachAbout(watched_, pod.ref.ns, [&](const std::string& key, Watched& watched) {
    if (!Matches(watched.question, pod)) return;
    AddTo(watched.pods, node, sign);
    if (watched.watchers > 0) news_.questions.insert(key);
  });
}

void PlacedPods::Stand(const model::Pod& pod, const NodeName& node, std::int64_t sign) {
  for (const model::PodAffinityTerm& term : pod.ties->anti_affinity) {
    const Namespace scope = QuestionOfAntiAffinity(term).scope();
    auto& terms = standing_[scope];
    const auto [entry, is_new] = terms.try_emplace(KeyOf(term));
    StandingTerm& standing = entry->second;
    if (is_new) standing = {.id = ++ids_, .term = term};
    AddTo(standing.pods, node, sign);
    if (is_new || standing.pods.empty()) news_.terms.push_back(term);
    if (standing.pods.empty()) terms.erase(entry);
    if (terms.empty()) standing_.erase(scope);
  }
}

CountsByNode PlacedPods::Count(const PodQuestion& question, const PodRecords& pods) const {
  CountsByNode counts;
  for (const auto& [uid, record] : pods) {
    const NodeName& node = PlaceOf(record);
    if (!node.empty() && Matches(question, record.pod)) ++counts[node];
  }
  return counts;
}

void PlacedPods::Watch(const PodQuestion& question, const PodRecords& pods) {
  const auto [entry, is_new] = watched_[question.scope()].try_emplace(question.key());
  if (is_new) entry->second = {.question = question, .pods = Count(question, pods)};
  ++entry->second.watchers;
}

void PlacedPods::Unwatch(const PodQuestion& question) {
  Watched& watched = watched_.at(question.scope()).at(question.key());
  if (--watched.watchers > 0) return;
  watched.left = ++leavings_;
  idle_.push_back({question.scope(), question.key(), watched.left});
  while (idle_.size() > kMostIdle) {
    Drop(idle_.front());
    idle_.pop_front();
  }
}

void PlacedPods::Drop(const Idle& idle) {
  const auto scope = watched_.find(idle.scope);
  if (scope == watched_.end()) return;
  const auto entry = scope->second.find(idle.key);
  if (entry == scope->second.end()) return;
  // Somebody has asked it again since.
  if (entry->second.watchers > 0 || entry->second.left != idle.left) return;
  scope->second.erase(entry);
  if (scope->second.empty()) watched_.erase(scope);
}

void PlacedPods::SetNamespace(const Namespace& ns, const model::Labels& labels,
                              const PodRecords& pods) {
  const auto known = namespaces_.find(ns);
  if (known != namespaces_.end() && known->second == labels) return;
  CountAll(ns, pods, -1);
  namespaces_.insert_or_assign(ns, labels);
  CountAll(ns, pods, 1);
  news_.are_namespaces_changed = true;
}

void PlacedPods::LoseNamespace(const Namespace& ns, const PodRecords& pods) {
  if (!namespaces_.contains(ns)) return;
  CountAll(ns, pods, -1);
  namespaces_.erase(ns);
  CountAll(ns, pods, 1);
  news_.are_namespaces_changed = true;
}

// What is about one namespace names it, and does not choose it by its labels.
void PlacedPods::CountAll(const Namespace& ns, const PodRecords& pods, std::int64_t sign) {
  const auto several = watched_.find(Namespace());
  if (several == watched_.end()) return;
  for (const auto& [uid, record] : pods) {
    const NodeName& node = PlaceOf(record);
    if (node.empty() || record.pod.ref.ns != ns) continue;
    for (auto& [key, watched] : several->second) {
      if (Matches(watched.question, record.pod)) AddTo(watched.pods, node, sign);
    }
  }
}

void PlacedPods::ForEachNode(const PodQuestion& question, const PodRecords& pods,
                             const std::function<void(const NodeName&, std::int64_t)>& each) const {
  const auto visit = [&each](const CountsByNode& counts) {
    for (const auto& [node, count] : counts) each(node, count);
  };
  if (const auto scope = watched_.find(question.scope()); scope != watched_.end()) {
    const auto entry = scope->second.find(question.key());
    if (entry != scope->second.end()) return visit(entry->second.pods);
  }
  visit(Count(question, pods));
}

void PlacedPods::ForEachTermAgainst(const model::Pod& pod,
                                    const std::function<void(const StandingTerm&)>& each) const {
  ForEachAbout(standing_, pod.ref.ns,
               [&](const std::string& /*key*/, const StandingTerm& standing) {
                 if (Matches(standing.term, pod)) each(standing);
               });
}

}  // namespace gs::cache
