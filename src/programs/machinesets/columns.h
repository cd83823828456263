// Rows of words as aligned columns, two blanks between them; the first row is the heading.
#pragma once

#include <string>
#include <vector>

namespace gs::machinesets {

using Rows = std::vector<std::vector<std::string>>;

[[nodiscard]] std::string PrintColumns(const Rows& rows);

}  // namespace gs::machinesets
