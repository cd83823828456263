// verify: whether what the sets are for has come about: GPU nodes that are Ready and labelled, the
// GPU operator's policy ready, and node feature discovery running.
#pragma once

#include <boost/json/value.hpp>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "programs/machinesets/options.h"

namespace gs::machinesets {

// As the API has them; a kind that is not served is an empty list.
struct VerifiedObjects {
  std::vector<boost::json::value> sets;
  std::vector<boost::json::value> nodes;
  std::vector<boost::json::value> policies;
  std::vector<boost::json::value> discoveries;
};

struct CheckedPoint {
  bool is_fine = false;
  std::string what;
  std::string found;
};

[[nodiscard]] std::vector<CheckedPoint> VerifyObjects(const VerifiedObjects& objects);

// Whether all is fine; prints every point.
[[nodiscard]] Result<bool> ShowVerification(const Options& options, std::string_view version,
                                            std::ostream& out);

}  // namespace gs::machinesets
