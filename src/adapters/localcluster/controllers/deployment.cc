#include "adapters/localcluster/controllers/deployment.h"

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "adapters/localcluster/controllers/deployment_status.h"
#include "adapters/localcluster/controllers/rollout.h"
#include "adapters/localcluster/objects/event_about.h"
#include "adapters/localcluster/objects/metadata.h"
#include "adapters/localcluster/objects/pod_facts.h"
#include "base/parse.h"

namespace gs::localcluster {
namespace {

constexpr std::string_view kHashLabel = "pod-template-hash";
constexpr std::string_view kRevision = "deployment.kubernetes.io/revision";
constexpr std::string_view kRevisionHistory = "deployment.kubernetes.io/revision-history";
constexpr std::string_view kDesired = "deployment.kubernetes.io/desired-replicas";
constexpr std::string_view kMax = "deployment.kubernetes.io/max-replicas";
// What is the Deployment's own and is not passed on to its sets.
constexpr std::array<std::string_view, 6> kNotPassedOn{
    "kubectl.kubernetes.io/last-applied-configuration",
    kRevision,
    kRevisionHistory,
    kDesired,
    kMax,
    "deprecated.deployment.rollback.to"};

std::int64_t AnnotatedInt(const Json& object, std::string_view name) {
  const auto number = ParseInt64(AnnotationOf(object, name), {.min = 0});
  return number ? *number : 0;
}

Json WithoutHash(Json pod_template) {
  auto& labels = Make(pod_template, {"metadata", "labels"});
  labels.erase(kHashLabel);
  if (labels.empty()) Make(pod_template, {"metadata"}).erase("labels");
  Make(pod_template, {"metadata"}).erase("creationTimestamp");
  return pod_template;
}

Json TemplateOf(const Json& object) { return Members(object, {"spec", "template"}); }

std::int64_t WantedOf(const Json& set) { return Int(set, {"spec", "replicas"}, 1); }

SetSize SizeOf(const Json& set) {
  return {.wanted = WantedOf(set),
          .available = Int(set, {"status", "availableReplicas"}),
          .max_before = AnnotatedInt(set, kMax)};
}

// One look at one Deployment. Every set is written at most once: `planned_` says what to.
class Rollout {
 public:
  Rollout(const Json& deployment, std::vector<Json> sets, std::size_t pods_left, TimePoint now)
      : deployment_(deployment),
        limits_(LimitsOf(deployment)),
        sets_(std::move(sets)),
        pods_left_(pods_left),
        now_(now) {
    std::sort(sets_.begin(), sets_.end(), IsOlder);
    const Json wanted = WithoutHash(TemplateOf(deployment_));
    const auto same = std::find_if(sets_.begin(), sets_.end(), [&](const Json& set) {
      return WithoutHash(TemplateOf(set)) == wanted;
    });
    if (same == sets_.end()) return;
    newest_ = *same;
    sets_.erase(same);
  }

  Reconciled Run() && {
    if (!IsBeingDeleted(deployment_) && !SyncRevisions()) Scale();
    WriteStatus();
    return std::move(reconciled_);
  }

 private:
  void Scale() {
    if (Bool(deployment_, {"spec", "paused"}) || WasScaled()) {
      ScaleAlone();
    } else if (!newest_) {
      CreateNewest();
    } else if (limits_.is_rolling) {
      Roll();
    } else {
      Recreate();
    }
    if (reconciled_.writes.empty() && IsComplete(deployment_, Members(deployment_, {"status"}))) {
      DropHistory();
    }
  }

  // Whether somebody asked for another number since the sets were last sized.
  [[nodiscard]] bool WasScaled() const {
    const auto differs = [&](const Json& set) {
      return WantedOf(set) > 0 && !AnnotationOf(set, kDesired).empty() &&
             AnnotatedInt(set, kDesired) != limits_.replicas;
    };
    return std::any_of(sets_.begin(), sets_.end(), differs) || (newest_ && differs(*newest_));
  }

  [[nodiscard]] std::int64_t NextRevision() const {
    std::int64_t last = 0;
    for (const Json& set : sets_) last = std::max(last, AnnotatedInt(set, kRevision));
    return last + 1;
  }

