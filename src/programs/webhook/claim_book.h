// ClaimBook: what is known of the GpuClaims that pods may name. Nobody waits for it: of a claim
// that is not in it, nothing is known yet.
//
// From any thread.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "adapters/runtime/mutex.h"
#include "base/ids.h"
#include "core/model/claim.h"
#include "core/model/event.h"

namespace gs::webhook {

class ClaimBook {
 public:
  // Of the events, those of claims count.
  void Note(const std::vector<model::Event>& events) GS_EXCLUDES(mutex_);
  [[nodiscard]] std::optional<model::Exclusivity> Find(const Namespace& ns,
                                                       const ClaimName& name) const
      GS_EXCLUDES(mutex_);

 private:
  mutable runtime::Mutex mutex_;
  std::map<std::pair<Namespace, ClaimName>, model::Exclusivity> claims_ GS_GUARDED_BY(mutex_);
};

}  // namespace gs::webhook
