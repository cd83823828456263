#include "adapters/gpu/nvml/fake_node.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "adapters/runtime/read_file.h"

namespace gs::gpu {

FakeNode::FakeNode(const std::string& machine) {
  std::string name = (std::filesystem::temp_directory_path() / "gs-nvml-XXXXXX").string();
  EXPECT_NE(mkdtemp(name.data()), nullptr);
  folder_ = name;
  const auto text = runtime::ReadFile(
      std::filesystem::path(GS_SOURCE_DIR) / "tests/fake_nvml/machines" / (machine + ".yaml"),
      1 << 20);
  EXPECT_TRUE(text.ok()) << text.error();
  Serve(text.ok() ? *text : "gpus: []");
  setenv("GS_FAKE_NVML", (folder_ / "machine.yaml").c_str(), 1);
}

FakeNode::~FakeNode() { std::filesystem::remove_all(folder_); }

void FakeNode::Replace(const std::string& what, const std::string& with) {
  std::string text = text_;
  ASSERT_NE(text.find(what), std::string::npos) << what;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
  Serve(text);
}

// By a rename, since the library may be reading.
void FakeNode::Serve(const std::string& text) {
  text_ = text;
  std::ofstream(folder_ / "next.yaml") << text;
  std::filesystem::rename(folder_ / "next.yaml", folder_ / "machine.yaml");
}

void FakeNode::Write(const std::string& file, const std::string& text) const {
  std::filesystem::create_directories((folder_ / file).parent_path());
  std::ofstream(folder_ / file) << text;
}

NvmlDevices::Options FakeNode::options(bool has_old_library) const {
  return {.library = has_old_library ? GS_FAKE_NVML_OLD : GS_FAKE_NVML,
          .sysfs = folder_ / "sys",
          .procfs = folder_ / "proc"};
}

}  // namespace gs::gpu
