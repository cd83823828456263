// TrustedAuthorities: what the caBundle has to be while certificates change, so that API servers
// trust the certificate that a replica still shows and the one that it will show next. Pure.
#pragma once

#include <string>

#include "base/time.h"

namespace gs::webhook {

// The certificates of both texts, each once.
[[nodiscard]] std::string JoinBundles(const std::string& first_pem, const std::string& second_pem);

class TrustedAuthorities {
 public:
  // For so long an authority that is no longer wanted stays: replicas change one after the other.
  explicit TrustedAuthorities(Duration overlap) : overlap_(overlap) {}

  // What the bundle is to be from now on: `present_pem` itself where nothing has to change.
  [[nodiscard]] std::string Next(const std::string& present_pem, const std::string& wanted_pem,
                                 TimePoint now);

 private:
  const Duration overlap_;
  std::string others_pem_;  // in the bundle, and not wanted
  TimePoint others_since_;
};

}  // namespace gs::webhook
