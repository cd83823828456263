// What is posted to /api/v1/place, read as the pod and the claim to try.
#pragma once

#include <optional>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "core/model/claim.h"
#include "core/model/pod.h"

namespace gs::answers {

struct PlaceRequest {
  model::Pod pod;
  std::optional<model::Claim> claim;  // given with the pod that names it, or alone
};

// A Pod, a GpuClaim, or both as YAML or JSON; what only a stored object has is made up. `ns` is for
// one that names no namespace.
[[nodiscard]] Result<PlaceRequest> ReadPlaceRequest(std::string_view text, TimePoint now,
                                                    const Namespace& ns = Namespace("default"));

}  // namespace gs::answers
