#include "core/decide/devices/choice.h"

#include <ostream>

#include "base/gpu_ids.h"

namespace gs::devices {
namespace {

std::string Gpus(std::int32_t count) {
  return std::to_string(count) + (count == 1 ? " GPU" : " GPUs");
}

std::string Named(const std::vector<GpuId>& ids) {
  return (ids.size() == 1 ? "GPU " : "GPUs ") + PrintGpuIds(ids);
}

std::string Pairs(std::int32_t bandwidth_gbps) {
  return bandwidth_gbps > 0 ? " with every pair at " + std::to_string(bandwidth_gbps) + " GB/s"
                            : std::string();
}

std::string FreeText(const Miss& miss) {
  std::string text = std::to_string(miss.available) + " of the node's " +
                     std::to_string(miss.node_has) + " can be given";
  if (miss.unhealthy > 0) text += ", " + std::to_string(miss.unhealthy) + " are unhealthy";
  return text;
}

std::string RequiredText(const Miss& miss) {
  std::string text = "asked for " + Gpus(miss.asked) + " in one NVLink or xGMI island" +
                     Pairs(miss.asked_bandwidth_gbps) + "; ";
  text += miss.largest_fit.empty()
              ? "no free GPU satisfies that"
              : "the largest free set that satisfies it is " + Named(miss.largest_fit);
  if (miss.reason == MissReason::kBandwidthTooLow && miss.best_bandwidth_gbps > 0) {
    text += "; " + Gpus(miss.asked) + " in one island reach " +
            std::to_string(miss.best_bandwidth_gbps) + " GB/s";
  }
  if (!miss.if_preferred.empty()) {
    text += "; topology mode Preferred would give " + Named(miss.if_preferred) + " now";
  }
  return text;
}

}  // namespace

std::string ToString(const Miss& miss) {
  switch (miss.reason) {
    case MissReason::kBadRequest: return "the count and the share cap must be at least 1";
    case MissReason::kMoreThanNodeHas:
      return "asked for " + Gpus(miss.asked) + ", the node has " + std::to_string(miss.node_has);
    case MissReason::kNotEnoughFree: return "asked for " + Gpus(miss.asked) + ", " + FreeText(miss);
    case MissReason::kMustIncludeUnknown: return "the node has no " + Named(miss.offending);
    case MissReason::kMustIncludeTaken:
      return Named(miss.offending) + (miss.offending.size() == 1 ? " is" : " are") +
             " held by others or unhealthy";
    case MissReason::kMustIncludeTooMany:
      return "more GPUs are named than the " + std::to_string(miss.asked) + " asked for";
    case MissReason::kMustIncludeApart:
      return Named(miss.offending) + " cannot be in such a set: " + RequiredText(miss);
    case MissReason::kIslandTooSmall:
    case MissReason::kBandwidthTooLow: return RequiredText(miss);
  }
  return "no set";
}

std::ostream& operator<<(std::ostream& out, const Choice& choice) {
  return out << "GPUs " << PrintGpuIds(choice.ids) << " (islands " << choice.islands
             << ", partition " << choice.partition_score << ", set " << choice.set_score
             << ", runs " << choice.runs << ", span " << choice.span << ", GB/s "
             << choice.min_bandwidth_gbps << (choice.is_exact ? ")" : ", bounded)");
}

std::ostream& operator<<(std::ostream& out, const Miss& miss) { return out << ToString(miss); }

}  // namespace gs::devices
