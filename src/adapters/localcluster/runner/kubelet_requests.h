// Requests that are a kubelet's to answer and not the API's: the logs of containers, and
// what is to be run in them.
#pragma once

#include <optional>

#include "adapters/http/server.h"
#include "adapters/localcluster/api/request.h"
#include "adapters/localcluster/kubelet/container_outputs.h"
#include "adapters/localcluster/runner/cluster_objects.h"

namespace gs::localcluster {

// Nothing for any other request, and for pods that are not there: the API knows what to say.
[[nodiscard]] std::optional<http::Reply> AnswerAsKubelet(const ApiRequest& request,
                                                         const ClusterObjects& objects,
                                                         const ContainerOutputs& outputs);

}  // namespace gs::localcluster
