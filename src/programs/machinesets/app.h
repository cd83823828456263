// The whole program but for the process around it: arguments and two streams in, an exit code out.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace gs::machinesets {

inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitBadInput = 2;
inline constexpr int kExitAmiss = 3;  // verify found something

// `args` does not have the program's name.
[[nodiscard]] int Run(const std::vector<std::string>& args, std::string_view version,
                      std::ostream& out, std::ostream& err);

}  // namespace gs::machinesets
