// Verdicts as the API server reads them.
#pragma once

#include <string>

#include "core/admit/admit.h"

namespace gs::admission {

// A JSON Patch (RFC 6902) as text.
[[nodiscard]] std::string PrintPatch(const admit::Patch& patch);

// The AdmissionReview that answers the question with that id.
[[nodiscard]] std::string PrintAnswer(const std::string& uid, const admit::Verdict& verdict);

}  // namespace gs::admission
