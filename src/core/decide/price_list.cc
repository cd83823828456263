#include "core/decide/price_list.h"

#include <utility>

#include "base/check.h"

namespace gs::decide {

const PriceList::Groups& PriceList::Read(const PlaceContext& context) {
  for (const Move& move : std::exchange(moves_, {})) Apply(move, context);
  return groups_;
}

void PriceList::Apply(const Move& move, const PlaceContext& context) {
  const auto before = PriceAmong(move.before, asked_, context);
  const auto after = PriceAmong(move.after, asked_, context);
  if (before == after) return;
  if (before) {
    const auto group = groups_.find(*before);
    GS_CHECK(group != groups_.end());
    group->second.erase(move.node);
    if (group->second.empty()) groups_.erase(group);
  }
  if (after) groups_[*after].insert(move.node);
}

}  // namespace gs::decide
