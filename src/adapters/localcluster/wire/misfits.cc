#include "adapters/localcluster/wire/misfits.h"

#include <boost/json/array.hpp>
#include <string_view>

#include "adapters/kube/login/base64.h"
#include "base/quantity.h"
#include "base/time.h"

namespace gs::localcluster {
namespace {

namespace json = boost::json;
using kube::ApiField;
using kube::ApiType;

// What is where; the path grows from its end, so that it costs nothing where everything fits.
struct Misfit {
  std::string path;
  std::string_view wanted;
  std::string_view found;
};

std::string_view NameOf(const json::value& value) {
  switch (value.kind()) {
    case json::kind::string: return "string";
    case json::kind::bool_: return "bool";
    case json::kind::object: return "object";
    case json::kind::array: return "array";
    default: return "number";
  }
}

std::string_view NameOf(const ApiField& field) {
  switch (field.basic) {
    case 0: return "object";
    case 'i': return "integer";
    case 'b': return "bool";
    case 'f': return "number";
    case 'T':
    case 'U': return "time";
    case 'Q': return "quantity";
    case 'y': return "base64";
    default: return "string";
  }
}

bool IsQuantity(const json::value& value) {
  return value.is_string() && Quantity::Parse(std::string_view(value.get_string())).ok();
}

bool FitsBasic(char basic, const json::value& value) {
  switch (basic) {
    case 'i': return value.is_int64() || value.is_uint64();
    case 'b': return value.is_bool();
    case 'f': return value.is_number();
    case 'T':
    case 'U': return value.is_string() && ParseTime(std::string_view(value.get_string())).ok();
    case 'Q': return value.is_number() || IsQuantity(value);
    case 'y':
      return value.is_string() && kube::DecodeBase64(std::string_view(value.get_string())).ok();
    case 'I': return value.is_string() || value.is_number();
    case 'R': return true;
    default: return value.is_string();
  }
}

std::optional<Misfit> Find(const ApiType& type, const json::object& object);

std::optional<Misfit> FindInItem(const ApiField& field, const json::value& value) {
  if (value.is_null()) return std::nullopt;
  const bool fits = field.type == nullptr ? FitsBasic(field.basic, value) : value.is_object();
  if (!fits) return Misfit{.path = "", .wanted = NameOf(field), .found = NameOf(value)};
  return field.type == nullptr ? std::nullopt : Find(*field.type, value.get_object());
}

std::optional<Misfit> FindInValue(const ApiField& field, const json::value& value) {
  if (value.is_null()) return std::nullopt;
  if (field.shape == ApiField::Shape::kOne) return FindInItem(field, value);
  if (field.shape == ApiField::Shape::kList) {
    const auto* items = value.if_array();
    if (items == nullptr) return Misfit{.path = "", .wanted = "array", .found = NameOf(value)};
    for (const auto& item : *items) {
      if (auto misfit = FindInItem(field, item)) return misfit;
    }
    return std::nullopt;
  }
  const auto* members = value.if_object();
  if (members == nullptr) return Misfit{.path = "", .wanted = "object", .found = NameOf(value)};
  for (const auto& [name, member] : *members) {
    if (auto misfit = FindInItem(field, member)) return misfit;
  }
  return std::nullopt;
}

std::optional<Misfit> Find(const ApiType& type, const json::object& object) {
  for (const auto& field : type.fields) {
    if (field.is_inline && field.type != nullptr) {
      if (auto misfit = Find(*field.type, object)) return misfit;
      continue;
    }
    const auto* value = object.if_contains(field.name);
    if (value == nullptr) continue;
    if (auto misfit = FindInValue(field, *value)) {
      misfit->path = std::string(field.name) + (misfit->path.empty() ? "" : "." + misfit->path);
      return misfit;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> FindMisfit(const ApiType& type, const json::object& object) {
  const auto misfit = Find(type, object);
  if (!misfit) return std::nullopt;
  return "cannot unmarshal " + std::string(misfit->found) + " into field " + misfit->path +
         " of type " + std::string(misfit->wanted);
}

}  // namespace gs::localcluster
