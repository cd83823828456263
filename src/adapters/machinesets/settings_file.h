// Settings as YAML, refused with line and column where they are wrong. docs/openshift.md describes
// the fields.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "core/machinesets/settings.h"

namespace gs::machinesets {

// `file` names the text in refusals. What is not said is as in DefaultSettings().
[[nodiscard]] Result<Settings> ReadSettings(std::string_view text, const std::string& file);

// Values that flags and the file share.
[[nodiscard]] Result<Autoscale> ParseAutoscale(std::string_view text);  // "0:4"
[[nodiscard]] Zones ParseZones(std::string_view text);                  // "all", "first", "a,b"
[[nodiscard]] Result<std::string> CheckPrice(std::string_view text);    // "1.25"
[[nodiscard]] Result<void> CheckLabel(std::string_view key, std::string_view value);
[[nodiscard]] Result<model::Taint> ReadTaint(std::string_view text);

}  // namespace gs::machinesets
