// The texts that the kernel's driver for AMD's compute devices (KFD) writes into sysfs, taken
// apart. Functions of the text alone; whatever does not look like such a text is refused with its
// place.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gs::gpu {

// Lines of a name and a number: "simd_count 416".
class KfdProperties {
 public:
  [[nodiscard]] static Result<KfdProperties> Parse(std::string_view text);

  // 0 where there is no such line: drivers leave out what they do not know.
  [[nodiscard]] std::uint64_t Get(std::string_view name) const;

 private:
  std::map<std::string, std::uint64_t, std::less<>> values_;
};

// The uncorrected errors in "ue: 0\nce: 12".
[[nodiscard]] Result<std::int64_t> ParseUncorrectedErrors(std::string_view text);

}  // namespace gs::gpu
