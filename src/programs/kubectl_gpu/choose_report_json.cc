#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <utility>
#include <variant>
#include <vector>

#include "adapters/json/print.h"
#include "base/text.h"
#include "programs/kubectl_gpu/choose_report.h"

namespace gs::kubectl_gpu {
namespace {

using devices::Choice;
using devices::Miss;
using devices::MissReason;

constexpr std::array kReasons{
    std::pair{MissReason::kBadRequest, std::string_view("BadRequest")},
    std::pair{MissReason::kMoreThanNodeHas, std::string_view("MoreThanNodeHas")},
    std::pair{MissReason::kNotEnoughFree, std::string_view("NotEnoughFree")},
    std::pair{MissReason::kMustIncludeUnknown, std::string_view("MustIncludeUnknown")},
    std::pair{MissReason::kMustIncludeTaken, std::string_view("MustIncludeTaken")},
    std::pair{MissReason::kMustIncludeTooMany, std::string_view("MustIncludeTooMany")},
    std::pair{MissReason::kIslandTooSmall, std::string_view("IslandTooSmall")},
    std::pair{MissReason::kBandwidthTooLow, std::string_view("BandwidthTooLow")},
    std::pair{MissReason::kMustIncludeApart, std::string_view("MustIncludeApart")},
};

boost::json::array Numbers(const std::vector<GpuId>& ids) {
  boost::json::array numbers;
  for (const GpuId id : ids) numbers.emplace_back(id.number());
  return numbers;
}

boost::json::object JsonOf(const Situation& situation, const Choice& choice) {
  boost::json::array uuids;
  for (const std::size_t i : choice.set)
    uuids.emplace_back(situation.machine.devices[i].uuid.text());
  return {{"found", true},
          {"gpuIds", Numbers(choice.ids)},
          {"uuids", std::move(uuids)},
          {"islands", choice.islands},
          {"linkScore", choice.set_score},
          {"partitionScore", choice.partition_score},
          {"slowestPairGBps", choice.min_bandwidth_gbps},
          {"idRuns", choice.runs},
          {"idSpan", choice.span},
          {"exact", choice.is_exact},
          {"leftFree", Numbers(LeftFree(situation, choice))}};
}

boost::json::object JsonOf(const Situation&, const Miss& miss) {
  return {{"found", false},
          {"reason", text::NameOf(kReasons, miss.reason)},
          {"message", ToString(miss)},
          {"asked", miss.asked},
          {"nodeHas", miss.node_has},
          {"available", miss.available},
          {"unhealthy", miss.unhealthy},
          {"offending", Numbers(miss.offending)},
          {"askedBandwidthGBps", miss.asked_bandwidth_gbps},
          {"largestFit", Numbers(miss.largest_fit)},
          {"bestBandwidthGBps", miss.best_bandwidth_gbps},
          {"ifPreferred", Numbers(miss.if_preferred)}};
}

}  // namespace

std::string JsonReport(const Situation& situation, const devices::Outcome& outcome) {
  const auto object =
      std::visit([&](const auto& answer) { return JsonOf(situation, answer); }, outcome);
  return json::PrettyJson(object) + "\n";
}

}  // namespace gs::kubectl_gpu
