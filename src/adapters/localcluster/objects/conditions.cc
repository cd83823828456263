#include "adapters/localcluster/objects/conditions.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace gs::localcluster {
namespace {

boost::json::object& EntryOf(Json& status, std::string_view type) {
  auto& all = MakeArray(Make(status, {}), "conditions");
  for (Json& each : all) {
    if (Text(each, {"type"}) == type && each.is_object()) return each.get_object();
  }
  return all.emplace_back(boost::json::object{{"type", type}}).get_object();
}

void SetOrErase(boost::json::object& entry, std::string_view field, const std::string& text) {
  if (text.empty()) {
    entry.erase(field);
  } else {
    entry[field] = text;
  }
}

}  // namespace

const Json* FindCondition(const Json& status, std::string_view type) {
  for (const Json& each : Items(status, {"conditions"})) {
    if (Text(each, {"type"}) == type) return &each;
  }
  return nullptr;
}

bool IsTrue(const Json& status, std::string_view type) {
  const Json* found = FindCondition(status, type);
  return found != nullptr && Text(*found, {"status"}) == "True";
}

boost::json::object& SetCondition(Json& status, const Condition& condition, TimePoint now) {
  auto& entry = EntryOf(status, condition.type);
  const Json* old = entry.if_contains("status");
  if (old == nullptr || Text(*old, {}) != condition.status) {
    entry["status"] = condition.status;
    entry["lastTransitionTime"] = PrintTime(now);
  }
  SetOrErase(entry, "reason", condition.reason);
  SetOrErase(entry, "message", condition.message);
  return entry;
}

void RemoveCondition(Json& status, std::string_view type) {
  auto* members = status.if_object();
  auto* all = members == nullptr ? nullptr : members->if_contains("conditions");
  if (all == nullptr || !all->is_array()) return;
  boost::json::array kept;
  for (const Json& each : all->get_array()) {
    if (Text(each, {"type"}) != type) kept.push_back(each);
  }
  if (kept.empty()) {
    members->erase("conditions");
  } else {
    *all = std::move(kept);
  }
}

}  // namespace gs::localcluster
