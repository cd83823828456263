#include "adapters/recording/earlier_format.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string_view>
#include <utility>

namespace gs::recording {
namespace {

// Events and commands that are gone.
constexpr std::array<std::string_view, 2> kGone{"ReleasesChecked", "CheckReleases"};

// Members that are gone, by the event, command or option that had them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kGoneMembers{{
    {"LeadershipWon", "takeover"},
    {"ListInFlight", "pods"},
    {"rules", "touch_seen"},
    {"rules", "list_kept"},
}};

void LeaveOutMembers(boost::json::object& object) {
  for (const auto& [name, member] : kGoneMembers) {
    boost::json::value* content = object.if_contains(name);
    if (content != nullptr && content->is_object()) content->get_object().erase(member);
  }
}

bool IsGone(const boost::json::value& item) {
  const boost::json::object* object = item.if_object();
  return object != nullptr && std::any_of(kGone.begin(), kGone.end(),
                                          [object](auto name) { return object->contains(name); });
}

void LeaveOutOf(boost::json::value* list) {
  if (list == nullptr || !list->is_array()) return;
  boost::json::array& items = list->get_array();
  items.erase(std::remove_if(items.begin(), items.end(), IsGone), items.end());
  for (boost::json::value& item : items) {
    if (item.is_object()) LeaveOutMembers(item.get_object());
  }
}

}  // namespace

void LeaveOutRetiredOptions(boost::json::value& options) {
  if (!options.is_object()) return;
  options.get_object().erase("release_check_period");
  LeaveOutMembers(options.get_object());
}

void LeaveOutRetired(boost::json::value& run) {
  if (!run.is_object()) return;
  LeaveOutOf(run.get_object().if_contains("events"));
  LeaveOutOf(run.get_object().if_contains("commands"));
}

}  // namespace gs::recording
