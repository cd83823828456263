// The environment of a container, resolved as a kubelet does: values, fields of the pod, amounts of
// resources, ConfigMaps and Secrets, and $(NAME) in what is written out.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/localcluster/kubelet/pod_status.h"
#include "base/result.h"

namespace gs::localcluster {

using Variables = std::vector<std::pair<std::string, std::string>>;  // the last of a name counts

struct EnvironmentSources {
  // The ConfigMap or Secret of that name in the pod's namespace; absent if there is none.
  std::function<std::optional<Json>(std::string_view kind, std::string_view name)> find;
  PodAddresses addresses;
  Json allocatable;  // of the node: the limit of what has none
};

// In the order of the spec, each name once. An error is what the container waits for
// (CreateContainerConfigError).
[[nodiscard]] Result<Variables> ResolveEnvironment(const Json& pod, const Json& container,
                                                   const EnvironmentSources& sources);

// $(NAME) becomes the value; $$(NAME) stays $(NAME); names that are not known stay as they are.
[[nodiscard]] std::string Expand(std::string_view text, const Variables& variables);

}  // namespace gs::localcluster
