// What the agent of a node publishes about its GPUs: the status of a GpuNodeStatus as a value.
#pragma once

#include <string>

#include "base/time.h"
#include "core/model/device.h"

namespace gs::model {

// What a report says besides the GPUs themselves.
struct ReportNotes {
  std::string driver_version;
  TimePoint observed_at{};  // when the GPUs were last read
  // Why they cannot be read now, so that the report is what was seen last; empty: they can.
  std::string why_stale;
  TimePoint since{};  // when that became so, or ceased to be

  friend bool operator==(const ReportNotes&, const ReportNotes&) = default;
};

struct NodeReport {
  Machine machine;
  ReportNotes notes;

  friend bool operator==(const NodeReport&, const NodeReport&) = default;
};

}  // namespace gs::model
