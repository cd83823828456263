// Fleet: what the dashboard shows of one moment: every node with GPUs, the pods that are not bound,
// what is kept for one of them, and which sets of GPUs could be given out. Kept as JSON text by
// node and by pod, so that what has changed from one moment to the next is found by comparing.
// docs/api.md describes the texts.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "adapters/answers/api_json.h"
#include "core/cycle/cycle.h"
#include "core/decide/keep.h"
#include "core/decide/score/placeable.h"
#include "core/explain/gpu_report.h"
#include "core/explain/placeable_sets.h"
#include "core/explain/pod_report.h"

namespace gs::scheduler {

// Copied on the cycle's thread.
struct FleetReport {
  answers::ApiMoment moment;
  std::vector<explain::NodeReport> nodes;
  std::vector<explain::PodReport> pods;  // that are not bound
  std::optional<decide::Reservation> reservation;
  score::SetCounts placeable;
};

// `sets` are those of the cycle's cache, brought up to date.
[[nodiscard]] FleetReport ReportFleet(const cycle::Cycle& cycle, explain::PlaceableSets& sets,
                                      TimePoint now);

struct Fleet {
  answers::ApiMoment moment;
  std::map<std::string, std::string> nodes;  // by name
  std::map<std::string, std::string> pods;   // by UID
  std::string reservation;                   // "null": none
  std::string placeable;
};

[[nodiscard]] Fleet PrintFleet(const FleetReport& report);

// All of it, and only what is different. One line each, without an end of line.
[[nodiscard]] std::string WholeFleet(const Fleet& fleet);
[[nodiscard]] std::string FleetChange(const Fleet& before, const Fleet& after);

}  // namespace gs::scheduler
