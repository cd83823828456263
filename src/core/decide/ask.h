// Ask: what a pod wants in GPUs, put together from its annotations, its claim and its requests.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "core/cache/cache.h"
#include "core/decide/devices/choice.h"
#include "core/decide/filter/handover.h"
#include "core/model/labels.h"
#include "core/model/pod.h"
#include "core/model/reason.h"

namespace gs::decide {

struct NoGpus {
  friend bool operator==(const NoGpus&, const NoGpus&) = default;
};

// The user names node and GPUs.
struct NamedGpus {
  NodeName node;  // as written: a node's name, or the value of a label
  std::vector<GpuId> ids;
  friend bool operator==(const NamedGpus&, const NamedGpus&) = default;
};

// So many, of this kind, wherever they are.
struct CountedGpus {
  devices::Request request;
  ClaimName claim;                  // empty: the pod's own request
  model::Labels match_labels;       // of the node
  bool prefers_one_island = false;  // a written topology block of mode Preferred
  std::int32_t preferred_bandwidth_gbps = 0;
  friend bool operator==(const CountedGpus&, const CountedGpus&) = default;
};

struct Ask {
  std::variant<NoGpus, NamedGpus, CountedGpus> gpus;  // NoGpus also with parts of GPUs
  filter::Wants wants = filter::Wants::kNoGpus;
  friend bool operator==(const Ask&, const Ask&) = default;
};

struct AskOptions {
  std::int32_t share_cap = 4;
  // GPU pods whose containers are not told their GPUs wait: the webhook is installed, and has not
  // seen them.
  bool needs_variable = false;
};

// What the pod asks for, or why nobody can tell.
[[nodiscard]] std::variant<Ask, model::Reason> AskOf(const model::Pod& pod,
                                                     const cache::Cache& cache,
                                                     const AskOptions& options);
// The same for a pod that names this claim, whether or not the claim is there.
[[nodiscard]] std::variant<Ask, model::Reason> AskOfClaim(const model::Pod& pod,
                                                          const model::Claim& claim,
                                                          const AskOptions& options);
// How many GPUs it is about.
[[nodiscard]] std::int64_t SizeOf(const Ask& ask);

}  // namespace gs::decide
