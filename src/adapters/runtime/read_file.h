// A whole file as text, up to a size that its reader can name. Also reads pipes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "base/result.h"

namespace gs::runtime {

// Errors name the path; kNotFound where there is no such file.
[[nodiscard]] Result<std::string> ReadFile(const std::filesystem::path& path,
                                           std::size_t max_bytes);

}  // namespace gs::runtime
