#include "adapters/config/values.h"

#include "base/parse.h"

namespace gs::config {

Result<Listen> ParseListen(const std::string& text) {
  const auto colon = text.rfind(':');
  const std::string port = colon == std::string::npos ? "" : text.substr(colon + 1);
  const auto number = ParseInt32(port, {1, 65535});
  if (!number || colon == 0) {
    return Error(ErrorKind::kInvalid, "\"" + text + "\" is no address with a port")
        .Advise("write it like 0.0.0.0:8080");
  }
  return Listen{text.substr(0, colon), static_cast<std::uint16_t>(*number)};
}

std::optional<runtime::LogFormat> ParseLogFormat(std::string_view word) {
  if (word == "json") return runtime::LogFormat::kJson;
  if (word == "text") return runtime::LogFormat::kText;
  return std::nullopt;
}

}  // namespace gs::config
