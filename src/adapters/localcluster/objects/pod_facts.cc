#include "adapters/localcluster/objects/pod_facts.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <vector>

#include "adapters/localcluster/objects/conditions.h"
#include "adapters/localcluster/objects/metadata.h"
#include "base/stable_hash.h"

namespace gs::localcluster {
namespace {

// Neither vowels nor digits that look like one: no words can come of them.
constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";

std::string InLetters(std::uint64_t hash, int length) {
  std::string text;
  for (int i = 0; i < length; ++i, hash /= kLetters.size())
    text += kLetters[hash % kLetters.size()];
  return text;
}

// Members by name, so that the hash does not depend on the order in which they were written.
Json Sorted(const Json& value) {
  if (const auto* items = value.if_array()) {
    boost::json::array sorted;
    for (const Json& each : *items) sorted.push_back(Sorted(each));
    return sorted;
  }
  const auto* members = value.if_object();
  if (members == nullptr) return value;
  std::vector<std::string_view> keys;
  for (const auto& each : *members) keys.push_back(each.key());
  std::sort(keys.begin(), keys.end());
  boost::json::object sorted;
  for (const auto key : keys) sorted[key] = Sorted(members->at(key));
  return sorted;
}

Json StatusOf(const Json& pod) {
  const Json* status = Find(pod, {"status"});
  return status == nullptr ? Json() : *status;
}

}  // namespace

std::string_view PhaseOf(const Json& pod) { return Text(pod, {"status", "phase"}, "Pending"); }

bool IsFinished(const Json& pod) { return PhaseOf(pod) == "Succeeded" || PhaseOf(pod) == "Failed"; }

bool IsActive(const Json& pod) { return !IsFinished(pod) && !IsBeingDeleted(pod); }

bool IsReady(const Json& pod) { return IsTrue(StatusOf(pod), "Ready"); }

std::optional<TimePoint> ReadySince(const Json& pod) {
  if (!IsReady(pod)) return std::nullopt;
  return TimeAt(*FindCondition(pod.at("status"), "Ready"), {"lastTransitionTime"})
      .value_or(TimePoint{});
}

std::optional<TimePoint> AvailableFrom(const Json& pod, std::int64_t min_ready) {
  const auto since = ReadySince(pod);
  if (!since) return std::nullopt;
  return *since + std::chrono::seconds(min_ready);
}

Json PodFromTemplate(const Json& owner, const Json& pod_template) {
  Json pod{{"apiVersion", "v1"}, {"kind", "Pod"}};
  auto& metadata = Make(pod, {"metadata"});
  metadata["namespace"] = NamespaceOf(owner);
  for (const auto* field : {"labels", "annotations", "finalizers"}) {
    if (const Json* copied = Find(pod_template, {"metadata", field})) metadata[field] = *copied;
  }
  metadata["ownerReferences"] = boost::json::array{ControllerReference(owner)};
  pod.get_object()["spec"] = Members(pod_template, {"spec"});
  return pod;
}

std::string TemplateHash(const Json& pod_template, std::int64_t salt) {
  std::string text = boost::json::serialize(Sorted(pod_template));
  if (salt != 0) text += std::to_string(salt);
  return InLetters(StableHash(text), 10);
}

std::string NameWithSuffix(std::string_view prefix, std::string_view seed) {
  constexpr std::size_t kMaxPrefix = 58;  // a host name has 63 letters
  return std::string(prefix.substr(0, kMaxPrefix)) + InLetters(StableHash(seed), 5);
}

void NamePod(Json& pod, const std::string& prefix, TimePoint now, std::int64_t number) {
  const Json* owner = ControllerOf(pod);
  std::string seed(owner == nullptr ? "" : Text(*owner, {"uid"}));
  seed += "/" + std::to_string(now.time_since_epoch().count()) + "/" + std::to_string(number);
  Make(pod, {"metadata"})["generateName"] = prefix;
  Make(pod, {"metadata"})["name"] = NameWithSuffix(prefix, seed);
}

}  // namespace gs::localcluster
