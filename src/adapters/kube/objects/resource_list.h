// Resource lists of the API ({"cpu": "500m", "memory": "1Gi"}) as exact amounts by name. Internal
// to this folder.
#pragma once

#include <map>
#include <string>

#include "adapters/kube/objects/json_view.h"
#include "base/quantity.h"
#include "core/model/resources.h"

namespace gs::kube {

using ResourceList = std::map<std::string, Quantity>;

[[nodiscard]] ResourceList ReadResourceList(const JsonView& list);

// Resource by resource. A sum past the largest quantity stays there: it fits nowhere either way,
// and one absurd object must not hide the others.
void AddTo(ResourceList& sum, const ResourceList& list);
void RaiseTo(ResourceList& maximum, const ResourceList& list);

// Rounded up, as Kubernetes does, and only once.
[[nodiscard]] model::Resources ToResources(const ResourceList& list);

}  // namespace gs::kube
