#include "core/model/reason.h"

#include <algorithm>
#include <array>
#include <ostream>
#include <utility>

#include "base/check.h"
#include "base/text.h"

namespace gs::model {
namespace {

constexpr std::array kTokens{
    std::pair{ReasonToken::kMapInvalid, std::string_view("MapInvalid")},
    std::pair{ReasonToken::kUnsupported, std::string_view("Unsupported")},
    std::pair{ReasonToken::kCountMismatch, std::string_view("CountMismatch")},
    std::pair{ReasonToken::kNotInjected, std::string_view("NotInjected")},
    std::pair{ReasonToken::kClaimMissing, std::string_view("ClaimMissing")},
    std::pair{ReasonToken::kVolumeMissing, std::string_view("VolumeMissing")},
    std::pair{ReasonToken::kNodeMissing, std::string_view("NodeMissing")},
    std::pair{ReasonToken::kNodeAmbiguous, std::string_view("NodeAmbiguous")},
    std::pair{ReasonToken::kGpuMissing, std::string_view("GpuMissing")},
    std::pair{ReasonToken::kTooLarge, std::string_view("TooLarge")},
    std::pair{ReasonToken::kNodesExcluded, std::string_view("NodesExcluded")},
    std::pair{ReasonToken::kPodAffinityUnmet, std::string_view("PodAffinityUnmet")},
    std::pair{ReasonToken::kSpreadUnmet, std::string_view("SpreadUnmet")},
    std::pair{ReasonToken::kTopologyUnmet, std::string_view("TopologyUnmet")},
    std::pair{ReasonToken::kHandoverConflict, std::string_view("HandoverConflict")},
    std::pair{ReasonToken::kPortTaken, std::string_view("PortTaken")},
    std::pair{ReasonToken::kTooFewResources, std::string_view("TooFewResources")},
    std::pair{ReasonToken::kVolumeInUse, std::string_view("VolumeInUse")},
    std::pair{ReasonToken::kTooFewGpus, std::string_view("TooFewGpus")},
    std::pair{ReasonToken::kGpuHeld, std::string_view("GpuHeld")},
    std::pair{ReasonToken::kGpuReserved, std::string_view("GpuReserved")},
    std::pair{ReasonToken::kGpuReleasing, std::string_view("GpuReleasing")},
    std::pair{ReasonToken::kBackoff, std::string_view("Backoff")},
};

}  // namespace

std::string_view ToString(ReasonToken token) { return text::NameOf(kTokens, token); }

std::vector<ReasonToken> AllReasonTokens() {
  std::vector<ReasonToken> all;
  all.reserve(kTokens.size());
  for (const auto& [token, name] : kTokens) all.push_back(token);
  return all;
}

const Reason& LeadingReason(std::span<const Reason> reasons) {
  GS_CHECK(!reasons.empty());
  return *std::min_element(reasons.begin(), reasons.end(),
                           [](const Reason& a, const Reason& b) { return a.token < b.token; });
}

std::string ToString(const Reason& reason) {
  return std::string(ToString(reason.token)) + ": " + reason.message;
}

std::ostream& operator<<(std::ostream& out, const Reason& reason) {
  return out << ToString(reason);
}

}  // namespace gs::model
