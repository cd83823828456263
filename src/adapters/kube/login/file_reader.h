// Everything of this folder that needs a file takes a FileReader, so that what is done with the
// text can be tested without a disk.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>

#include "adapters/runtime/read_file.h"
#include "base/result.h"

namespace gs::kube {

// kNotFound where there is no such file.
using FileReader = std::function<Result<std::string>(const std::filesystem::path&)>;

// No kubeconfig, certificate or token is larger.
inline constexpr std::size_t kMaxFileBytes = std::size_t{4} << 20;

// The FileReader of a program.
[[nodiscard]] inline Result<std::string> ReadFile(const std::filesystem::path& path) {
  return runtime::ReadFile(path, kMaxFileBytes);
}

}  // namespace gs::kube
