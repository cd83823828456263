// How long the text of one object may be that comes in a list or a watch. Inside this folder only.
#pragma once

#include <cstddef>
#include <string>

#include "base/error.h"

namespace gs::kube {

// An object has at most about 1.5 MiB in the API server's store; its JSON may be longer.
inline constexpr std::size_t kMostObjectBytes = std::size_t{16} << 20;

[[nodiscard]] inline Error ObjectTooLong() {
  return {ErrorKind::kInvalid, "an object is longer than " + std::to_string(kMostObjectBytes) +
                                   " bytes, which no API server stores"};
}

}  // namespace gs::kube
