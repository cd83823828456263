#include <algorithm>

#include "adapters/json/object_reader.h"
#include "adapters/localcluster/select/label_rules.h"
#include "adapters/machinesets/settings_file.h"
#include "base/parse.h"
#include "base/text.h"
#include "core/model/taint_text.h"

namespace gs::machinesets {
namespace {

Error NoValue(std::string_view text, const std::string& what, const std::string& advice) {
  return Error(ErrorKind::kInvalid, json::Quoted(text) + " is no " + what).Advise(advice);
}

}  // namespace

Result<Autoscale> ParseAutoscale(std::string_view text) {
  const Error refusal = NoValue(text, "range", "write min:max, like 0:4, with at least 1 as max");
  const auto parts = text::Split(text, ':');
  if (parts.size() != 2) return refusal;
  const auto min = ParseInt32(parts[0], {0, kMaxReplicas});
  const auto max = ParseInt32(parts[1], {1, kMaxReplicas});
  if (!min || !max || *min > *max) return refusal;
  return Autoscale{*min, *max};
}

Zones ParseZones(std::string_view text) {
  if (text == "first") return {};
  if (text == "all") return {ZoneRule::kAll, {}};
  Zones zones{ZoneRule::kListed, {}};
  for (const std::string_view zone : text::Split(text, ',')) {
    zones.listed.emplace_back(text::Trim(zone));
  }
  return zones;
}

Result<std::string> CheckPrice(std::string_view text) {
  const auto point = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, point);
  const std::string_view rest = point < text.size() ? text.substr(point + 1) : "0";
  const auto is_number = [](std::string_view digits) {
    return !digits.empty() && digits.size() <= 9 &&
           std::all_of(digits.begin(), digits.end(), text::IsDigit);
  };
  const bool is_zero = text.find_first_not_of("0.") == std::string_view::npos;
  if (!is_number(whole) || !is_number(rest) || is_zero) {
    return NoValue(text, "price", "write it like 1.25, per machine and hour");
  }
  return std::string(text);
}

Result<void> CheckLabel(std::string_view key, std::string_view value) {
  auto faults = localcluster::LabelNameFaults(key);
  if (faults.empty()) faults = localcluster::LabelValueFaults(value);
  if (faults.empty()) return {};
  return Error(ErrorKind::kInvalid, faults.front());
}

Result<model::Taint> ReadTaint(std::string_view text) {
  auto taint = model::ParseTaint(text);
  if (!taint || !CheckLabel(taint->key, taint->value)) {
    return NoValue(text, "taint", "write key=value:NoSchedule, or PreferNoSchedule or NoExecute");
  }
  return *std::move(taint);
}

}  // namespace gs::machinesets
