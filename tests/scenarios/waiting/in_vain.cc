#include "tests/scenarios/waiting/in_vain.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "core/decide/ask.h"
#include "core/decide/decide.h"
#include "core/decide/named_node.h"
#include "core/decide/place.h"
#include "core/explain/scene.h"

namespace gs::scenarios::waiting {
namespace {

std::string Tell(const model::Pod& pod, const model::Reason* reason, const NodeName& node,
                 const std::string& view) {
  return ToString(pod.ref) + " waits (" +
         (reason == nullptr ? "unknown to the scheduler" : ToString(*reason)) + ") though " + view +
         " shows a place on " + node.text();
}

bool IsWaiting(const model::Pod& pod, const SchedulerName& scheduler) {
  return pod.scheduler == scheduler && !pod.is_bound() && !pod.is_terminal() &&
         !pod.is_terminating && pod.rules->gates.empty();
}

// What the API server has, as a process would see it that knows nothing else.
cache::Cache FreshView(const Cluster& cluster) {
  cache::Cache fresh({.scheduler = cluster.scheduler().scheduler()});
  const auto see = [&](const model::Event& event) { (void)fresh.Apply(event, cluster.now()); };
  for (const model::Event& event : cluster.api().List()) see(event);
  for (const model::Kind kind : model::kAllKinds) {
    see(model::ViewReached{kind, cluster.api().version()});
  }
  see(cluster.api().fence().others());
  return fresh;
}

// Nodes where the scheduler holds GPUs back until an agent has spoken, or for so long.
bool IsLettingGo(const NodeName& node, const cache::Cache& cache) {
  const cache::NodeView* view = cache.FindNode(node);
  return view != nullptr && !view->releasing_pods.empty();
}

bool IsNamed(const NodeName& node, const decide::Ask& ask, const cache::Cache& cache) {
  const auto* named = std::get_if<decide::NamedGpus>(&ask.gpus);
  if (named == nullptr) return true;
  const auto found = decide::NamedNode(named->node, cache);
  const auto* name = std::get_if<NodeName>(&found);
  return name != nullptr && *name == node;
}

// In another view, with what is kept for whom as the scheduler has it.
std::optional<NodeName> PlaceIn(const cache::Cache& fresh, const model::Pod& pod,
                                const explain::Scene& scene) {
  const auto ask = decide::AskOf(pod, fresh, scene.ask);
  const auto* known = std::get_if<decide::Ask>(&ask);
  if (known == nullptr) return std::nullopt;
  decide::TopologyMemo topologies;
  decide::ChoiceMemo choices;
  const decide::PlaceContext context{.topologies = topologies,
                                     .choices = choices,
                                     .tables = scene.context.tables,
                                     .wishes = scene.context.wishes,
                                     .weights = scene.context.weights,
                                     .rejections = scene.context.rejections,
                                     .keep = scene.context.keep,
                                     .storage = fresh.storage()};
  const decide::Company company(pod, fresh);
  for (const auto& [name, view] : fresh.nodes()) {
    if (!IsNamed(name, *known, fresh) || IsLettingGo(name, scene.cache)) continue;
    const auto answer = decide::PlaceOn(view, pod, *known, company, context);
    if (std::holds_alternative<decide::Place>(answer)) return name;
  }
  return std::nullopt;
}

std::optional<NodeName> OwnPlace(const model::Pod& pod, const explain::Scene& scene) {
  const auto ask = decide::AskOf(pod, scene.cache, scene.ask);
  const auto* known = std::get_if<decide::Ask>(&ask);
  if (known == nullptr) return std::nullopt;
  const auto decision = decide::Decide(pod, *known, scene.cache, scene.context);
  const auto* placement = std::get_if<decide::Placement>(&decision);
  return placement == nullptr ? std::nullopt : std::optional(placement->node);
}

bool IsAnybodyOnHisWay(const cache::Cache& cache) {
  return std::any_of(cache.pods().begin(), cache.pods().end(),
                     [](const auto& entry) { return bool(entry.second.assumed); });
}

}  // namespace

std::string SleepsInVain(const cycle::Cycle& scheduler) {
  if (!scheduler.is_deciding()) return {};
  return scheduler.Look([](const explain::Scene& scene) -> std::string {
    for (const PodUid& uid : scene.pending.All()) {
      const model::Reason* reason = scene.pending.ReasonOf(uid);
      if (reason == nullptr) continue;
      const model::Pod& pod = *scene.cache.FindPod(uid);
      if (const auto node = OwnPlace(pod, scene)) return Tell(pod, reason, *node, "its own view");
    }
    return {};
  });
}

std::string WaitsInVain(const Cluster& cluster) {
  const cycle::Cycle& scheduler = cluster.scheduler();
  if (!scheduler.is_deciding() || IsAnybodyOnHisWay(scheduler.cache())) return {};
  const cache::Cache fresh = FreshView(cluster);
  return scheduler.Look([&](const explain::Scene& scene) -> std::string {
    for (const auto& [key, pod] : cluster.api().pods()) {
      const model::Reason* reason = scene.pending.ReasonOf(pod.ref.uid);
      const bool backs_off = reason == nullptr && scene.pending.Has(pod.ref.uid);
      if (!IsWaiting(pod, scheduler.scheduler()) || backs_off) continue;
      if (const auto node = PlaceIn(fresh, pod, scene)) {
        return Tell(pod, reason, *node, "a fresh view");
      }
    }
    return {};
  });
}

std::string IsStuck(const Cluster& cluster) {
  if (!cluster.scheduler().is_deciding()) return "the scheduler does not decide";
  const pending::PendingCounts counts = cluster.scheduler().pending().Count();
  const auto told = [](std::size_t count, const char* what) {
    return count == 0 ? std::string() : std::to_string(count) + what;
  };
  return told(counts.ready, " are ready and not tried") + told(counts.backing_off, " back off") +
         told(counts.launched, " are on their way for ever");
}

}  // namespace gs::scenarios::waiting
