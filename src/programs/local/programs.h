// Which containers the simulated nodes really run: our own programs, where they lie beside this
// one, and a few of the system that do no harm.
#pragma once

#include <vector>

#include "adapters/localcluster/kubelet/known_program.h"

namespace gs::local {

[[nodiscard]] std::vector<localcluster::KnownProgram> KnownPrograms();

}  // namespace gs::local
