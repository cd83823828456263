// The node that a map means: the node of that name, else the one that carries the name as a label.
#pragma once

#include <variant>

#include "base/ids.h"
#include "core/cache/cache.h"
#include "core/model/reason.h"

namespace gs::decide {

[[nodiscard]] std::variant<NodeName, model::Reason> NamedNode(const NodeName& word,
                                                              const cache::Cache& cache);

}  // namespace gs::decide
