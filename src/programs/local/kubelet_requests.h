// Requests that an API server passes on to a kubelet: what a container has printed.
#pragma once

#include <optional>

#include "adapters/http/server.h"
#include "adapters/localcluster/api/request.h"
#include "adapters/localcluster/kubelet/container_outputs.h"
#include "adapters/localcluster/store/store.h"
#include "base/time.h"

namespace gs::local {

// Absent if the request is not for a kubelet, or about a pod that is not there: the API answers.
[[nodiscard]] std::optional<http::Reply> AskKubelets(const localcluster::ApiRequest& request,
                                                     const localcluster::Store& store,
                                                     const localcluster::ContainerOutputs& outputs,
                                                     TimePoint now);

}  // namespace gs::local
