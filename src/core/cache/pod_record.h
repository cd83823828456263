// PodRecord: a pod as it was seen, what this process adds to it, and what it takes from its node.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/shared.h"
#include "core/cache/holders.h"
#include "core/model/allocation.h"
#include "core/model/gpu_resource.h"
#include "core/model/pod.h"
#include "core/model/resources.h"

namespace gs::cache {

// A decision of ours that is not seen bound yet.
struct Assumption {
  NodeName node;
  std::optional<model::Allocation> allocation;
};

struct PodRecord {
  model::Pod pod;
  // The first result seen on the bound pod; null: none, as of most pods of a cluster.
  Shared<model::Allocation> kept;
  bool has_bound = false;  // was seen bound, so that `kept` is final
  bool is_edit_told = false;
  TimePoint bound_at;  // as its condition said when it was first seen bound, else its creation
  Shared<Assumption> assumed;
};

// The node that it is on, or will be if our decision holds; empty: none.
[[nodiscard]] const NodeName& PlaceOf(const PodRecord& record);

// What a pod takes from its node; nothing where `node` is empty.
struct Footprint {
  NodeName node{};
  model::Resources requests{};
  std::vector<model::HostPort> host_ports{};
  std::optional<model::Allocation> allocation{};
  Evidence evidence = Evidence::kBound;

  [[nodiscard]] bool is_counted() const { return model::HasGpuResource(requests); }
  [[nodiscard]] bool is_direct() const { return allocation.has_value() && !is_counted(); }

  friend bool operator==(const Footprint&, const Footprint&) = default;
};

// A terminal pod takes nothing; one that is being deleted still does.
[[nodiscard]] Footprint FootprintOf(const PodRecord& record);
// What a bound pod takes, terminal or not.
[[nodiscard]] Footprint BoundFootprintOf(const PodRecord& record);

}  // namespace gs::cache
