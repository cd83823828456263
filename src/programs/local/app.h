// gpu-local: arguments in, an exit code out.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace gs::local {

// Part of the contract with scripts; docs/gpu-local.md lists them.
inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitBadInput = 2;

// `args` does not have the program's name. Requires: no other thread runs yet.
[[nodiscard]] int Run(const std::vector<std::string>& args, std::string_view version,
                      std::ostream& out, std::ostream& err);

}  // namespace gs::local
