// Whether a node takes a pod that was bound to it. A scheduler should have asked first; one that
// did not, or was too late, gets the answers of a real kubelet.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/model/resource_sum.h"
#include "core/model/resources.h"

namespace gs::localcluster {

struct NodeRoom {
  model::Resources allocatable;
  std::int64_t allocatable_pods = 0;
  model::ResourceSum used;
  std::int64_t used_pods = 0;
};

struct Refusal {
  std::string reason;  // OutOfcpu, UnexpectedAdmissionError, ...
  std::string message;

  friend bool operator==(const Refusal&, const Refusal&) = default;
};

[[nodiscard]] std::optional<Refusal> RefuseAdmission(const model::Resources& asked,
                                                     const NodeRoom& room);

}  // namespace gs::localcluster
