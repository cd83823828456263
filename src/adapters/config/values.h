// Values that more than one command line has, from text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/runtime/log.h"
#include "base/result.h"

namespace gs::config {

struct Listen {
  std::string address;
  std::uint16_t port = 0;
};

// "0.0.0.0:8080"
[[nodiscard]] Result<Listen> ParseListen(const std::string& text);

// "text" or "json"
[[nodiscard]] std::optional<runtime::LogFormat> ParseLogFormat(std::string_view word);

}  // namespace gs::config
