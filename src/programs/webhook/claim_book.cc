#include "programs/webhook/claim_book.h"

#include <variant>

namespace gs::webhook {

void ClaimBook::Note(const std::vector<model::Event>& events) {
  const runtime::MutexLock lock(mutex_);
  for (const model::Event& event : events) {
    if (const auto* seen = std::get_if<model::ClaimSeen>(&event)) {
      claims_[{seen->claim.ns, seen->claim.name}] = seen->claim.devices.exclusivity;
    } else if (const auto* gone = std::get_if<model::ClaimGone>(&event)) {
      claims_.erase({gone->ns, gone->name});
    }
  }
}

std::optional<model::Exclusivity> ClaimBook::Find(const Namespace& ns,
                                                  const ClaimName& name) const {
  const runtime::MutexLock lock(mutex_);
  const auto found = claims_.find({ns, name});
  if (found == claims_.end()) return std::nullopt;
  return found->second;
}

}  // namespace gs::webhook
