// Releases: whether another release in the cluster keeps us from deciding. Two that do not know of
// each other would give a GPU away twice, or fight over pods; who has to stand back is judged from
// the election Leases of all.
//
// They are looked at when the process starts, when it takes over, and again and again. A new leader
// waits for a look that began after its takeover. A look that fails changes nothing: a cluster in
// trouble must not stop a release that is alone in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "core/model/command.h"
#include "core/model/event.h"

namespace gs::cycle {

class Releases {
 public:
  // 0: there can be no others, so nobody looks.
  explicit Releases(Duration period) : period_(period) {}

  void Apply(const model::Event& event, TimePoint now);
  [[nodiscard]] std::optional<model::CheckReleases> Tick(TimePoint now);
  [[nodiscard]] std::optional<TimePoint> NextWake() const { return next_at_; }

  [[nodiscard]] bool may_decide() const { return why_not().empty(); }
  // For people; empty: nothing keeps us.
  [[nodiscard]] std::string why_not() const;

 private:
  void Take(const model::ReleasesChecked& checked, TimePoint now);

  Duration period_;             // constant after construction
  std::uint64_t asked_ = 0;     // the last check
  std::uint64_t known_ = 0;     // the last one that told something
  std::uint64_t required_ = 1;  // at least this one must have
  int failures_ = 0;            // in a row
  std::optional<TimePoint> next_at_;
  std::string refusal_;  // by the check known_
  std::string trouble_;  // of the last check, if it told nothing
};

}  // namespace gs::cycle
