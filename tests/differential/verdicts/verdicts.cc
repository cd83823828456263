#include "tests/differential/verdicts/verdicts.h"

#include <utility>
#include <variant>

#include "base/time.h"
#include "core/cache/cache.h"
#include "core/decide/ask.h"
#include "core/decide/place.h"

namespace gs::differential {
namespace {

cache::Cache CacheOf(const Snapshot& snapshot) {
  cache::Cache cache({.scheduler = snapshot.pod.scheduler});
  for (const model::Event& event : snapshot.seen) (void)cache.Apply(event, TimePoint{});
  return cache;
}

// What decisions keep from one to the next; here every decision is the first.
struct Memory {
  decide::TopologyMemo topologies{};
  devices::TableCache tables{};
  devices::TableWishes wishes{};
  score::SizeWeights weights{};
  decide::Rejections rejections{};
  decide::Keep keep{};

  decide::PlaceContext context(const cache::Cache& cache) {
    return {.topologies = topologies,
            .tables = tables,
            .wishes = wishes,
            .weights = weights,
            .rejections = rejections,
            .keep = keep,
            .storage = cache.storage()};
  }
};

std::optional<model::Reason> RefusalOf(std::variant<decide::Place, model::Reason> answer) {
  if (auto* reason = std::get_if<model::Reason>(&answer)) return std::move(*reason);
  return std::nullopt;
}

}  // namespace

Verdicts VerdictsOn(const Snapshot& snapshot) {
  const cache::Cache cache = CacheOf(snapshot);
  const auto ask = decide::AskOf(snapshot.pod, cache, {});
  const decide::Company company(snapshot.pod, cache);
  Memory memory;
  Verdicts verdicts;
  for (const auto& [name, view] : cache.nodes()) {
    if (!view.is_known) continue;  // only pods speak of it
    const auto* refused = std::get_if<model::Reason>(&ask);
    verdicts[name] = refused != nullptr
                         ? *refused
                         : RefusalOf(decide::PlaceOn(view, snapshot.pod, std::get<decide::Ask>(ask),
                                                     company, memory.context(cache)));
  }
  return verdicts;
}

}  // namespace gs::differential
