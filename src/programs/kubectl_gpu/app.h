// The whole program but for the process around it: arguments and two streams in, an exit code out.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace gs::kubectl_gpu {

// Part of the contract with scripts; docs/kubectl-gpu.md lists them.
inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;  // the answer could not be written
inline constexpr int kExitBadInput =
    2;                                // arguments or files are wrong; one line on `err` says which
inline constexpr int kExitNoSet = 3;  // a sound question whose answer is no

// `args` does not have the program's name.
[[nodiscard]] int Run(const std::vector<std::string>& args, std::string_view version,
                      std::ostream& out, std::ostream& err);

}  // namespace gs::kubectl_gpu
