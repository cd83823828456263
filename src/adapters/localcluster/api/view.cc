#include "adapters/localcluster/api/view.h"

#include <array>
#include <boost/json/serialize.hpp>
#include <utility>

#include "adapters/localcluster/store/object_text.h"

namespace gs::localcluster {
namespace {

namespace json = boost::json;

constexpr std::string_view kEventsGroup = "events.k8s.io";

// As events.k8s.io has it, as the core group has it.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kEventFields{{
    {"note", "message"},
    {"regarding", "involvedObject"},
    {"reportingController", "reportingComponent"},
    {"deprecatedSource", "source"},
    {"deprecatedFirstTimestamp", "firstTimestamp"},
    {"deprecatedLastTimestamp", "lastTimestamp"},
    {"deprecatedCount", "count"},
}};

void Rename(json::object& object, std::string_view from, std::string_view to) {
  auto* found = object.if_contains(from);
  if (found == nullptr) return;
  json::value value = std::move(*found);
  object.erase(from);
  object[to] = std::move(value);
}

}  // namespace

json::object View::ToStored(json::object object) const {
  if (is_plain()) return object;
  if (asked->group == kEventsGroup) {
    for (const auto& [theirs, ours] : kEventFields) Rename(object, theirs, ours);
  }
  object["apiVersion"] = stored->api_version();
  return object;
}

json::object View::ToAsked(json::object object) const {
  if (is_plain()) return object;
  if (asked->group == kEventsGroup) {
    for (const auto& [theirs, ours] : kEventFields) Rename(object, ours, theirs);
  }
  object["apiVersion"] = asked->api_version();
  return object;
}

std::string View::Print(const StoredObject& object) const {
  if (is_plain()) return object.text;
  return json::serialize(ToAsked(ParseStored(object.text)));
}

View FindView(const Kinds& kinds, std::string_view group, std::string_view version,
              std::string_view plural) {
  View view{.asked = kinds.Find(group, version, plural), .stored = nullptr};
  if (!view.asked) return view;
  view.stored = view.asked->is_custom ? kinds.Find(view.asked->resource()) : view.asked;
  if (group == kEventsGroup) view.stored = kinds.Find("events");
  if (!view.stored) view.asked = nullptr;
  return view;
}

}  // namespace gs::localcluster
