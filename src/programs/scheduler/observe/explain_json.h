// What /api/v1/explain and /api/v1/place answer, as JSON. docs/api.md describes it.
#pragma once

#include <boost/json/object.hpp>
#include <optional>

#include "core/decide/keep.h"
#include "core/explain/dry_run.h"
#include "core/explain/explanation.h"
#include "core/explain/pod_report.h"
#include "programs/scheduler/observe/api_json.h"

namespace gs::scheduler {

// One pod, and why it is not where it wants to be.
struct PodExplanation {
  explain::PodReport pod;
  std::optional<explain::Explanation> explanation;  // of a pod that waits
  std::optional<decide::Reservation> reservation;   // whoever it is for
};

[[nodiscard]] boost::json::object ExplanationJson(const ApiMoment& moment,
                                                  const PodExplanation& explanation);
[[nodiscard]] boost::json::object DryRunJson(const ApiMoment& moment, const explain::DryRun& run);

}  // namespace gs::scheduler
