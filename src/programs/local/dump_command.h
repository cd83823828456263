// `gpu-local dump`: all objects of a running cluster as plain YAML, as `up --load` reads them back.
#pragma once

#include <string>

#include "base/result.h"
#include "programs/local/api_connection.h"
#include "programs/local/options.h"

namespace gs::local {

// Every object of every kind that the API offers.
[[nodiscard]] Result<std::string> DumpObjects(ApiConnection& api);

// Writes the file; what to tell about it.
[[nodiscard]] Result<std::string> DumpCluster(const DumpOptions& options);

}  // namespace gs::local
