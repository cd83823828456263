// Base64 as certificates and keys are written in kubeconfigs and Secrets.
//
// Strict: the standard alphabet, padding where it belongs, no stray bits. Only line ends are
// skipped, because Go skips them and YAML blocks contain them.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace gs::kube {

[[nodiscard]] std::string EncodeBase64(std::string_view bytes);
[[nodiscard]] Result<std::string> DecodeBase64(std::string_view text);

}  // namespace gs::kube
