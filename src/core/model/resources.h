// Amounts of what pods ask for and nodes offer, as whole numbers in fixed units. Text with suffixes
// is turned into them at the edge.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>

namespace gs::model {

struct Resources {
  std::int64_t cpu_milli = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t gpus = 0;                       // nvidia.com/gpu
  std::map<std::string, std::int64_t> others;  // by resource name, in whole units

  friend bool operator==(const Resources&, const Resources&) = default;
};

// "cpu 500m, memory 1Gi, nvidia.com/gpu 2"; what is zero is left out, "nothing" if all is.
[[nodiscard]] std::string ToString(const Resources& resources);
std::ostream& operator<<(std::ostream& out, const Resources& resources);

}  // namespace gs::model
