#include "core/machinesets/set_name.h"

#include <cstddef>

#include "base/stable_hash.h"
#include "base/text.h"

namespace gs::machinesets {
namespace {

constexpr std::size_t kMaxLabelValue = 63;
constexpr std::size_t kHashDigits = 8;

}  // namespace

std::string SetNameOf(std::string_view infrastructure, std::string_view type,
                      std::string_view zone) {
  std::string name = std::string(infrastructure) + "-gpu-" + std::string(type);
  if (!zone.empty()) name += "-" + std::string(zone);
  name = text::ToLower(name);
  for (char& letter : name) {
    if (!text::IsLower(letter) && !text::IsDigit(letter)) letter = '-';
  }
  if (name.size() <= kMaxLabelValue) return name;
  const std::string hash = StableHashHex(name).substr(0, kHashDigits);
  name.resize(kMaxLabelValue - kHashDigits - 1);
  while (name.ends_with('-')) name.pop_back();
  return name + "-" + hash;
}

}  // namespace gs::machinesets
