// What a cloud's error means for whoever waits for a GPU machine, and what to try next.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gs::machinesets {

enum class ProviderErrorKind : std::uint8_t {
  kNone,
  kNoCapacity,  // the cloud has no such machine left there
  kQuota,       // the account may not have more
  kNotOffered,  // that type does not exist there
  kWrongInput,  // the cloud's objects that the set names are not there
  kNotAllowed,  // the cluster's account lacks rights
  kOther,
};

struct ProviderError {
  ProviderErrorKind kind = ProviderErrorKind::kNone;
  std::string title;   // "no capacity"; empty: none
  std::string advice;  // empty: none
};

// By the words that AWS, Azure and GCP use. An empty message is no error.
[[nodiscard]] ProviderError ExplainProviderError(std::string_view message);

}  // namespace gs::machinesets
