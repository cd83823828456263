// A pod of a StatefulSet: what its ordinal makes of it, its name, its labels, and the volume claims
// that stay when the pod goes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/localcluster/objects/write.h"

namespace gs::localcluster {

inline constexpr std::string_view kRevisionLabel = "controller-revision-hash";

// Absent if the name is not that of a pod of the set.
[[nodiscard]] std::optional<std::int64_t> OrdinalOf(const Json& set, const Json& pod);

[[nodiscard]] Json StatefulPod(const Json& set, const Json& pod_template,
                               std::string_view revision_name, std::int64_t ordinal);

// Creations of the claims that the pod of an ordinal needs and that are not among `claims`.
[[nodiscard]] std::vector<Write> MissingClaims(const Json& set, const std::vector<Json>& claims,
                                               std::int64_t ordinal);
// Updates that let the claims of a pod go with it, where the set's retention policy says so.
[[nodiscard]] std::vector<Write> ReleaseClaims(const Json& set, const std::vector<Json>& claims,
                                               const Json& pod);

}  // namespace gs::localcluster
