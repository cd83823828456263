#include "core/model/pod.h"

#include <array>
#include <ostream>
#include <utility>

#include "base/parse.h"
#include "base/text.h"
#include "core/model/names.h"

namespace gs::model {
namespace {

constexpr std::array kPhases{
    std::pair{PodPhase::kPending, std::string_view("Pending")},
    std::pair{PodPhase::kRunning, std::string_view("Running")},
    std::pair{PodPhase::kSucceeded, std::string_view("Succeeded")},
    std::pair{PodPhase::kFailed, std::string_view("Failed")},
    std::pair{PodPhase::kUnknown, std::string_view("Unknown")},
};

constexpr std::array kStatuses{
    std::pair{ConditionStatus::kAbsent, std::string_view("absent")},
    std::pair{ConditionStatus::kTrue, std::string_view("True")},
    std::pair{ConditionStatus::kFalse, std::string_view("False")},
    std::pair{ConditionStatus::kUnknown, std::string_view("Unknown")},
};

std::optional<PodIndex> IndexFrom(std::string_view digits) {
  const auto number = ParseInt32(digits, {0, kInt32Range.max});
  if (!number) return std::nullopt;
  return PodIndex(*number);
}

std::optional<PodIndex> IndexUnder(const Labels& labels, std::string_view name) {
  const std::string* value = labels.Find(name);
  return value == nullptr ? std::nullopt : IndexFrom(*value);
}

std::optional<PodIndex> IndexFromName(const Pod& pod) {
  if (pod.controller && pod.controller->kind.text() != names::kStatefulSet) return std::nullopt;
  const std::string_view name = pod.ref.name.view();
  const auto dash = name.rfind('-');
  return dash == std::string_view::npos ? std::nullopt : IndexFrom(name.substr(dash + 1));
}

}  // namespace

std::string_view ToString(PodPhase phase) { return text::NameOf(kPhases, phase); }

std::optional<PodPhase> ParsePodPhase(std::string_view text) {
  return text::ValueOf(kPhases, text);
}

std::string_view ToString(ConditionStatus status) { return text::NameOf(kStatuses, status); }

std::optional<ConditionStatus> ParseConditionStatus(std::string_view text) {
  return text::ValueOf(kStatuses, text);
}

const std::string* FindAnnotation(const Pod& pod, std::string_view name) {
  return pod.annotations.Find(name);
}

PodIndex PodIndexOf(const Pod& pod) {
  if (const auto index = IndexUnder(pod.labels, names::kPodIndex)) return *index;
  if (const auto index = IndexUnder(pod.annotations, names::kCompletionIndex)) return *index;
  if (const auto index = IndexUnder(pod.labels, names::kCompletionIndex)) return *index;
  return IndexFromName(pod).value_or(PodIndex(0));
}

std::string ToString(const PodRef& ref) {
  return ref.name.empty() ? "pod " + ref.uid.text() : ref.ns.text() + "/" + ref.name.text();
}

std::ostream& operator<<(std::ostream& out, const PodRef& ref) { return out << ToString(ref); }

std::ostream& operator<<(std::ostream& out, const Pod& pod) {
  out << "pod " << pod.ref << " " << ToString(pod.phase);
  if (pod.is_bound()) out << " on " << pod.node;
  if (pod.is_terminating) out << ", terminating";
  for (const auto& field : pod.rules->unsupported) out << ", " << field << " is not supported";
  return out << ", requests " << pod.requests;
}

}  // namespace gs::model
