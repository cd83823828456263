// The lock of one GPU: a Lease whose name collides for the same GPU, whoever asks for it.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "base/ids.h"
#include "core/model/allocation.h"
#include "core/model/pod.h"

namespace gs::model {

// A pod that the lock stands for.
struct LeaseHolder {
  PodRef pod;
  std::vector<GpuId> plan;  // every GPU of this node that the pod is to get, this one included
  AttemptId attempt;        // which try to commit the pod wrote it

  friend bool operator==(const LeaseHolder&, const LeaseHolder&) = default;
};

struct GpuLease {
  LeaseName name;
  LeaseUid uid;                      // empty until the API server has stored it
  ResourceVersion resource_version;  // likewise
  NodeName node;
  GpuId gpu;
  SchedulerName scheduler;
  AllocationMode mode = AllocationMode::kExclusive;
  ControllerUid controller;          // with kMap: whose pods may join
  std::vector<LeaseHolder> holders;  // one, unless mode lets others join

  friend bool operator==(const GpuLease&, const GpuLease&) = default;
};

// `gpu-<node>-<id>` in lower case. Past the 253 characters of a Kubernetes name the end gives way
// to a hash of the whole, which is the same in every process and version. A whole name never equals
// a cut one: an id has at most five digits, a hash sixteen.
[[nodiscard]] LeaseName LeaseNameOf(const NodeName& node, GpuId gpu);

std::ostream& operator<<(std::ostream& out, const GpuLease& lease);

}  // namespace gs::model
