#include "tests/differential/verdicts/verdicts.h"

#include <set>
#include <utility>
#include <variant>

#include "base/time.h"
#include "core/cache/cache.h"
#include "core/decide/ask.h"
#include "core/decide/filter/volume_claims.h"
#include "core/decide/place.h"

namespace gs::differential {
namespace {

// What decisions keep from one to the next; here every decision is the first.
struct Memory {
  decide::TopologyMemo topologies{};
  decide::ChoiceMemo choices{};
  devices::TableCache tables{};
  devices::TableWishes wishes{};
  score::SizeWeights weights{};
  decide::Rejections rejections{};
  decide::Keep keep{};

  decide::PlaceContext context(const cache::Cache& cache) {
    return {.topologies = topologies,
            .choices = choices,
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

Verdicts Ask(const model::Pod& pod, const cache::Cache& cache) {
  const auto asked = decide::AskOf(pod, cache, {});
  const auto* ask = std::get_if<decide::Ask>(&asked);
  const std::optional<model::Reason> everywhere =
      ask == nullptr ? std::get<model::Reason>(asked)
                     : filter::RefusedByClaims(pod, cache.storage());
  const decide::Company company(pod, cache);
  Memory memory;
  Verdicts verdicts;
  for (const auto& [name, view] : cache.nodes()) {
    if (!view.is_known) continue;  // only pods speak of it
    verdicts[name] =
        everywhere ? everywhere
                   : RefusalOf(decide::PlaceOn(view, pod, *ask, company, memory.context(cache)));
  }
  return verdicts;
}

}  // namespace

Verdicts VerdictsOn(const Snapshot& snapshot) {
  cache::Cache cache({.scheduler = snapshot.pod.scheduler});
  for (const Seen& seen : snapshot.seen) (void)cache.Apply(seen.event, TimePoint{});
  return Ask(snapshot.pod, cache);
}

void LongLivedCache::See(const Seen& seen) {
  const auto before = there_.find(seen.key);
  if (before != there_.end() && before->second.uid != seen.uid) {
    (void)cache_.Apply(before->second.gone, TimePoint{});
  }
  (void)cache_.Apply(seen.event, TimePoint{});
  there_.insert_or_assign(seen.key, seen);
}

Verdicts LongLivedCache::VerdictsOn(const Snapshot& snapshot) {
  std::set<std::string> keys;
  // In another order than a cache that sees only this, and what went is told last: any will do.
  for (auto seen = snapshot.seen.rbegin(); seen != snapshot.seen.rend(); ++seen) {
    See(*seen);
    keys.insert(seen->key);
  }
  std::erase_if(there_, [&](const auto& each) {
    if (keys.contains(each.first)) return false;
    (void)cache_.Apply(each.second.gone, TimePoint{});
    return true;
  });
  return Ask(snapshot.pod, cache_);
}

}  // namespace gs::differential
