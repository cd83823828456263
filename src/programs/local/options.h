// The options of gpu-local, every value checked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace gs::local {

struct UpOptions {
  std::uint16_t port = 0;  // 0: any free one
  std::string kubeconfig = "gpu-local.kubeconfig";
  bool is_bare = false;  // the API alone
};

// --help and --version: nothing is left to do but to show this.
struct ShowText {
  std::string text;
};

// `args` does not have the program's name.
[[nodiscard]] Result<std::variant<ShowText, UpOptions>> ParseCommandLine(
    const std::vector<std::string>& args, std::string_view version);

}  // namespace gs::local
