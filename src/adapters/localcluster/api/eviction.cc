#include "adapters/localcluster/api/eviction.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <vector>

#include "adapters/localcluster/api/delete_request.h"
#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/select/label_selector.h"
#include "adapters/localcluster/store/object_text.h"

namespace gs::localcluster {
namespace {

namespace json = boost::json;

constexpr const char* kBudgets = "poddisruptionbudgets.policy";

bool IsReady(const json::object& pod) {
  const auto* conditions = FindArray(pod, {"status", "conditions"});
  if (conditions == nullptr) return false;
  return std::any_of(conditions->begin(), conditions->end(), [](const json::value& condition) {
    return condition.is_object() && Text(condition.get_object(), {"type"}) == "Ready" &&
           Text(condition.get_object(), {"status"}) == "True";
  });
}

// Its going disrupts nobody.
bool IsIdle(const json::object& pod) {
  const auto phase = Text(pod, {"status", "phase"});
  return phase == "Pending" || phase == "Succeeded" || phase == "Failed" ||
         !Text(pod, {"metadata", "deletionTimestamp"}).empty();
}

std::vector<std::string> BudgetsOf(const Store& store, const std::string& ns,
                                   const json::object& pod) {
  std::vector<std::string> names;
  for (const auto& object : store.List(kBudgets, ns).objects) {
    const auto budget = ParseStored(object->text);
    const auto selector = LabelSelector::FromObject(Find(budget, {"spec", "selector"}));
    if (selector && selector->MatchesObject(Find(pod, {"metadata", "labels"}))) {
      names.push_back(object->name);
    }
  }
  return names;
}

Status TwoBudgets() {
  Status status;
  status.message =
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not "
      "support.";
  return status;
}

Status WouldViolate(std::string why, int retry_after_seconds) {
  Status status = BadRequest("Cannot evict pod as it would violate the pod's disruption budget.");
  status.code = 429;
  status.reason = "TooManyRequests";
  status.causes.push_back({.reason = "DisruptionBudget", .message = std::move(why), .field = ""});
  status.retry_after_seconds = retry_after_seconds;
  return status;
}

// A pod that is not ready is no loss for a budget that is met without it.
bool IsSpared(const json::object& budget, const json::object& pod) {
  if (IsReady(pod)) return false;
  if (Text(budget, {"spec", "unhealthyPodEvictionPolicy"}) == "AlwaysAllow") return true;
  const auto desired = Int(budget, {"status", "desiredHealthy"});
  return desired > 0 && Int(budget, {"status", "currentHealthy"}) >= desired;
}

Verdict TakeDisruption(json::object& budget, const std::string& pod, TimePoint now) {
  const std::string name(Text(budget, {"metadata", "name"}));
  auto& status = Make(budget, {"status"});
  const auto seen = Int(status, {"observedGeneration"});
  if (seen < Int(budget, {"metadata", "generation"})) {
    constexpr int kRetrySeconds = 10;
    return WouldViolate(
        "The disruption budget " + name + " is still being processed by the server.",
        kRetrySeconds);
  }
  const auto allowed = Int(status, {"disruptionsAllowed"});
  if (allowed <= 0) {
    const auto count = [&](std::string_view field) { return std::to_string(Int(status, {field})); };
    return WouldViolate("The disruption budget " + name + " needs " + count("desiredHealthy") +
                            " healthy pods and has " + count("currentHealthy") + " currently",
                        0);
  }
  status["disruptionsAllowed"] = allowed - 1;
  Make(status, {"disruptedPods"})[pod] = PrintTime(now);
  return std::nullopt;
}

Verdict AskBudgets(Objects& objects, const std::string& ns, const json::object& pod,
                   const WriteOptions& options) {
  const auto budgets = BudgetsOf(objects.store(), ns, pod);
  if (budgets.empty()) return std::nullopt;
  if (budgets.size() > 1) return TwoBudgets();
  const std::string name(Text(pod, {"metadata", "name"}));
  const auto edit = [&](json::object& budget) -> Verdict {
    if (IsSpared(budget, pod)) return std::nullopt;
    return TakeDisruption(budget, name, objects.clock().WallTime());
  };
  const auto written = objects.Change(*objects.kinds().Find(kBudgets), ns, budgets.front(), edit,
                                      Part::kStatus, options);
  // A budget that has just gone asks for nothing.
  if (written || written.status().code == 404) return std::nullopt;
  return written.status();
}

}  // namespace

Verdict EvictPod(Objects& objects, const std::string& ns, const std::string& pod,
                 const json::object& eviction, const User& user) {
  const auto* given = FindObject(eviction, {"deleteOptions"});
  auto options =
      given == nullptr ? Answer<DeleteOptions>(DeleteOptions()) : ReadDeleteOptions(*given);
  if (!options) return options.status();
  options->user = user;
  const auto kind = objects.kinds().Find("pods");
  const auto found = objects.Get(*kind, ns, pod);
  if (!found) return found.status();
  const auto object = ParseStored((*found)->text);
  if (!IsIdle(object)) {
    const WriteOptions write{.user = user, .is_dry_run = options->is_dry_run, .subresource = ""};
    if (auto refusal = AskBudgets(objects, ns, object, write)) return refusal;
  }
  const auto deleted = objects.Delete(*kind, ns, pod, *options);
  if (!deleted) return deleted.status();
  return std::nullopt;
}

}  // namespace gs::localcluster
