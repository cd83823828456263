#include "core/cycle/stays.h"

#include <algorithm>

namespace gs::cycle {
namespace {

// In multiples of the patience; by default of five minutes.
constexpr int kFirstKeep = 2;
constexpr int kLongestKeep = 12;
constexpr int kFirstPause = 6;
constexpr int kLongestPause = 288;

// Doubled so often, up to a limit.
int Doubled(int first, int times, int most) {
  while (times-- > 0 && first < most) first *= 2;
  return std::min(first, most);
}

}  // namespace

Duration Stays::KeepFor(const std::set<model::PodRef>& holders) const {
  int times = 0;
  for (const model::PodRef& holder : holders) {
    const auto stay = stays_.find(holder.uid);
    if (stay != stays_.end()) times = std::max(times, stay->second.times);
  }
  return patience_ * Doubled(kFirstKeep, times, kLongestKeep);
}

void Stays::Note(const std::set<model::PodRef>& holders, TimePoint now) {
  for (const model::PodRef& holder : holders) {
    Stay& stay = stays_.try_emplace(holder.uid, Stay{.pod = holder}).first->second;
    stay.until = now + patience_ * Doubled(kFirstPause, stay.times, kLongestPause);
    ++stay.times;
  }
}

void Stays::Tidy(const cache::Cache& cache) {
  std::erase_if(stays_, [&cache](const auto& stay) {
    const model::Pod* pod = cache.FindPod(stay.first);
    return pod == nullptr || pod->is_terminal();
  });
}

std::set<PodUid> Stays::At(TimePoint now) const {
  std::set<PodUid> staying;
  for (const auto& [uid, stay] : stays_) {
    if (stay.until > now) staying.insert(uid);
  }
  return staying;
}

std::optional<TimePoint> Stays::NextEnd(TimePoint now) const {
  std::optional<TimePoint> next;
  for (const auto& [uid, stay] : stays_) {
    if (stay.until > now && (!next || stay.until < *next)) next = stay.until;
  }
  return next;
}

}  // namespace gs::cycle
