// Files that exist only in a test.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "adapters/kube/login/file_reader.h"

namespace gs::kube {

[[nodiscard]] inline FileReader FilesOf(std::map<std::string, std::string> files) {
  return [files = std::move(files)](const std::filesystem::path& path) -> Result<std::string> {
    const auto file = files.find(path.string());
    if (file != files.end()) return file->second;
    return Error(ErrorKind::kNotFound, "no such file").Within(path.string());
  };
}

}  // namespace gs::kube
