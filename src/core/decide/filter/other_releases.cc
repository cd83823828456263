#include "core/decide/filter/other_releases.h"

#include <algorithm>
#include <string>

namespace gs::filter {
namespace {

std::string NameOf(const cache::OthersPod& other) {
  return other.scheduler.empty() ? "another release" : "release " + other.scheduler.text();
}

}  // namespace

std::optional<model::Reason> RefusedByOthers(Wants wants, const cache::NodeView& view) {
  if (wants == Wants::kNoGpus) return std::nullopt;
  const auto& others = view.others_pods;
  const auto other = std::find_if(others.begin(), others.end(), [wants](const auto& each) {
    return wants == Wants::kCounted || each.is_counted;
  });
  if (other == others.end()) return std::nullopt;
  return model::Reason{model::ReasonToken::kGpuHeld,
                       NameOf(*other) + " is binding " + ToString(other->pod) +
                           " there, and which GPUs a device plugin gives is not known before"};
}

}  // namespace gs::filter
