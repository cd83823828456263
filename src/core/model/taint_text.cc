#include "core/model/taint_text.h"

#include <string>

namespace gs::model {

std::optional<Taint> ParseTaint(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto effect = ParseTaintEffect(text.substr(colon + 1));
  const std::string_view name = text.substr(0, colon);
  const auto equals = name.find('=');
  const std::string_view key = name.substr(0, equals);
  if (!effect || key.empty()) return std::nullopt;
  const std::string_view value = equals == name.npos ? "" : name.substr(equals + 1);
  return Taint{std::string(key), std::string(value), *effect};
}

}  // namespace gs::model
