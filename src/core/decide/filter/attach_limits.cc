#include "core/decide/filter/attach_limits.h"

#include <map>
#include <set>
#include <string>

#include "core/decide/filter/volume_claims.h"

namespace gs::filter {
namespace {

using Handles = std::set<std::string>;

// What the pod needs attached, by driver.
std::map<std::string, Handles> NeedsOf(const model::Pod& pod, const cache::Storage& storage) {
  std::map<std::string, Handles> needs;
  const auto add = [&needs](const std::optional<cache::Attachment>& attachment) {
    if (attachment) needs[attachment->driver].insert(attachment->handle);
  };
  for (const auto& claim : ClaimsOf(pod)) add(storage.AttachmentOf(claim));
  for (const auto& disk : pod.ties->disks) add(cache::AttachmentOf(disk));
  return needs;
}

}  // namespace

std::optional<model::Reason> RefusedByAttachLimit(const model::Pod& pod, const NodeName& node,
                                                  const cache::Storage& storage) {
  const model::NodeDrivers* drivers = storage.FindNodeDrivers(node);
  if (drivers == nullptr) return std::nullopt;
  for (const auto& [driver, handles] : NeedsOf(pod, storage)) {
    const auto limit = drivers->limits.find(driver);
    if (limit == drivers->limits.end() || !limit->second) continue;
    const Handles there = storage.HandlesOn(node, driver);
    const std::size_t used = there.size();
    std::size_t more = 0;
    for (const std::string& handle : handles) more += there.contains(handle) ? 0U : 1U;
    if (more == 0 || used + more <= static_cast<std::size_t>(*limit->second)) continue;
    return model::Reason{model::ReasonToken::kTooFewResources,
                         "no more than " + std::to_string(*limit->second) + " volumes of " +
                             driver + " can be attached: " + std::to_string(used) +
                             " are, and the pod needs " + std::to_string(more) + " more"};
  }
  return std::nullopt;
}

}  // namespace gs::filter
