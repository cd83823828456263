#include "core/decide/rejections.h"

#include <algorithm>
#include <string>

namespace gs::decide {

void Rejections::Note(const model::Pod& pod, const NodeName& node, TimePoint now) {
  if (!pod.controller) return;
  constexpr int kMostDoublings = 20;
  Rejection& rejection = rejections_[{pod.controller->uid, node}];
  const Duration pause = options_.first * (1 << std::min(rejection.times++, kMostDoublings));
  rejection.pod = pod.ref;
  rejection.is_over = false;
  rejection.until = now + std::min(pause, options_.longest);
}

bool Rejections::Tick(TimePoint now) {
  bool has_ended = false;
  for (auto& [key, rejection] : rejections_) {
    if (rejection.is_over || rejection.until > now) continue;
    has_ended = true;
    rejection.is_over = true;
    rejection.until = now + options_.longest;
  }
  std::erase_if(rejections_, [now](const auto& entry) {
    return entry.second.is_over && entry.second.until <= now;
  });
  return has_ended;
}

std::optional<TimePoint> Rejections::NextWake() const {
  std::optional<TimePoint> first;
  for (const auto& [key, rejection] : rejections_) {
    if (!rejection.is_over && (!first || rejection.until < *first)) first = rejection.until;
  }
  return first;
}

bool Rejections::Concern(const model::Pod& pod) const {
  if (!pod.controller) return false;
  const ControllerUid& uid = pod.controller->uid;
  for (auto entry = rejections_.lower_bound({uid, NodeName()});
       entry != rejections_.end() && entry->first.first == uid; ++entry) {
    if (!entry->second.is_over) return true;
  }
  return false;
}

std::optional<model::Reason> Rejections::Refuse(const model::Pod& pod, const NodeName& node) const {
  if (!pod.controller) return std::nullopt;
  const auto entry = rejections_.find({pod.controller->uid, node});
  if (entry == rejections_.end() || entry->second.is_over) return std::nullopt;
  return model::Reason{model::ReasonToken::kBackoff,
                       "its kubelet rejected " + ToString(entry->second.pod) +
                           "; no other pod of that controller is sent there before " +
                           PrintTime(entry->second.until)};
}

}  // namespace gs::decide
