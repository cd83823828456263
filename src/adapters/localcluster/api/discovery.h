// Discovery: which groups, versions and resources there are, in the plain form and in the one that
// says everything at once; and an OpenAPI document that promises no more than is true: which kinds
// can be patched, and that fields are checked by the server.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "adapters/localcluster/api/reply.h"
#include "adapters/localcluster/store/kind.h"

namespace gs::localcluster {

// The Kubernetes that the embedded cluster is tested against.
inline constexpr std::string_view kKubernetesVersion = "v1.36.4";

// Nothing if the path is none of discovery's.
[[nodiscard]] std::optional<ApiReply> AnswerDiscovery(const Kinds& kinds, std::string_view path,
                                                      std::string_view accept);

// /openapi/v3 and below.
[[nodiscard]] std::optional<ApiReply> AnswerOpenApi(const Kinds& kinds, std::string_view path);

// The body of /version.
[[nodiscard]] std::string PrintVersion();

}  // namespace gs::localcluster
