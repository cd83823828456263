// A node with the fake NVML for tests: a folder with the machine that the library serves, which a
// test may change at any time, and folders for sysfs and procfs.
#pragma once

#include <filesystem>
#include <string>

#include "adapters/gpu/nvml/nvml_devices.h"

namespace gs::gpu {

class FakeNode {
 public:
  // `machine`: the name of one of tests/fake_nvml/machines.
  explicit FakeNode(const std::string& machine);
  ~FakeNode();
  FakeNode(const FakeNode&) = delete;
  FakeNode& operator=(const FakeNode&) = delete;
  FakeNode(FakeNode&&) = delete;
  FakeNode& operator=(FakeNode&&) = delete;

  // The machine becomes its text with every `what` as `with`; fails the test if there is none.
  void Replace(const std::string& what, const std::string& with);
  // Lines at the end of the machine's text.
  void Append(const std::string& lines) { Serve(text_ + lines + "\n"); }
  void Serve(const std::string& text);
  [[nodiscard]] const std::string& text() const { return text_; }

  void Write(const std::string& file, const std::string& text) const;
  [[nodiscard]] NvmlDevices::Options options(bool has_old_library = false) const;

 private:
  std::filesystem::path folder_;
  std::string text_;
};

}  // namespace gs::gpu
