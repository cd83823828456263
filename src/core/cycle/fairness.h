// Fairness: for which of the waiting pods something is kept, and when that ends. No queues: a pod
// that waits is overtaken by whatever fits, until it has waited too long. What is kept for it is
// kept for as long as pods there come to an end now and then: see Stays.
#pragma once

#include <optional>
#include <set>

#include "base/ids.h"
#include "base/time.h"
#include "core/cycle/stays.h"
#include "core/decide/keep.h"
#include "core/explain/scene.h"
#include "core/model/pod.h"
#include "core/model/reason.h"

namespace gs::cycle {

class Fairness {
 public:
  // How long a pod waits before a node is reserved for it; 0: none ever is.
  explicit Fairness(Duration patience) : patience_(patience), stays_(patience) {}

  [[nodiscard]] const decide::Keep& keep() const { return keep_; }
  [[nodiscard]] const Stays& stays() const { return stays_; }

  // Ends a reservation that has no use any more, and makes one where somebody has waited too long:
  // the pod whose chances are different from now on, if that is so.
  [[nodiscard]] std::optional<PodUid> Tick(const explain::Scene& around, TimePoint now);
  // When a pod will have waited too long, or a reservation lasted too long.
  [[nodiscard]] std::optional<TimePoint> NextWake() const {
    return keep_.reservation() ? keep_.reservation()->until : look_at_;
  }

  // The pod was tried and has no place.
  void Sleeps(const model::Pod& pod, const model::Reason& reason, const explain::Scene& around);
  // The pod is on its way, or needs no place any more: true if others have better chances now.
  [[nodiscard]] bool Leaves(const PodUid& pod);

 private:
  void EndReservation();
  void LookAt(TimePoint due);
  [[nodiscard]] bool StillHelps(const explain::Scene& around, TimePoint now) const;
  void Await(const explain::Scene& around, TimePoint now);
  // Whether nobody on the node that is kept has ended for too long.
  [[nodiscard]] bool IsInVain(const explain::Scene& around, TimePoint now);
  [[nodiscard]] std::optional<decide::Reservation> Find(const explain::Scene& around,
                                                        TimePoint now);

  const Duration patience_;
  decide::Keep keep_;
  Stays stays_;
  std::set<model::PodRef> awaited_;   // on the node that is kept
  std::optional<TimePoint> look_at_;  // not before then has anybody waited too long
};

}  // namespace gs::cycle
