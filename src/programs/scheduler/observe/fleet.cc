#include "programs/scheduler/observe/fleet.h"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <string_view>
#include <utility>

#include "adapters/answers/explain_json.h"

namespace gs::scheduler {
namespace {

using Texts = std::map<std::string, std::string>;

std::string PlaceableText(const score::SetCounts& counts) {
  boost::json::array sizes;
  for (std::size_t i = 0; i < score::kSetSizes.size(); ++i) {
    sizes.push_back(boost::json::object{{"size", score::kSetSizes[i]},
                                        {"any", counts.anywhere[i]},
                                        {"island", counts.in_islands[i]}});
  }
  return boost::json::serialize(sizes);
}

// The head of an answer, to be followed by more members.
std::string OpenHead(std::string_view kind, const answers::ApiMoment& moment) {
  std::string text = boost::json::serialize(answers::ApiHead(kind, moment));
  text.pop_back();
  return text;
}

void AddItem(std::string& list, std::string_view item) {
  if (!list.empty()) list += ',';
  list += item;
}

std::string All(const Texts& texts) {
  std::string list;
  for (const auto& [key, text] : texts) AddItem(list, text);
  return list;
}

std::string Changed(const Texts& before, const Texts& after) {
  std::string list;
  for (const auto& [key, text] : after) {
    const auto old = before.find(key);
    if (old == before.end() || old->second != text) AddItem(list, text);
  }
  return list;
}

std::string Gone(const Texts& before, const Texts& after) {
  std::string list;
  for (const auto& [key, text] : before) {
    if (!after.contains(key)) AddItem(list, boost::json::serialize(boost::json::value(key)));
  }
  return list;
}

void AddList(std::string& text, std::string_view name, const std::string& list) {
  if (!list.empty()) text += ",\"" + std::string(name) + "\":[" + list + "]";
}

}  // namespace

FleetReport ReportFleet(const cycle::Cycle& cycle, explain::PlaceableSets& sets, TimePoint now) {
  FleetReport report{
      .moment = {.time = now, .is_leading = cycle.is_deciding(), .is_synced = cycle.is_synced()},
      .nodes = explain::ReportGpus(cycle.cache()),
      .pods = explain::ReportPods(cycle.cache(), cycle.pending(), cycle.scheduler()),
      .reservation = cycle.keep().reservation(),
      .placeable = sets.Update(cycle.cache())};
  std::erase_if(report.pods, [](const explain::PodReport& pod) {
    return pod.state == explain::PodState::kBound;
  });
  return report;
}

Fleet PrintFleet(const FleetReport& report) {
  Fleet fleet{.moment = report.moment,
              .nodes = {},
              .pods = {},
              .reservation = "null",
              .placeable = PlaceableText(report.placeable)};
  for (const auto& node : report.nodes) {
    fleet.nodes[node.node.text()] = boost::json::serialize(answers::ToJson(node));
  }
  for (const auto& pod : report.pods) {
    fleet.pods[pod.pod.uid.text()] = boost::json::serialize(answers::ToJson(pod));
  }
  if (report.reservation) {
    fleet.reservation = boost::json::serialize(answers::ReservationJson(*report.reservation));
  }
  return fleet;
}

std::string WholeFleet(const Fleet& fleet) {
  return OpenHead("Fleet", fleet.moment) + ",\"placeable\":" + fleet.placeable +
         ",\"reservation\":" + fleet.reservation + ",\"nodes\":[" + All(fleet.nodes) +
         "],\"pods\":[" + All(fleet.pods) + "]}";
}

std::string FleetChange(const Fleet& before, const Fleet& after) {
  std::string text = OpenHead("FleetChange", after.moment);
  if (before.placeable != after.placeable) text += ",\"placeable\":" + after.placeable;
  if (before.reservation != after.reservation) text += ",\"reservation\":" + after.reservation;
  AddList(text, "nodes", Changed(before.nodes, after.nodes));
  AddList(text, "nodesGone", Gone(before.nodes, after.nodes));
  AddList(text, "pods", Changed(before.pods, after.pods));
  AddList(text, "podsGone", Gone(before.pods, after.pods));
  return text + "}";
}

}  // namespace gs::scheduler
