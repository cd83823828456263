#include "core/commit/in_flight_list.h"

#include <utility>

#include "base/check.h"

namespace gs::commit {

std::uint64_t InFlightList::Add(const model::PodRef& pod) {
  GS_CHECK(has_room());
  pods_.emplace(pod.uid, pod);
  has_changed_ = true;
  return revision_ + 1;
}

void InFlightList::Remove(const PodUid& pod) {
  if (pods_.erase(pod) != 0) has_changed_ = true;
}

std::optional<model::ListInFlight> InFlightList::TakeChange() {
  if (!std::exchange(has_changed_, false)) return std::nullopt;
  model::ListInFlight list{.revision = ++revision_, .pods = {}};
  for (const auto& [uid, pod] : pods_) list.pods.push_back(pod);
  return list;
}

}  // namespace gs::commit
