// Files of the project that the program carries with it, so that it works from any folder.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace gs::local {

// By its path in the project, "examples/nodes/laptop.yaml"; absent if it is none of them.
[[nodiscard]] std::optional<std::string_view> FindEmbedded(std::string_view path);

// The names of those in a folder, without ".yaml".
[[nodiscard]] std::vector<std::string_view> EmbeddedNames(std::string_view folder);

}  // namespace gs::local
