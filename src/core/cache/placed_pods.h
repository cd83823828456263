// PlacedPods: how many pods of which kind are on each node, so that a decision about affinity and
// spread does not look at every pod.
//
// A question that somebody who waits asks is counted once, and kept right as pods come and go; and
// so is every anti-affinity of pods that have a node. A decision then costs as much as there are
// nodes with such pods. Topology values are not kept: nodes change their labels, and their counts
// stay.
//
// It knows no pods: the cache gives them, so that there is one truth.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "core/cache/pod_question.h"
#include "core/cache/pod_records.h"
#include "core/model/labels.h"
#include "core/model/pod.h"
#include "core/model/pod_affinity.h"

namespace gs::cache {

using CountsByNode = std::map<NodeName, std::int64_t>;  // without zeros

// An anti-affinity of pods that have a node.
struct StandingTerm {
  std::uint64_t id = 0;  // of this term as long as there are such pods
  model::PodAffinityTerm term{};
  CountsByNode pods{};
};

// What has changed since somebody asked last.
struct PodNews {
  std::set<std::string> questions;            // keys of those that have another answer
  std::vector<model::PodAffinityTerm> terms;  // that stand now, or no longer do
  bool are_namespaces_changed = false;        // any of them may matter to anybody
};

class PlacedPods {
 public:
  // The pod is on that node now, or no longer. Linear in what is asked about its namespace.
  void Add(const model::Pod& pod, const NodeName& node);
  // Requires: it was added, and looks as it did then.
  void Remove(const model::Pod& pod, const NodeName& node);
  // Whether the two count as the same, apart from where they are.
  [[nodiscard]] static bool LookAlike(const model::Pod& a, const model::Pod& b);

  // From now on the question's counts are kept, until every Watch has met its Unwatch and others
  // have left since. Linear in the pods if nobody has asked it so far.
  void Watch(const PodQuestion& question, const PodRecords& pods);
  void Unwatch(const PodQuestion& question);

  // Linear in the pods if it says something new and somebody asks about several namespaces.
  void SetNamespace(const Namespace& ns, const model::Labels& labels, const PodRecords& pods);
  void LoseNamespace(const Namespace& ns, const PodRecords& pods);

  [[nodiscard]] bool Matches(const model::PodAffinityTerm& term, const model::Pod& pod) const;
  // Calls `each` for the nodes with such pods and their number. Linear in the pods where nobody
  // watches the question.
  void ForEachNode(const PodQuestion& question, const PodRecords& pods,
                   const std::function<void(const NodeName&, std::int64_t)>& each) const;
  // The terms by which others keep away from this pod.
  void ForEachTermAgainst(const model::Pod& pod,
                          const std::function<void(const StandingTerm&)>& each) const;

  [[nodiscard]] PodNews TakeNews() { return std::exchange(news_, {}); }

 private:
  struct Watched {
    PodQuestion question{};
    std::int64_t watchers = 0;
    CountsByNode pods{};
    std::uint64_t left = 0;  // which leaving the last of its watchers was
  };
  // A question that the last of its watchers has left.
  struct Idle {
    Namespace scope;
    std::string key;
    std::uint64_t left = 0;
  };
  // By the only namespace they are about, empty where there may be several; then by their keys.
  template <class Value>
  using Scoped = std::map<Namespace, std::map<std::string, Value>>;

  [[nodiscard]] bool Chooses(const model::PodAffinityTerm& term, const Namespace& ns) const;
  [[nodiscard]] bool Matches(const PodQuestion& question, const model::Pod& pod) const;
  [[nodiscard]] CountsByNode Count(const PodQuestion& question, const PodRecords& pods) const;
  void Count(const model::Pod& pod, const NodeName& node, std::int64_t sign);
  // Unless somebody watches it again.
  void Drop(const Idle& idle);
  void Stand(const model::Pod& pod, const NodeName& node, std::int64_t sign);
  // All pods of that namespace, for whoever chooses namespaces by their labels.
  void CountAll(const Namespace& ns, const PodRecords& pods, std::int64_t sign);

  std::map<Namespace, model::Labels> namespaces_;
  Scoped<Watched> watched_;
  std::deque<Idle> idle_;  // in the order in which they were left
  std::uint64_t leavings_ = 0;
  Scoped<StandingTerm> standing_;
  std::uint64_t ids_ = 0;
  PodNews news_;
};

}  // namespace gs::cache
