// THE list of what can be set: flags, the configuration file, --help and --check-config all follow
// it, so that there is one name, one default and one check for each.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace gs::scheduler {

// How a file writes the value; a flag is always text.
enum class SettingForm : std::uint8_t { kText, kNumber };

struct Setting {
  std::string_view path;  // in the file, always of two parts: "election.leaseDuration"
  std::string_view flag;  // "--lease-duration"
  std::string_view type;  // as --help shows it
  std::string_view fallback;
  std::string_view help;
  SettingForm form = SettingForm::kText;
  const char* variable = nullptr;  // of the environment, read where the flag is absent
};

[[nodiscard]] std::span<const Setting> AllSettings();

// A value before it is checked, and where a refusal has to point.
struct WrittenSetting {
  const Setting* setting = nullptr;
  std::string text;
  bool is_default = true;
  std::string file;                // empty: not from a file
  std::optional<TextPlace> place;  // in the file
};

// By path; has all of them.
using WrittenSettings = std::map<std::string_view, WrittenSetting>;

[[nodiscard]] WrittenSettings DefaultSettings();

// The error as one about this setting: with the flag, or with file, line and column.
[[nodiscard]] Error Refuse(const WrittenSetting& written, const Error& error);

}  // namespace gs::scheduler