  // Brings the annotations of the newest set and of the Deployment up to date. True if something
  // was written: then the rest waits until it can be seen.
  bool SyncRevisions() {
    if (!newest_) return false;
    Json set = *newest_;
    PassOnAnnotations(set);
    SetRevision(set, NextRevision());
    const std::int64_t min_ready = Int(deployment_, {"spec", "minReadySeconds"});
    if (min_ready != Int(set, {"spec", "minReadySeconds"})) {
      Make(set, {"spec"})["minReadySeconds"] = min_ready;
    }
    if (set != *newest_) {
      reconciled_.writes.push_back(Update(std::move(set)));
      return true;
    }
    if (AnnotationOf(deployment_, kRevision) == AnnotationOf(set, kRevision)) return false;
    Json deployment = deployment_;
    Make(deployment, {"metadata", "annotations"})[kRevision] = AnnotationOf(set, kRevision);
    reconciled_.writes.push_back(Update(std::move(deployment)));
    has_written_deployment_ = true;
    return true;
  }

  void PassOnAnnotations(Json& set) const {
    for (const auto& each : Members(deployment_, {"metadata", "annotations"})) {
      if (std::count(kNotPassedOn.begin(), kNotPassedOn.end(), std::string_view(each.key())) > 0) {
        continue;
      }
      Make(set, {"metadata", "annotations"})[each.key()] = each.value();
    }
  }

  // A set that was newest before keeps the numbers it had as its history.
  static void SetRevision(Json& set, std::int64_t revision) {
    const std::int64_t old = AnnotatedInt(set, kRevision);
    if (old >= revision) return;
    const std::string history(AnnotationOf(set, kRevisionHistory));
    auto& annotations = Make(set, {"metadata", "annotations"});
    annotations[kRevision] = std::to_string(revision);
    if (old == 0) return;
    annotations[kRevisionHistory] = (history.empty() ? "" : history + ",") + std::to_string(old);
  }

  void SetSizeAnnotations(Json& set) const {
    auto& annotations = Make(set, {"metadata", "annotations"});
    annotations[kDesired] = std::to_string(limits_.replicas);
    annotations[kMax] = std::to_string(limits_.replicas + limits_.max_surge);
  }

  void CreateNewest() {
    if (!limits_.is_rolling && (ShrinkOldToNothing() || pods_left_ > 0)) return;
    Json pod_template = WithoutHash(TemplateOf(deployment_));
    const auto collisions = Int(deployment_, {"status", "collisionCount"});
    const std::string hash = TemplateHash(pod_template, collisions);
    Make(pod_template, {"metadata", "labels"})[kHashLabel] = hash;
    Json selector = Members(deployment_, {"spec", "selector"});
    Make(selector, {"matchLabels"})[kHashLabel] = hash;
    const std::int64_t size = NewSetSize(limits_, {}, TotalWanted());
    Json set{{"apiVersion", "apps/v1"}, {"kind", "ReplicaSet"}};
    auto& metadata = Make(set, {"metadata"});
    metadata["name"] = std::string(NameOf(deployment_)) + "-" + hash;
    metadata["namespace"] = NamespaceOf(deployment_);
    metadata["labels"] = Members(pod_template, {"metadata", "labels"});
    metadata["ownerReferences"] = boost::json::array{ControllerReference(deployment_)};
    PassOnAnnotations(set);
    SetRevision(set, NextRevision());
    SetSizeAnnotations(set);
    auto& spec = Make(set, {"spec"});
    spec["replicas"] = size;
    if (const auto seconds = MaybeInt(deployment_, {"spec", "minReadySeconds"})) {
      spec["minReadySeconds"] = *seconds;
    }
    spec["selector"] = std::move(selector);
    spec["template"] = std::move(pod_template);
    Announce(set, 0, size);
    reconciled_.writes.insert(reconciled_.writes.begin(), Create(std::move(set)));
  }

  void Roll() {
    const std::int64_t size = NewSetSize(limits_, SizeOf(*newest_), TotalWanted());
    if (size != WantedOf(*newest_)) return Resize(*newest_, size);
    std::vector<SetSize> old;
    old.reserve(sets_.size());
    for (const Json& set : sets_) old.push_back(SizeOf(set));
    const auto sizes = OldSetSizes(limits_, SizeOf(*newest_), old);
    for (std::size_t i = 0; i < sets_.size(); ++i) Resize(sets_[i], sizes[i]);
  }

  void Recreate() {
    if (ShrinkOldToNothing() || pods_left_ > 0) return;
    Resize(*newest_, limits_.replicas);
  }

