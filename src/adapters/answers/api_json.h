// What /api/v1 answers, as JSON. docs/api.md describes it.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "core/explain/claim_report.h"
#include "core/explain/gpu_report.h"
#include "core/explain/pod_report.h"
#include "core/model/link.h"

namespace gs::answers {

// Which answer this is, and what it holds for.
struct ApiMoment {
  TimePoint time;
  // Of a scheduler that answers; absent: nobody's but the answer's own.
  std::optional<bool> is_leading = std::nullopt;
  std::optional<bool> is_synced = std::nullopt;
};

[[nodiscard]] boost::json::object ToJson(const explain::NodeReport& node);
[[nodiscard]] boost::json::object ToJson(const explain::PodReport& pod);
[[nodiscard]] boost::json::object ToJson(const explain::ClaimReport& claim);

// One node, its GPUs with their links to each other.
[[nodiscard]] boost::json::object NodeJson(const ApiMoment& moment, const explain::NodeReport& node,
                                           const model::LinkMatrix& links);

// The beginning of every answer.
[[nodiscard]] boost::json::object ApiHead(std::string_view kind, const ApiMoment& moment);
// An answer that is none: why, and what there is.
[[nodiscard]] std::string ApiRefusal(int status, std::string_view message, TimePoint now);

template <class Report>
[[nodiscard]] boost::json::object ApiList(std::string_view kind, const ApiMoment& moment,
                                          const std::vector<Report>& reports) {
  boost::json::object list = ApiHead(kind, moment);
  boost::json::array items;
  items.reserve(reports.size());
  for (const Report& report : reports) items.push_back(ToJson(report));
  list["items"] = std::move(items);
  return list;
}

}  // namespace gs::answers
