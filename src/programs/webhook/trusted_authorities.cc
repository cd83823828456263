#include "programs/webhook/trusted_authorities.h"

#include <algorithm>
#include <vector>

#include "adapters/certificates/inspect.h"

namespace gs::webhook {
namespace {

using certificates::SplitBundle;

// Those of `from` that are not in `other`, each once.
std::string Without(const std::vector<std::string>& from, std::vector<std::string> other) {
  std::string left;
  for (const auto& authority : from) {
    if (std::find(other.begin(), other.end(), authority) != other.end()) continue;
    left += authority;
    other.push_back(authority);
  }
  return left;
}

}  // namespace

std::string JoinBundles(const std::string& first_pem, const std::string& second_pem) {
  const auto first = SplitBundle(first_pem);
  return Without(first, {}) + Without(SplitBundle(second_pem), first);
}

std::string TrustedAuthorities::Next(const std::string& present_pem, const std::string& wanted_pem,
                                     TimePoint now) {
  const auto present = SplitBundle(present_pem);
  const auto wanted = SplitBundle(wanted_pem);
  const std::string others = Without(present, wanted);
  if (others != others_pem_) {
    others_pem_ = others;
    others_since_ = now;
  }
  const bool have_others_to_go = !others.empty() && now - others_since_ >= overlap_;
  if (Without(wanted, present).empty() && !have_others_to_go) return present_pem;
  return (have_others_to_go ? "" : others) + Without(wanted, {});
}

}  // namespace gs::webhook