  // True if there was something to shrink.
  bool ShrinkOldToNothing() {
    const auto before = reconciled_.writes.size();
    for (const Json& set : sets_) Resize(set, 0);
    return reconciled_.writes.size() > before;
  }

  // Scales without rolling anything.
  void ScaleAlone() {
    std::vector<const Json*> active;
    for (const Json& set : sets_) {
      if (WantedOf(set) > 0) active.push_back(&set);
    }
    if (newest_ && WantedOf(*newest_) > 0) active.push_back(&*newest_);
    if (active.size() == 1) return Resize(*active.front(), limits_.replicas);
    if (active.empty() && newest_) return Resize(*newest_, limits_.replicas);
    if (active.empty() || !limits_.is_rolling) return;
    std::stable_sort(active.begin(), active.end(),
                     [](const Json* a, const Json* b) { return WantedOf(*a) > WantedOf(*b); });
    std::vector<SetSize> sizes;
    sizes.reserve(active.size());
    for (const Json* set : active) sizes.push_back(SizeOf(*set));
    const auto next = ProportionalSizes(limits_, Int(deployment_, {"status", "replicas"}), sizes);
    for (std::size_t i = 0; i < active.size(); ++i) Resize(*active[i], next[i]);
  }

  void Resize(const Json& set, std::int64_t size) {
    Json changed = set;
    Make(changed, {"spec"})["replicas"] = size;
    if (size > 0 || WantedOf(set) != size) SetSizeAnnotations(changed);
    if (changed == set) return;
    reconciled_.writes.push_back(Update(std::move(changed)));
    Announce(set, WantedOf(set), size);
  }

  void Announce(const Json& set, std::int64_t from, std::int64_t to) {
    if (from == to) return;
    const std::string message = std::string("Scaled ") + (from < to ? "up" : "down") +
                                " replica set " + std::string(NameOf(set)) + " from " +
                                std::to_string(from) + " to " + std::to_string(to);
    reconciled_.writes.push_back(EventAbout(
        deployment_,
        {.reason = "ScalingReplicaSet", .message = message, .source = "deployment-controller"},
        now_));
  }

  // The oldest versions beyond revisionHistoryLimit; those that still have pods stay.
  void DropHistory() {
    const auto limit = MaybeInt(deployment_, {"spec", "revisionHistoryLimit"});
    if (!limit || *limit == std::numeric_limits<std::int32_t>::max()) return;
    std::vector<Json> old;
    std::copy_if(sets_.begin(), sets_.end(), std::back_inserter(old),
                 [](const Json& set) { return !IsBeingDeleted(set); });
    std::stable_sort(old.begin(), old.end(), [](const Json& a, const Json& b) {
      return AnnotatedInt(a, kRevision) < AnnotatedInt(b, kRevision);
    });
    const auto surplus = static_cast<std::int64_t>(old.size()) - *limit;
    for (std::int64_t i = 0; i < surplus; ++i) {
      const Json& set = old[static_cast<std::size_t>(i)];
      const bool is_empty = WantedOf(set) == 0 && Int(set, {"status", "replicas"}) == 0 &&
                            Int(set, {"status", "observedGeneration"}) >= GenerationOf(set);
      if (is_empty) reconciled_.writes.push_back(Delete(set));
    }
  }

  [[nodiscard]] std::int64_t TotalWanted() const {
    std::int64_t total = newest_ ? WantedOf(*newest_) : 0;
    for (const Json& set : sets_) total += WantedOf(set);
    return total;
  }

  void WriteStatus() {
    if (has_written_deployment_) return;
    std::vector<Json> all = sets_;
    if (newest_) all.push_back(*newest_);
    WriteDeploymentStatus(reconciled_, deployment_, all, newest_ ? &*newest_ : nullptr, now_);
  }

  const Json& deployment_;
  const RolloutLimits limits_;
  std::vector<Json> sets_;  // the old ones, oldest first
  std::optional<Json> newest_;
  const std::size_t pods_left_;
  const TimePoint now_;
  Reconciled reconciled_;
  bool has_written_deployment_ = false;
};

}  // namespace

Reconciled ReconcileDeployment(const Json& deployment, std::vector<Json> sets,
                               std::size_t pods_left, TimePoint now) {
  return Rollout(deployment, std::move(sets), pods_left, now).Run();
}

}  // namespace gs::localcluster
