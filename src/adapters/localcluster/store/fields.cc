#include "adapters/localcluster/store/fields.h"

#include <utility>

namespace gs::localcluster {

namespace json = boost::json;

namespace {

// object[field] may move all fields even if this one is there, under whoever holds a reference to
// one.
json::value& FieldOf(json::object& object, std::string_view field) {
  auto* present = object.if_contains(field);
  return present != nullptr ? *present : object[field];
}

}  // namespace

const json::value* FindValue(const json::object& object, Path path) {
  const json::object* at = &object;
  const json::value* found = nullptr;
  for (const auto field : path) {
    if (at == nullptr) return nullptr;
    found = at->if_contains(field);
    if (found == nullptr || found->is_null()) return nullptr;
    at = found->if_object();
  }
  return found;
}

json::value* FindValue(json::object& object, Path path) {
  return const_cast<json::value*>(FindValue(std::as_const(object), path));  // NOLINT: it is ours
}

const json::object* FindObject(const json::object& object, Path path) {
  const auto* found = FindValue(object, path);
  return found == nullptr ? nullptr : found->if_object();
}

json::object* FindObject(json::object& object, Path path) {
  auto* found = FindValue(object, path);
  return found == nullptr ? nullptr : found->if_object();
}

const json::array* FindArray(const json::object& object, Path path) {
  const auto* found = FindValue(object, path);
  return found == nullptr ? nullptr : found->if_array();
}

json::array* FindArray(json::object& object, Path path) {
  auto* found = FindValue(object, path);
  return found == nullptr ? nullptr : found->if_array();
}

std::string_view FindText(const json::object& object, Path path) {
  const auto* found = FindValue(object, path);
  if (found == nullptr || !found->is_string()) return {};
  return {found->get_string().data(), found->get_string().size()};
}

std::optional<std::int64_t> FindInt(const json::object& object, Path path) {
  const auto* found = FindValue(object, path);
  if (found == nullptr || !found->is_int64()) return std::nullopt;
  return found->get_int64();
}

bool FindBool(const json::object& object, Path path) {
  const auto* found = FindValue(object, path);
  return found != nullptr && found->is_bool() && found->get_bool();
}

json::object& MakeObject(json::object& object, std::string_view field) {
  auto& value = FieldOf(object, field);
  if (!value.is_object()) value = json::object();
  return value.get_object();
}

void SetDefault(json::object& object, std::string_view field, json::value value) {
  auto& present = FieldOf(object, field);
  if (present.is_null()) present = std::move(value);
}

void CopyField(const json::object& from, json::object& to, std::string_view field) {
  const auto* found = from.if_contains(field);
  if (found == nullptr) {
    to.erase(field);
  } else {
    to[field] = *found;
  }
}

}  // namespace gs::localcluster
