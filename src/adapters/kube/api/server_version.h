// Which version an API server has, as its /version tells it, and whether it is new enough.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace gs::kube {

struct ServerVersion {
  int major = 0;
  int minor = 0;
  std::string text;  // "v1.30.4-gke.1"; for people
};

// What everything here relies on is stable from this version on.
inline constexpr int kOldestMajor = 1;
inline constexpr int kOldestMinor = 30;

// The body of the answer. Vendors write a minor version like "30+".
[[nodiscard]] Result<ServerVersion> ParseServerVersion(std::string_view body);

// Refuses what is too old, and says what is missing there.
[[nodiscard]] Result<void> CheckServerVersion(const ServerVersion& version);

}  // namespace gs::kube
