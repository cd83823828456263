// GpuUuid: what a GPU is known by, whatever its number is. A value: ordered as its text is.
//
// A cluster has tens of thousands of them, and nearly all are UUIDs as NVIDIA writes them
// ("GPU-8f2d6c1e-3b7a-4c59-9e04-5d1b7a90c3f2"): those are kept as the number that they are. Any
// other text is kept as it is.
#pragma once

#include <compare>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "base/shared_text.h"

namespace gs {

class GpuUuid {
 public:
  GpuUuid() = default;
  explicit GpuUuid(std::string_view text);

  // As it was given. Made anew at each call.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool empty() const { return !is_number() && other_.empty(); }

  friend bool operator==(const GpuUuid&, const GpuUuid&) = default;
  friend std::strong_ordering operator<=>(const GpuUuid& a, const GpuUuid& b);
  friend std::ostream& operator<<(std::ostream& out, const GpuUuid& uuid) {
    return out << uuid.text();
  }

 private:
  [[nodiscard]] bool is_number() const { return high_ != 0 || low_ != 0; }

  // Both 0: it is no such UUID.
  std::uint64_t high_ = 0;
  std::uint64_t low_ = 0;
  SharedText other_;
};

}  // namespace gs
