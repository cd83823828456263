// What a claim's status says at the moment, to see whether it has to be written. Internal to this
// folder: DecodeClaim brings it.
#pragma once

#include <optional>
#include <string_view>

#include "core/model/claim_status.h"

namespace gs::kube {

// Nothing if there is none, or one that we would not write: it is then written anew.
[[nodiscard]] std::optional<model::ClaimStatus> DecodeClaimStatus(std::string_view claim_json);

}  // namespace gs::kube
