// The inner objects of a kubeconfig: one cluster, one user, one context. Internal to this folder.
#pragma once

#include <boost/json/value.hpp>
#include <filesystem>

#include "adapters/json/object_reader.h"
#include "adapters/kube/login/kubeconfig.h"
#include "base/result.h"

namespace gs::kube {

// `folder` is where relative paths begin.
[[nodiscard]] Result<KubeconfigCluster> ReadCluster(const boost::json::value& value,
                                                    const std::filesystem::path& folder);
[[nodiscard]] Result<KubeconfigUser> ReadUser(const boost::json::value& value,
                                              const std::filesystem::path& folder);
[[nodiscard]] Result<KubeconfigContext> ReadContext(const boost::json::value& value,
                                                    const std::filesystem::path& folder);

// Finish() that does not mind fields of others. `value` is what the reader reads.
[[nodiscard]] Result<void> FinishTolerant(json::ObjectReader& reader,
                                          const boost::json::value& value);

}  // namespace gs::kube
