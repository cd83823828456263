// What /api/v1/explain and /api/v1/place answer, as JSON. docs/api.md describes it.
#pragma once

#include <boost/json/object.hpp>

#include "adapters/answers/api_json.h"
#include "adapters/answers/pod_explanation.h"
#include "core/explain/dry_run.h"

namespace gs::answers {

[[nodiscard]] boost::json::object ReservationJson(const decide::Reservation& reservation);
[[nodiscard]] boost::json::object ExplanationJson(const ApiMoment& moment,
                                                  const PodExplanation& explanation);
[[nodiscard]] boost::json::object DryRunJson(const ApiMoment& moment, const explain::DryRun& run);

}  // namespace gs::answers
