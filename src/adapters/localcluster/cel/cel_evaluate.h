// Runs a checked CEL expression on JSON values.
#pragma once

#include <boost/json/value.hpp>
#include <functional>
#include <map>
#include <span>
#include <string>

#include "adapters/localcluster/cel/cel_program.h"
#include "adapters/localcluster/pattern/pattern.h"
#include "base/result.h"

namespace gs::localcluster {

struct CelNode;

// By the text of the pattern.
using CelPatterns = std::map<std::string, Pattern, std::less<>>;

// Gives up with an error after a million steps.
[[nodiscard]] Result<boost::json::value> EvaluateCel(const CelNode& root,
                                                     const CelPatterns& patterns,
                                                     std::span<const CelBinding> bindings);

}  // namespace gs::localcluster
