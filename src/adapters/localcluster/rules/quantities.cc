#include "adapters/localcluster/rules/quantities.h"

#include <boost/json/serialize.hpp>
#include <string>

#include "adapters/localcluster/objects/fields.h"
#include "base/quantity.h"

namespace gs::localcluster {

void CanonicalQuantities(boost::json::object& object, std::string_view field) {
  auto* amounts = FindObject(object, {field});
  if (amounts == nullptr) return;
  for (auto& member : *amounts) {
    auto& value = member.value();
    if (!value.is_string() && !value.is_number()) continue;
    const std::string text =
        value.is_string() ? std::string(value.get_string()) : boost::json::serialize(value);
    if (const auto amount = Quantity::Parse(text)) value = ToString(*amount);
  }
}

}  // namespace gs::localcluster
