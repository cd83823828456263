// generate: brings the cluster's GPU machine sets to what the settings say.
//
// Every step looks at what is there first, so a run that was killed half-way is finished by the
// next, and a run with nothing to do writes nothing. Sets of others are never changed.
#pragma once

#include <iosfwd>
#include <string_view>

#include "base/result.h"
#include "programs/machinesets/options.h"

namespace gs::machinesets {

// Whether everything that is wanted is there now; what failed was said on `out`. An error is one
// that stopped everything.
[[nodiscard]] Result<bool> Generate(const Options& options, const Settings& settings,
                                    std::string_view version, std::ostream& out, std::ostream& err);

}  // namespace gs::machinesets
