// ResourceSum: what several pods ask for together, exact while they come and go.
//
// The amounts are others' to write, so that two pods alone can ask for more than 64 bits hold. A
// sum that stopped at the limit would be too small as soon as one of them is gone.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "core/model/resources.h"

namespace gs::model {

// Read, it is at most what 64 bits hold.
class AmountSum {
 public:
  AmountSum() = default;
  AmountSum(std::int64_t amount)
      : sum_(amount) {}           // NOLINT(google-explicit-constructor): an amount
  operator std::int64_t() const;  // NOLINT(google-explicit-constructor): likewise

  AmountSum& operator+=(std::int64_t amount) {
    sum_ += amount;
    return *this;
  }
  AmountSum& operator-=(std::int64_t amount) {
    sum_ -= amount;
    return *this;
  }

 private:
  __extension__ typedef __int128 Int128;

  Int128 sum_ = 0;
};

struct ResourceSum {
  AmountSum cpu_milli;
  AmountSum memory_bytes;
  AmountSum gpus;
  std::map<std::string, AmountSum, std::less<>> others;  // without zeros

  void Add(const Resources& part);
  // Requires: it was added.
  void Remove(const Resources& part);
  // Of `others`; 0: none by that name.
  [[nodiscard]] std::int64_t Other(std::string_view name) const;
};

}  // namespace gs::model
