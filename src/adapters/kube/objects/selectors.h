// Selectors of API objects, by which nodes, pods and namespaces are chosen, as values. Internal to
// this folder.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "adapters/kube/objects/json_view.h"
#include "core/model/labels.h"
#include "core/model/selector.h"

namespace gs::kube {

// matchExpressions or matchFields of nodes. Nothing where an operator is not known.
[[nodiscard]] std::optional<std::vector<model::Requirement>> ReadRequirements(const JsonView& list);

// matchLabels and matchExpressions. Nothing where an operator is not known; those that compare
// numbers are for nodes only.
[[nodiscard]] std::optional<model::LabelSelector> ReadLabelSelector(const JsonView& selector);

// Adds what matchLabelKeys (In) and mismatchLabelKeys (NotIn) stand for: the values of the pod's
// own labels. An API server that has done so already is not contradicted, whatever the labels are
// now.
void AddLabelKeys(const JsonView& keys, model::SelectorOperator op, const model::Labels& own,
                  model::LabelSelector& selector);

// Keys and values: what comparing it with labels costs.
[[nodiscard]] std::size_t WordsOf(const model::LabelSelector& selector);

}  // namespace gs::kube
