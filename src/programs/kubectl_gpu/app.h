// The whole program but for the process around it: arguments and two streams in, an exit code out.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "programs/kubectl_gpu/answer.h"
#include "programs/kubectl_gpu/paint.h"

namespace gs::kubectl_gpu {

// `args` does not have the program's name. `paint` is for `out`.
[[nodiscard]] int Run(const std::vector<std::string>& args, std::string_view version,
                      std::ostream& out, std::ostream& err, const Paint& paint = {});

}  // namespace gs::kubectl_gpu
