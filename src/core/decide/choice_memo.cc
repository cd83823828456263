#include "core/decide/choice_memo.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <variant>

#include "core/decide/devices/choose.h"

namespace gs::decide {
namespace {

using devices::MissReason;
using model::ReasonToken;

// What users ask for must not fill the memory: some megabytes.
constexpr std::size_t kMostRequests = 16;
constexpr std::size_t kMostAnswers = 4096;  // for one request

ReasonToken TokenOf(MissReason reason) {
  switch (reason) {
    case MissReason::kMoreThanNodeHas: return ReasonToken::kTooLarge;
    case MissReason::kIslandTooSmall:
    case MissReason::kBandwidthTooLow:
    case MissReason::kMustIncludeApart: return ReasonToken::kTopologyUnmet;
    case MissReason::kBadRequest:
    case MissReason::kNotEnoughFree:
    case MissReason::kMustIncludeUnknown:
    case MissReason::kMustIncludeTaken:
    case MissReason::kMustIncludeTooMany: return ReasonToken::kTooFewGpus;
  }
  return ReasonToken::kTooFewGpus;
}

ChoiceMemo::Answer AnswerOf(const devices::Topology& topology,
                            const devices::Availability& availability,
                            const devices::Request& request, const devices::TableCache& tables) {
  ChoiceMemo::Answer answer{devices::Choose(topology, availability, request, &tables)};
  if (const auto* miss = std::get_if<devices::Miss>(&answer.outcome)) {
    answer.why_not = {TokenOf(miss->reason), ToString(*miss)};
  }
  return answer;
}

// Whoever wants whole GPUs cannot have those that others share, however many they are.
bool DependsOnSharers(const devices::Availability& availability, const devices::Request& request) {
  return request.exclusivity == model::Exclusivity::kShared &&
         std::any_of(availability.sharers.begin(), availability.sharers.end(),
                     [](std::int32_t sharers) { return sharers != 0; });
}

}  // namespace

std::size_t ChoiceMemo::StateHash::operator()(const State& state) const {
  constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15U;
  const std::uint64_t where = std::hash<const devices::Topology*>()(state.topology.get());
  const std::uint64_t free = (where * kSpread) ^ state.unused;
  const std::uint64_t all = (free * kSpread) ^ state.unhealthy;
  return static_cast<std::size_t>((all * kSpread) >> 16U);
}

ChoiceMemo::Asked& ChoiceMemo::Of(const devices::Request& request) {
  const auto known = std::find_if(asked_.begin(), asked_.end(), [&request](const Asked& asked) {
    return asked.request == request;
  });
  if (known != asked_.end()) return *known;
  if (asked_.size() == kMostRequests) asked_.erase(asked_.begin());
  return asked_.emplace_back(Asked{request, {}});
}

const ChoiceMemo::Answer& ChoiceMemo::Choose(
    const std::shared_ptr<const devices::Topology>& topology,
    const devices::Availability& availability, const devices::Request& request,
    const devices::TableCache& tables) {
  if (DependsOnSharers(availability, request)) {
    return unkept_ = AnswerOf(*topology, availability, request, tables);
  }
  auto& answers = Of(request).answers;
  const State state{topology, availability.unused.bits(), availability.unhealthy.bits()};
  if (const auto known = answers.find(state); known != answers.end()) return known->second;
  if (answers.size() == kMostAnswers) answers.clear();
  return answers.emplace(state, AnswerOf(*topology, availability, request, tables)).first->second;
}

}  // namespace gs::decide
