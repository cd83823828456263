// ServedKind: a kind of objects as an API server offers it, found by whatever word a user has for
// it.
#pragma once

#include <string>
#include <string_view>

#include "adapters/kube/api/connection.h"
#include "base/result.h"

namespace gs::kubectl_gpu {

struct ServedKind {
  std::string base;    // "/api/v1", "/apis/gpu.scheduling/v1"
  std::string plural;  // "pods"
  std::string kind;    // "Pod"
  bool is_namespaced = false;

  // Of the objects, in one namespace or, where it is empty, in all.
  [[nodiscard]] std::string Path(std::string_view ns) const;
};

// "pods", "pod", "po", "Pod", "gclaim", "gpuclaims.gpu.scheduling". A request per API group at
// worst.
[[nodiscard]] Result<ServedKind> FindServedKind(kube::Connection& connection,
                                                const std::string& word);

// The kind of a manifest.
[[nodiscard]] Result<ServedKind> FindServedKind(kube::Connection& connection,
                                                std::string_view api_version,
                                                std::string_view kind);

}  // namespace gs::kubectl_gpu
