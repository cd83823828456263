// What a certificate says, and whether a server that shows it would be believed.
#pragma once

#include <string>
#include <vector>

#include "adapters/certificates/authority.h"
#include "base/result.h"
#include "base/time.h"

namespace gs::certificates {

struct Validity {
  TimePoint from;
  TimePoint until;
};

// Of the first certificate in the text.
[[nodiscard]] Result<Validity> ValidityOf(const std::string& certificate_pem);

// One text per certificate; what is none is left out.
[[nodiscard]] std::vector<std::string> SplitBundle(const std::string& bundle_pem);

// Refused, with what is wrong: no certificate, a key that is not its own, another host (unless none
// is given), out of its time, and, where authorities are given, nobody among them who vouches for
// it.
[[nodiscard]] Result<void> CheckServing(const Certificate& serving,
                                        const std::string& authorities_pem, const std::string& host,
                                        TimePoint now);

}  // namespace gs::certificates
