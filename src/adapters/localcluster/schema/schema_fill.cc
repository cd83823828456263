#include <boost/json/value.hpp>

#include "adapters/localcluster/schema/schema_node.h"

namespace gs::localcluster {

using boost::json::value;

namespace {

bool IsOfEveryResource(std::string_view field) {
  return field == "apiVersion" || field == "kind" || field == "metadata";
}

void PruneObject(boost::json::object& members, const SchemaNode& node) {
  boost::json::object kept(members.storage());
  for (auto& [key, member] : members) {
    const bool is_spared = node.is_embedded_resource && IsOfEveryResource(key);
    const auto* property = node.Property(key);
    const auto* rules = property != nullptr ? property : node.additional.get();
    const bool stays = is_spared || rules != nullptr || node.keeps_unknown_fields;
    if (!stays) continue;
    if (!is_spared && rules != nullptr) PruneBySchema(member, *rules);
    kept.emplace(key, std::move(member));
  }
  members = std::move(kept);
}

// A null where none may be is as good as nothing if there is a default.
bool IsVoid(const value& found, const SchemaNode& node) {
  return found.is_null() && !node.is_nullable;
}

void FillObject(boost::json::object& members, const SchemaNode& node) {
  for (const auto& [key, property] : node.properties) {
    const auto found = members.find(key);
    if (found != members.end() && !IsVoid(found->value(), *property)) continue;
    if (property->fallback) members[key] = *property->fallback;
  }
  boost::json::object kept(members.storage());
  for (auto& [key, member] : members) {
    const auto* property = node.Property(key);
    const auto* rules = property != nullptr ? property : node.additional.get();
    if (rules != nullptr && IsVoid(member, *rules)) {
      if (!rules->fallback) continue;
      member = *rules->fallback;
    }
    if (rules != nullptr) FillBySchema(member, *rules);
    kept.emplace(key, std::move(member));
  }
  members = std::move(kept);
}

}  // namespace

void PruneBySchema(value& found, const SchemaNode& node) {
  if (auto* members = found.if_object()) {
    PruneObject(*members, node);
  } else if (auto* items = found.if_array(); items != nullptr && node.items != nullptr) {
    for (auto& item : *items) PruneBySchema(item, *node.items);
  }
}

void FillBySchema(value& found, const SchemaNode& node) {
  if (auto* members = found.if_object()) {
    FillObject(*members, node);
  } else if (auto* items = found.if_array(); items != nullptr && node.items != nullptr) {
    for (auto& item : *items) {
      if (IsVoid(item, *node.items) && node.items->fallback) item = *node.items->fallback;
      FillBySchema(item, *node.items);
    }
  }
}

}  // namespace gs::localcluster
