// Where the nodes of a simulated cluster come from: a preset, a file, or nowhere.
#pragma once

#include <string>

#include "programs/local/node_file.h"

namespace gs::local {

inline constexpr const char* kDefaultNodes = "laptop";

// "laptop", "dgx", "big:N", "none", or the path of a node file. A word that is neither a preset nor
// a file is refused with the presets there are.
[[nodiscard]] Result<Nodes> FindNodes(const std::string& source);

}  // namespace gs::local
