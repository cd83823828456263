// What is posted to /api/v1/place, read as the pod and the claim to try.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "core/model/claim.h"
#include "core/model/pod.h"

namespace gs::scheduler {

struct PlaceRequest {
  model::Pod pod;
  std::optional<model::Claim> claim;  // posted instead of a pod: one that names it
};

// A Pod or a GpuClaim as YAML or JSON; what only a stored object has is made up.
[[nodiscard]] Result<PlaceRequest> ReadPlaceRequest(std::string_view text, TimePoint now);

}  // namespace gs::scheduler
