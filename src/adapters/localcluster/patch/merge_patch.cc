#include "adapters/localcluster/patch/merge_patch.h"

#include <boost/json/value.hpp>
#include <string>
#include <utility>

namespace gs::localcluster {
namespace {

using boost::json::object;
using boost::json::value;

// What is new in the document has nothing that a null could remove; also inside lists, which is
// more than the RFC says and what the server does.
value WithoutNulls(const value& added) {
  if (const auto* members = added.if_object()) {
    object kept;
    for (const auto& [key, member] : *members) {
      if (!member.is_null()) kept[key] = WithoutNulls(member);
    }
    return kept;
  }
  if (const auto* items = added.if_array()) {
    boost::json::array kept;
    for (const auto& item : *items) kept.push_back(WithoutNulls(item));
    return kept;
  }
  return added;
}

void Merge(object& document, const object& patch) {
  for (const auto& [key, change] : patch) {
    const auto old = document.find(key);
    if (change.is_null()) {
      if (old != document.end()) document.stable_erase(old);
    } else if (old == document.end()) {
      document.emplace(key, WithoutNulls(change));
    } else if (old->value().is_object()) {
      if (change.is_object()) {
        Merge(old->value().get_object(), change.get_object());
      } else {
        old->value() = change;
      }
    } else {
      old->value() = WithoutNulls(change);
    }
  }
}

}  // namespace

Result<value> ApplyMergePatch(value document, const value& patch) {
  if (!document.is_object() || patch.is_null()) {
    return Error(ErrorKind::kInvalid,
                 patch.is_null() ? "Invalid JSON Patch" : "Invalid JSON Document");
  }
  if (!patch.is_object()) {
    const std::string found = patch.is_array()    ? "array"
                              : patch.is_string() ? "string"
                              : patch.is_bool()   ? "bool"
                                                  : "number";
    return Error(ErrorKind::kInvalid, "error decoding patch: json: cannot unmarshal " + found +
                                          " into Go value of type map[string]interface {}");
  }
  Merge(document.get_object(), patch.get_object());
  return document;
}

}  // namespace gs::localcluster
