// Loading a dump: objects as they were, with their names, uids and status, put straight into the
// store. Each must be of a kind there is and valid by the rules of that kind.
#pragma once

#include <boost/json/value.hpp>
#include <filesystem>
#include <vector>

#include "adapters/localcluster/rules/rules.h"
#include "adapters/localcluster/store/kind.h"
#include "adapters/localcluster/store/store.h"
#include "base/result.h"
#include "programs/local/node_file.h"

namespace gs::local {

// The documents of a dump.
[[nodiscard]] Result<std::vector<boost::json::value>> ReadDump(const std::filesystem::path& file);

// The nodes that a dump has, with the GPUs that their reports name.
[[nodiscard]] Result<Nodes> NodesOf(const std::vector<boost::json::value>& objects);

// Definitions and namespaces first, whatever their place in the dump.
[[nodiscard]] Result<void> LoadObjects(const std::vector<boost::json::value>& objects,
                                       localcluster::Store& store, localcluster::Kinds& kinds,
                                       const localcluster::Rules& rules);

}  // namespace gs::local
