// GpuUuid: what a GPU is known by, whatever its number is. A value: ordered as its text is.
//
// A cluster has tens of thousands of them, and most are UUIDs as NVIDIA writes them
// ("GPU-8f2d6c1e-3b7a-4c59-9e04-5d1b7a90c3f2"): those take no memory of their own.
#pragma once

#include <compare>
#include <ostream>
#include <string>
#include <string_view>

#include "base/uuid_text.h"

namespace gs {

class GpuUuid {
 public:
  GpuUuid() = default;
  explicit GpuUuid(std::string_view text)
      : rest_(text.substr(text.starts_with(kPrefix) ? kPrefix.size() : 0)),
        has_prefix_(text.starts_with(kPrefix)) {}

  // As it was given. Made anew at each call.
  [[nodiscard]] std::string text() const {
    return has_prefix_ ? std::string(kPrefix) + rest_.text() : rest_.text();
  }
  [[nodiscard]] bool empty() const { return !has_prefix_ && rest_.empty(); }

  friend bool operator==(const GpuUuid&, const GpuUuid&) = default;
  friend std::strong_ordering operator<=>(const GpuUuid& a, const GpuUuid& b) {
    if (a.has_prefix_ != b.has_prefix_) return a.text() <=> b.text();
    return a.rest_ <=> b.rest_;
  }
  friend std::ostream& operator<<(std::ostream& out, const GpuUuid& uuid) {
    return out << uuid.text();
  }

 private:
  static constexpr std::string_view kPrefix = "GPU-";

  UuidText rest_;  // what follows the prefix
  bool has_prefix_ = false;
};

}  // namespace gs
