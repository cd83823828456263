// What lives and dies with a namespace: the service account and the certificates that every one
// has, and, when it is deleted, everything in it.
#pragma once

#include <string_view>
#include <vector>

#include "adapters/localcluster/objects/write.h"

namespace gs::localcluster {

// The namespaces that a cluster starts with.
[[nodiscard]] std::vector<Write> FirstNamespaces();

// `contents` is everything in it; the reference of each is enough. `ca_certificate` is what pods
// check the API server's certificate with.
[[nodiscard]] Reconciled ReconcileNamespace(const Json& space, const std::vector<Json>& contents,
                                            std::string_view ca_certificate);

}  // namespace gs::localcluster
