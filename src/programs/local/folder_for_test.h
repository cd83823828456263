// A folder that goes with the test.
#pragma once

#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is not in <cstdlib>

#include <filesystem>
#include <string>

#include "base/check.h"

namespace gs::local {

class FolderForTest {
 public:
  FolderForTest() {
    std::string name = std::filesystem::temp_directory_path() / "gpu-local-XXXXXX";
    GS_CHECK(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~FolderForTest() { std::filesystem::remove_all(path_); }
  FolderForTest(const FolderForTest&) = delete;
  FolderForTest& operator=(const FolderForTest&) = delete;
  FolderForTest(FolderForTest&&) = delete;
  FolderForTest& operator=(FolderForTest&&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] bool IsEmpty() const { return std::filesystem::is_empty(path_); }

 private:
  std::filesystem::path path_;
};

}  // namespace gs::local
