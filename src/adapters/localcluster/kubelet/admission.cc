#include "adapters/localcluster/kubelet/admission.h"

#include <algorithm>

#include "core/model/names.h"

namespace gs::localcluster {
namespace {

struct Amount {
  std::string name;
  std::int64_t asked = 0;
  std::int64_t used = 0;
  std::int64_t allocatable = 0;
};

std::optional<Refusal> TooMuch(const Amount& amount) {
  if (amount.asked == 0 || amount.asked <= amount.allocatable - amount.used) return std::nullopt;
  return Refusal{"OutOf" + amount.name, "Node didn't have enough resource: " + amount.name +
                                            ", requested: " + std::to_string(amount.asked) +
                                            ", used: " + std::to_string(amount.used) +
                                            ", capacity: " + std::to_string(amount.allocatable)};
}

// GPUs are handed out by a device plugin, whose shortage a kubelet does not expect.
std::optional<Refusal> TooManyGpus(const model::Resources& asked, const NodeRoom& room) {
  const std::int64_t available = std::max<std::int64_t>(0, room.allocatable.gpus - room.used.gpus);
  if (asked.gpus <= available) return std::nullopt;
  return Refusal{"UnexpectedAdmissionError",
                 "Allocate failed due to requested number of devices unavailable for " +
                     std::string(model::names::kGpuResource) +
                     ". Requested: " + std::to_string(asked.gpus) +
                     ", Available: " + std::to_string(available) + ", which is unexpected"};
}

}  // namespace

std::optional<Refusal> RefuseAdmission(const model::Resources& asked, const NodeRoom& room) {
  if (auto refusal = TooManyGpus(asked, room)) return refusal;
  const auto& [allocatable, pods, used, used_pods] = room;
  if (auto refusal = TooMuch({"pods", 1, used_pods, pods})) return refusal;
  if (auto refusal = TooMuch({"cpu", asked.cpu_milli, used.cpu_milli, allocatable.cpu_milli})) {
    return refusal;
  }
  if (auto refusal =
          TooMuch({"memory", asked.memory_bytes, used.memory_bytes, allocatable.memory_bytes})) {
    return refusal;
  }
  for (const auto& [name, amount] : asked.others) {
    if (auto refusal = TooMuch({name, amount, used.Other(name), allocatable.others.Of(name)})) {
      return refusal;
    }
  }
  return std::nullopt;
}

}  // namespace gs::localcluster
