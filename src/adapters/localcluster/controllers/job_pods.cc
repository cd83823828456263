#include "adapters/localcluster/controllers/job_pods.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <utility>

#include "adapters/localcluster/objects/metadata.h"
#include "adapters/localcluster/objects/pod_facts.h"
#include "base/parse.h"
#include "base/text.h"
#include "core/model/names.h"

namespace gs::localcluster {
namespace {

constexpr auto kFirstBackoff = std::chrono::seconds(10);
constexpr auto kMaxBackoff = std::chrono::minutes(6);
constexpr std::string_view kIndexVariable = "JOB_COMPLETION_INDEX";

// The API adds these to the template when it makes up the selector; a Job with a selector of its
// own has none of them there.
void AddLabels(Json& pod, const Json& job) {
  auto& labels = Make(pod, {"metadata", "labels"});
  if (Bool(job, {"spec", "manualSelector"})) return;
  const std::array<std::pair<std::string_view, std::string_view>, 4> all{
      {{"batch.kubernetes.io/job-name", NameOf(job)},
       {"job-name", NameOf(job)},
       {"batch.kubernetes.io/controller-uid", UidOf(job)},
       {"controller-uid", UidOf(job)}}};
  for (const auto& [name, value] : all) labels[name] = value;
}

void AddIndexVariable(Json& container) {
  const auto& variables = Items(container, {"env"});
  const bool is_there = std::any_of(variables.begin(), variables.end(), [](const Json& each) {
    return Text(each, {"name"}) == kIndexVariable;
  });
  if (is_there) return;
  boost::json::array env = variables;
  const std::string path = "metadata.labels['" + std::string(model::names::kCompletionIndex) + "']";
  env.push_back({{"name", kIndexVariable},
                 {"valueFrom",
                  boost::json::object{{"fieldRef", {{"apiVersion", "v1"}, {"fieldPath", path}}}}}});
  Make(container, {})["env"] = std::move(env);
}

void AddIndex(Json& pod, const Json& job, std::int64_t index) {
  const std::string number = std::to_string(index);
  Make(pod, {"metadata", "annotations"})[model::names::kCompletionIndex] = number;
  Make(pod, {"metadata", "labels"})[model::names::kCompletionIndex] = number;
  Make(pod, {"spec"})["hostname"] = std::string(NameOf(job)) + "-" + number;
  for (const auto* field : {"containers", "initContainers"}) {
    auto* containers = Make(pod, {"spec"}).if_contains(field);
    if (containers == nullptr || !containers->is_array()) continue;
    for (Json& container : containers->get_array()) AddIndexVariable(container);
  }
}

}  // namespace

bool IsIndexed(const Json& job) { return Text(job, {"spec", "completionMode"}) == "Indexed"; }

std::optional<std::int64_t> CompletionIndexOf(const Json& pod) {
  const auto index = ParseInt64(AnnotationOf(pod, model::names::kCompletionIndex), {.min = 0});
  if (!index) return std::nullopt;
  return *index;
}

std::string JobPodPrefix(const Json& job, std::optional<std::int64_t> index) {
  const std::string name(NameOf(job));
  return index ? name + "-" + std::to_string(*index) + "-" : name + "-";
}

Json JobPod(const Json& job, std::optional<std::int64_t> index) {
  Json pod = PodFromTemplate(job, Members(job, {"spec", "template"}));
  AddLabels(pod, job);
  if (index) AddIndex(pod, job, *index);
  boost::json::array finalizers = Items(pod, {"metadata", "finalizers"});
  if (!HasFinalizer(pod, kTrackingFinalizer)) finalizers.push_back(Json(kTrackingFinalizer));
  Make(pod, {"metadata"})["finalizers"] = std::move(finalizers);
  return pod;
}

std::set<std::int64_t> ParseIndexes(std::string_view text) {
  std::set<std::int64_t> indexes;
  constexpr IntegerRange kRange{.min = 0, .max = 1'000'000};
  for (const auto part : text::Split(text, ',')) {
    const auto dash = part.find('-');
    const auto first = ParseInt64(part.substr(0, dash), kRange);
    const auto last =
        dash == std::string_view::npos ? first : ParseInt64(part.substr(dash + 1), kRange);
    if (!first || !last) continue;
    for (std::int64_t index = *first; index <= *last; ++index) indexes.insert(index);
  }
  return indexes;
}

std::string PrintIndexes(const std::set<std::int64_t>& indexes) {
  std::string text;
  for (auto each = indexes.begin(); each != indexes.end();) {
    const std::int64_t first = *each;
    std::int64_t last = first;
    while (++each != indexes.end() && *each == last + 1) last = *each;
    if (!text.empty()) text += ",";
    text += std::to_string(first);
    // Two in a row are listed, more become a range.
    if (last > first) text += (last == first + 1 ? "," : "-") + std::to_string(last);
  }
  return text;
}

TimePoint FinishedAt(const Json& pod) {
  std::optional<TimePoint> latest;
  for (const Json& container : Items(pod, {"status", "containerStatuses"})) {
    const auto at = TimeAt(container, {"state", "terminated", "finishedAt"});
    if (at) latest = std::max(*at, latest.value_or(*at));
  }
  if (latest) return *latest;
  if (const auto deleted = TimeAt(pod, {"metadata", "deletionTimestamp"})) return *deleted;
  return CreatedAt(pod).value_or(TimePoint{});
}

std::optional<TimePoint> BackoffUntil(const std::vector<Json>& pods) {
  std::optional<TimePoint> last_success;
  for (const Json& pod : pods) {
    if (PhaseOf(pod) != "Succeeded") continue;
    last_success = std::max(FinishedAt(pod), last_success.value_or(FinishedAt(pod)));
  }
  std::int64_t failures = 0;
  TimePoint last_failure;
  for (const Json& pod : pods) {
    if (PhaseOf(pod) != "Failed" || FinishedAt(pod) <= last_success.value_or(TimePoint{})) continue;
    ++failures;
    last_failure = std::max(last_failure, FinishedAt(pod));
  }
  if (failures == 0) return std::nullopt;
  Duration wait = kFirstBackoff;
  for (std::int64_t i = 1; i < failures && wait < kMaxBackoff; ++i) wait *= 2;
  return last_failure + std::min<Duration>(wait, kMaxBackoff);
}

}  // namespace gs::localcluster
