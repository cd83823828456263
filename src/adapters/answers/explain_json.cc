#include "adapters/answers/explain_json.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <string>

namespace gs::answers {
namespace {

namespace json = boost::json;

// Who looks at more has other means.
constexpr std::size_t kMostRunnersUp = 10;

json::array Ids(const std::vector<GpuId>& ids) {
  json::array numbers;
  for (const GpuId id : ids) numbers.push_back(id.number());
  return numbers;
}

void AddWhy(json::object& object, const explain::Explanation& explanation) {
  const model::Reason told = explain::ToldReason(explanation);
  object["reason"] = ToString(told.token);
  object["message"] = told.message;
  json::array nodes;
  for (const auto& verdict : explanation.nodes) {
    nodes.push_back(json::object{{"node", verdict.node.text()},
                                 {"reason", ToString(verdict.reason.token)},
                                 {"message", verdict.reason.message}});
  }
  object["nodes"] = std::move(nodes);
  json::array changes;
  for (const auto& change : explanation.changes) {
    changes.push_back(json::object{
        {"change", NameOf(change)}, {"node", NodeOf(change).text()}, {"text", ToString(change)}});
  }
  object["wouldStart"] = std::move(changes);
  if (explanation.largest_node) object["largestNode"] = *explanation.largest_node;
}

json::array StayingJson(const std::vector<cycle::Stays::Stay>& staying, TimePoint now) {
  json::array pods;
  for (const auto& stay : staying) {
    if (stay.until <= now) continue;
    pods.push_back(json::object{{"pod", ToString(stay.pod)}, {"until", PrintTime(stay.until)}});
  }
  return pods;
}

json::object PlaceJson(const decide::RankedPlace& ranked) {
  const decide::Cost& cost = ranked.place.cost;
  json::object object{{"node", ranked.node.text()}};
  if (ranked.place.allocation) object["gpuIds"] = Ids(ranked.place.allocation->gpus.ids);
  object["cost"] = json::object{
      {"takesSpared", cost.takes_spared},           {"hasGpusUnasked", cost.has_gpus_unasked},
      {"missesPreference", cost.misses_preference}, {"placeableLoss", cost.placeable_loss},
      {"freeGpusLeft", cost.free_gpus_left},        {"cpuInUse", cost.cpu_in_use}};
  return object;
}

}  // namespace

json::object ReservationJson(const decide::Reservation& reservation) {
  json::object object{{"pod", ToString(reservation.pod)},
                      {"node", reservation.node.text()},
                      {"since", PrintTime(reservation.since)},
                      {"until", PrintTime(reservation.until)},
                      {"gpusToFree", reservation.gpus_to_free}};
  if (!reservation.ids.empty()) object["gpuIds"] = Ids(reservation.ids);
  return object;
}

json::object ExplanationJson(const ApiMoment& moment, const PodExplanation& explained) {
  json::object object = ApiHead("Explanation", moment);
  object["pod"] = ToJson(explained.pod);
  if (explained.explanation) {
    const bool fits = explained.explanation->placement.has_value();
    object["fits"] = fits;
    if (!fits) AddWhy(object, *explained.explanation);
  }
  if (explained.reservation) object["reservation"] = ReservationJson(*explained.reservation);
  json::array staying = StayingJson(explained.staying, moment.time);
  if (!staying.empty()) object["staying"] = std::move(staying);
  return object;
}

json::object DryRunJson(const ApiMoment& moment, const explain::DryRun& run) {
  json::object object = ApiHead("Placement", moment);
  object["fits"] = !run.places.empty();
  if (run.places.empty()) {
    AddWhy(object, run.explanation);
    return object;
  }
  object["place"] = PlaceJson(run.places.front());
  json::array others;
  const std::size_t most = std::min(run.places.size(), kMostRunnersUp + 1);
  for (std::size_t i = 1; i < most; ++i) others.push_back(PlaceJson(run.places[i]));
  object["runnersUp"] = std::move(others);
  return object;
}

}  // namespace gs::answers
