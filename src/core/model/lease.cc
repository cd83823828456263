#include "core/model/lease.h"

#include <ostream>
#include <utility>

#include "base/dns_name.h"
#include "base/stable_hash.h"
#include "base/text.h"

namespace gs::model {
namespace {

// A name that is too long, cut so that it stays a legal name with the hash behind it.
std::string Shortened(const std::string& name) {
  const std::string hash = StableHashHex(name);
  std::string head = name.substr(0, kMaxDnsSubdomain - hash.size() - 1);
  head.erase(head.find_last_not_of("-.") + 1);
  return head + "-" + hash;
}

}  // namespace

LeaseName LeaseNameOf(const NodeName& node, GpuId gpu) {
  constexpr std::size_t kAround = 16;  // the node's own name
  std::string name;
  name.reserve(node.text().size() + kAround);
  name.append("gpu-").append(text::ToLower(node.text())).append("-");
  name.append(std::to_string(gpu.number()));
  return LeaseName(name.size() > kMaxDnsSubdomain ? Shortened(name) : std::move(name));
}

std::ostream& operator<<(std::ostream& out, const GpuLease& lease) {
  out << "lease " << lease.name << " " << ToString(lease.mode) << " held by ";
  return out << text::Join(lease.holders, ", ",
                           [](const LeaseHolder& holder) { return ToString(holder.pod); });
}

}  // namespace gs::model
