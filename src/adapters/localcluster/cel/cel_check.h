// What a CEL expression gives, and whether its parts fit together, before it runs.
#pragma once

#include <string_view>
#include <vector>

#include "adapters/localcluster/cel/cel_program.h"
#include "base/result.h"

namespace gs::localcluster {

struct CelNode;

[[nodiscard]] Result<CelTypePtr> CheckCel(std::string_view expression, const CelNode& root,
                                          const std::vector<CelVariable>& variables);

}  // namespace gs::localcluster
