// The command line of kubectl-gpu. The only file that knows the command line library; no exception
// leaves it.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "adapters/config/command_line.h"
#include "base/result.h"
#include "programs/kubectl_gpu/choose_options.h"
#include "programs/kubectl_gpu/cluster_question.h"

namespace gs::kubectl_gpu {

using config::ShowText;

using Command = std::variant<ShowText, ChooseOptions, ClusterQuestion>;

// `args` does not have the program's name. Reads the file that -f names.
[[nodiscard]] Result<Command> ParseCommandLine(const std::vector<std::string>& args,
                                               std::string_view version);

}  // namespace gs::kubectl_gpu
