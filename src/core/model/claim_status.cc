#include "core/model/claim_status.h"

#include <array>
#include <ostream>
#include <utility>

#include "base/text.h"

namespace gs::model {
namespace {

constexpr std::array kPhases{
    std::pair{ClaimPhase::kPending, std::string_view("Pending")},
    std::pair{ClaimPhase::kAllocated, std::string_view("Allocated")},
};

}  // namespace

std::string_view ToString(ClaimPhase phase) { return text::NameOf(kPhases, phase); }

std::optional<ClaimPhase> ParseClaimPhase(std::string_view text) {
  return text::ValueOf(kPhases, text);
}

std::string ToString(const ClaimStatus& status) {
  std::string text(ToString(status.phase));
  if (!status.allocated.empty()) text += " " + status.allocated;
  return text + " (" + status.message + ")";
}

std::ostream& operator<<(std::ostream& out, const ClaimStatus& status) {
  return out << ToString(status);
}

}  // namespace gs::model
