// JsonPath: the simple paths that printer columns use: .spec.count, .metadata.labels['a.b'],
// .items[0].x, .items[*].x and .status.conditions[?(@.type=="Ready")].status. What is more than
// that is refused when the column is registered.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gs::localcluster {

class JsonPath {
 public:
  [[nodiscard]] static Result<JsonPath> Parse(std::string_view text);

  // The first value that the path leads to; null if it leads nowhere.
  [[nodiscard]] const boost::json::value* FindFirst(const boost::json::value& object) const;

 private:
  struct Step {
    enum class Kind : std::uint8_t { kField, kIndex, kAll, kFilter };

    Kind kind = Kind::kField;
    std::string name;               // of the field
    std::int64_t index = 0;         // from the end if it is negative
    std::vector<std::string> path;  // of the filter, below each element
    std::string wanted;             // what the filter compares with, as JSON
  };
  class Parser;

  [[nodiscard]] const boost::json::value* Follow(const boost::json::value& value,
                                                 std::size_t step) const;
  [[nodiscard]] static bool Accepts(const Step& filter, const boost::json::value& item);

  std::vector<Step> steps_;
};

}  // namespace gs::localcluster
