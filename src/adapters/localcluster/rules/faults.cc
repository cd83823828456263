#include "adapters/localcluster/rules/faults.h"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "base/text.h"

namespace gs::localcluster {
namespace {

std::string Quote(std::string_view text) {
  return boost::json::serialize(boost::json::string_view(text.data(), text.size()));
}

}  // namespace

void Faults::Required(std::string field, std::string_view detail) {
  std::string message = "Required value";
  if (!detail.empty()) message += ": " + std::string(detail);
  causes_.push_back({"FieldValueRequired", std::move(message), std::move(field)});
}

void Faults::Invalid(std::string field, const boost::json::value& value, std::string_view detail) {
  causes_.push_back({"FieldValueInvalid",
                     "Invalid value: " + boost::json::serialize(value) + ": " + std::string(detail),
                     std::move(field)});
}

void Faults::Unsupported(std::string field, std::string_view value,
                         const std::vector<std::string_view>& supported) {
  const auto list = text::Join(supported, ", ", [](std::string_view word) { return Quote(word); });
  causes_.push_back({"FieldValueNotSupported",
                     "Unsupported value: " + Quote(value) + ": supported values: " + list,
                     std::move(field)});
}

void Faults::Duplicate(std::string field, std::string_view value) {
  causes_.push_back({"FieldValueDuplicate", "Duplicate value: " + Quote(value), std::move(field)});
}

void Faults::Forbidden(std::string field, std::string_view detail) {
  causes_.push_back({"FieldValueForbidden", "Forbidden: " + std::string(detail), std::move(field)});
}

Verdict Faults::About(const Kind& kind, std::string_view name) const {
  if (causes_.empty()) return std::nullopt;
  return localcluster::Invalid(kind.kind, kind.group, std::string(name), causes_);
}

std::string At(std::string_view field, std::size_t index) {
  return std::string(field) + "[" + std::to_string(index) + "]";
}

}  // namespace gs::localcluster
