// The one place of this folder that opens files. Everything that needs a file takes a FileReader,
// so that what is done with the text can be tested without a disk.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>

#include "base/result.h"

namespace gs::kube {

// No kubeconfig, certificate or token is larger.
inline constexpr std::size_t kMaxFileBytes = std::size_t{4} << 20;

// kNotFound where there is no such file.
using FileReader = std::function<Result<std::string>(const std::filesystem::path&)>;

[[nodiscard]] Result<std::string> ReadFile(const std::filesystem::path& path);

}  // namespace gs::kube
