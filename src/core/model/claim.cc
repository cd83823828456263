#include "core/model/claim.h"

#include <array>
#include <ostream>
#include <utility>

#include "base/text.h"

namespace gs::model {
namespace {

constexpr std::array kPolicies{
    std::pair{DevicePolicy::kContiguous, std::string_view("contiguous")},
    std::pair{DevicePolicy::kSpread, std::string_view("spread")},
    std::pair{DevicePolicy::kPreferIds, std::string_view("preferIds")},
};

constexpr std::array kModes{
    std::pair{TopologyMode::kPreferred, std::string_view("Preferred")},
    std::pair{TopologyMode::kRequired, std::string_view("Required")},
    std::pair{TopologyMode::kIgnore, std::string_view("Ignore")},
};

constexpr std::array kExclusivities{
    std::pair{Exclusivity::kExclusive, std::string_view("Exclusive")},
    std::pair{Exclusivity::kShared, std::string_view("Shared")},
};

}  // namespace

std::string_view ToString(DevicePolicy policy) { return text::NameOf(kPolicies, policy); }
std::string_view ToString(TopologyMode mode) { return text::NameOf(kModes, mode); }
std::string_view ToString(Exclusivity exclusivity) {
  return text::NameOf(kExclusivities, exclusivity);
}

std::optional<DevicePolicy> ParseDevicePolicy(std::string_view text) {
  return text::ValueOf(kPolicies, text);
}
std::optional<TopologyMode> ParseTopologyMode(std::string_view text) {
  return text::ValueOf(kModes, text);
}
std::optional<Exclusivity> ParseExclusivity(std::string_view text) {
  return text::ValueOf(kExclusivities, text);
}

std::string DevicePolicyNames() { return text::NamesOf(kPolicies); }
std::string TopologyModeNames() { return text::NamesOf(kModes); }
std::string ExclusivityNames() { return text::NamesOf(kExclusivities); }

bool AskTheSame(const Claim& a, const Claim& b) {
  return a.devices == b.devices && a.topology == b.topology && a.match_labels == b.match_labels;
}

std::string ToString(const Claim& claim) {
  std::string out = claim.ns.text() + "/" + claim.name.text() + ": " +
                    std::to_string(claim.devices.count) + " GPU(s), " +
                    std::string(ToString(claim.devices.policy)) + ", " +
                    std::string(ToString(claim.devices.exclusivity));
  if (claim.topology) {
    out += ", topology " + std::string(ToString(claim.topology->mode));
    if (claim.topology->min_bandwidth_gbps > 0) {
      out += " " + std::to_string(claim.topology->min_bandwidth_gbps) + " GB/s";
    }
  }
  return out;
}

std::ostream& operator<<(std::ostream& out, const Claim& claim) { return out << ToString(claim); }

}  // namespace gs::model
