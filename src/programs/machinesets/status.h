// status: our machine sets, their machines, and what the cloud says about those that do not come.
#pragma once

#include <boost/json/value.hpp>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "programs/machinesets/options.h"

namespace gs::machinesets {

// Sets that gpu-machinesets made, with their machines; MachineSets and Machines as the API has
// them.
[[nodiscard]] std::string PrintStatus(const std::vector<boost::json::value>& sets,
                                      const std::vector<boost::json::value>& machines);

[[nodiscard]] Result<void> ShowStatus(const Options& options, std::string_view version,
                                      std::ostream& out);

}  // namespace gs::machinesets
