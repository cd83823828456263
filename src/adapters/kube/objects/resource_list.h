// Resource lists of the API ({"cpu": "500m", "memory": "1Gi"}) as exact amounts by name. Internal
// to this folder.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "adapters/kube/objects/json_view.h"
#include "base/quantity.h"
#include "core/model/resources.h"

namespace gs::kube {

// A handful of amounts whose names are the document's. In order of the names, each once.
using ResourceList = std::vector<std::pair<std::string_view, Quantity>>;

[[nodiscard]] ResourceList ReadResourceList(const JsonView& list);

// The amount of that name, made zero if there is none yet.
[[nodiscard]] Quantity& AmountOf(ResourceList& list, std::string_view name);

// Resource by resource. A sum past the largest quantity stays there: it fits nowhere either way,
// and one absurd object must not hide the others.
void AddTo(ResourceList& sum, const ResourceList& list);
void RaiseTo(ResourceList& maximum, const ResourceList& list);

// Rounded up, as Kubernetes does, and only once.
[[nodiscard]] model::Resources ToResources(const ResourceList& list);

}  // namespace gs::kube
