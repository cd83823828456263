#include "programs/check/report.h"

#include "core/model/names.h"

namespace gs::check {

std::string ReportLine(const std::string& node, const Environment& environment) {
  const auto devices = environment(model::names::kVisibleDevicesVariable);
  std::string shown = devices.value_or("not-set");
  if (shown.empty()) shown = "empty";
  return "Node: " + node + ", " + std::string(model::names::kVisibleDevicesVariable) + ": " + shown;
}

}  // namespace gs::check
