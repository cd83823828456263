// CelType: what an expression of a rule gives, as far as it is known before it runs. A custom
// resource's schema says it exactly; of an object in a webhook's condition nothing is known.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace gs::localcluster {

struct CelType;
using CelTypePtr = std::shared_ptr<const CelType>;

struct CelType {
  // Dyn is anything; it is looked at when the program runs.
  enum class Kind : std::uint8_t {
    kDyn,
    kBool,
    kInt,
    kDouble,
    kString,
    kNull,
    kList,
    kMap,
    kObject
  };

  Kind kind = Kind::kDyn;
  CelTypePtr element;                        // of a list, or of the values of a map
  std::map<std::string, CelTypePtr> fields;  // of an object, by their real names

  [[nodiscard]] static CelTypePtr Of(Kind kind);
  [[nodiscard]] static CelTypePtr ListOf(CelTypePtr element);
  [[nodiscard]] static CelTypePtr MapOf(CelTypePtr element);
  [[nodiscard]] static CelTypePtr ObjectOf(std::map<std::string, CelTypePtr> fields);
};

// "list(string)"
[[nodiscard]] std::string ToString(const CelType& type);
// Whether a value of one can be one of the other; dyn goes with everything.
[[nodiscard]] bool CanBe(const CelType& a, const CelType& b);

}  // namespace gs::localcluster
