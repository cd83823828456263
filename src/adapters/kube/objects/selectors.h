// Selectors of API objects, by which nodes, pods and namespaces are chosen, as values. Internal to
// this folder.
#pragma once

#include <optional>
#include <vector>

#include "adapters/kube/objects/json_view.h"
#include "core/model/selector.h"

namespace gs::kube {

// matchExpressions or matchFields of nodes. Nothing where an operator is not known.
[[nodiscard]] std::optional<std::vector<model::Requirement>> ReadRequirements(const JsonView& list);

// matchLabels and matchExpressions. Nothing where an operator is not known; those that compare
// numbers are for nodes only.
[[nodiscard]] std::optional<model::LabelSelector> ReadLabelSelector(const JsonView& selector);

}  // namespace gs::kube
