#include "adapters/localcluster/wire/unknown_fields.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <cstddef>
#include <string_view>

namespace gs::localcluster {
namespace {

namespace json = boost::json;
using kube::ApiField;
using kube::ApiType;

const ApiField* FindField(const ApiType& type, std::string_view name) {
  for (const auto& field : type.fields) {
    if (field.is_inline && field.type != nullptr) {
      if (const auto* found = FindField(*field.type, name)) return found;
    } else if (field.name == name) {
      return &field;
    }
  }
  return nullptr;
}

// Whole objects say what they are; the table leaves that out.
bool IsTypeName(const ApiType& type, std::string_view name, bool is_root) {
  if (name != "kind" && name != "apiVersion") return false;
  return is_root || FindField(type, "metadata") != nullptr;
}

class Dropper {
 public:
  void Visit(const ApiType& type, json::object& object, const std::string& path) {
    for (auto it = object.begin(); it != object.end();) {
      const std::string_view name = it->key();
      const auto* field = FindField(type, name);
      const std::string at = path.empty() ? std::string(name) : path + "." + std::string(name);
      if (field == nullptr && !IsTypeName(type, name, path.empty())) {
        unknown.push_back(at);
        it = object.erase(it);
        continue;
      }
      if (field != nullptr && field->type != nullptr) VisitValue(*field, it->value(), at);
      ++it;
    }
  }

  std::vector<std::string> unknown;

 private:
  void VisitValue(const ApiField& field, json::value& value, const std::string& path) {
    if (field.shape == ApiField::Shape::kOne && value.is_object()) {
      Visit(*field.type, value.get_object(), path);
    } else if (field.shape == ApiField::Shape::kList && value.is_array()) {
      auto& items = value.get_array();
      for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].is_object()) {
          Visit(*field.type, items[i].get_object(), path + "[" + std::to_string(i) + "]");
        }
      }
    }
  }
};

}  // namespace

std::vector<std::string> DropUnknownFields(const ApiType& type, json::object& object) {
  Dropper dropper;
  dropper.Visit(type, object, "");
  std::sort(dropper.unknown.begin(), dropper.unknown.end());
  return std::move(dropper.unknown);
}

}  // namespace gs::localcluster
