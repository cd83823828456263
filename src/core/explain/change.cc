#include "core/explain/change.h"

#include <array>
#include <ostream>

#include "base/quantity.h"

namespace gs::explain {
namespace {

std::string OnNode(const NodeName& node) { return "on " + node.text(); }

std::string Gpus(std::int64_t count) {
  return std::to_string(count) + (count == 1 ? " GPU" : " GPUs");
}

std::string Amount(const AsksLess& less) {
  if (less.resource == "cpu") return ToString(Quantity::OfMilli(less.less)) + " CPU";
  if (less.resource != "memory") return std::to_string(less.less) + " " + less.resource;
  return ToString(Quantity::OfUnits(less.less, Quantity::Format::kBinary)) + " memory";
}

struct Teller {
  std::string operator()(const CountsAgree& change) const {
    return OnNode(change.node) + " if its containers asked for " + std::to_string(change.gpus) +
           " " + change.resource;
  }
  std::string operator()(const ClaimComes& change) const {
    return OnNode(change.node) + " if there were a GpuClaim " + change.claim.text() + " for " +
           Gpus(change.gpus);
  }
  std::string operator()(const PrefersTopology& change) const {
    const std::string cost = change.asked_gbps > 0
                                 ? std::to_string(change.given_gbps) + " instead of " +
                                       std::to_string(change.asked_gbps) + " GB/s"
                                 : std::to_string(change.islands) + " islands instead of 1";
    return "now with topology.mode=Preferred (" + cost + ")";
  }
  std::string operator()(const PodEnds& change) const {
    std::string text = "when " + ToString(change.pod) + " on " + change.node.text() + " ends";
    if (change.is_sibling) {
      text +=
          "; both are of one StatefulSet, which waits for this pod: delete " + ToString(change.pod);
    }
    return text;
  }
  std::string operator()(const GpuHeals& change) const {
    return "if GPU " + std::to_string(change.gpu.number()) + " of " + change.node.text() +
           " were healthy";
  }
  std::string operator()(const ReservationEnds& change) const {
    return OnNode(change.node) + " when " + ToString(change.pod) + " no longer waits";
  }
  std::string operator()(const ToleratesTaint& change) const {
    const std::string value = change.taint.value.empty() ? "" : "=" + change.taint.value;
    return OnNode(change.node) + " if it tolerated " + change.taint.key + value;
  }
  std::string operator()(const IsUncordoned& change) const {
    return "if " + change.node.text() + " were not cordoned";
  }
  std::string operator()(const DropsSelector& change) const {
    return OnNode(change.node) + " if its nodeSelector did not ask for " + change.name + "=" +
           change.value;
  }
  std::string operator()(const DropsAffinity& change) const {
    return OnNode(change.node) + " without its required node affinity";
  }
  std::string operator()(const DropsClaimLabel& change) const {
    return OnNode(change.node) + " if claim " + change.claim.text() + " did not ask for " +
           change.name + "=" + change.value;
  }
  std::string operator()(const AsksLess& change) const {
    return OnNode(change.node) + " with " + Amount(change) + " less";
  }
  std::string operator()(const AsksFewerGpus& change) const {
    return OnNode(change.node) + " with " + Gpus(change.gpus) + " instead of " +
           std::to_string(change.instead_of);
  }
};

constexpr std::array<std::string_view, std::variant_size_v<Change>> kNames{
    "CountsAgree",     "ClaimComes",     "PrefersTopology", "PodEnds",       "GpuHeals",
    "ReservationEnds", "ToleratesTaint", "IsUncordoned",    "DropsSelector", "DropsAffinity",
    "DropsClaimLabel", "AsksLess",       "AsksFewerGpus"};

}  // namespace

std::string_view NameOf(const Change& change) { return kNames.at(change.index()); }

const NodeName& NodeOf(const Change& change) {
  return std::visit([](const auto& each) -> const NodeName& { return each.node; }, change);
}

std::string ToString(const Change& change) { return std::visit(Teller(), change); }

std::ostream& operator<<(std::ostream& out, const Change& change) {
  return out << ToString(change);
}

}  // namespace gs::explain
