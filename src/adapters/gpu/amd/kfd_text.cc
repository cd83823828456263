#include "adapters/gpu/amd/kfd_text.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/parse_unsigned.h"
#include "base/text.h"

namespace gs::gpu {
namespace {

constexpr std::size_t kMaxLines = 1000;
constexpr std::size_t kShown = 40;

bool IsNameLetter(char letter) {
  return text::IsLower(letter) || text::IsUpper(letter) || text::IsDigit(letter) || letter == '_';
}

bool IsName(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), IsNameLetter);
}

Error NotALine(std::string_view line) {
  return {ErrorKind::kInvalid,
          "expected a name and a number, got \"" + std::string(line.substr(0, kShown)) + "\""};
}

// "name value", with anything but blanks as the value.
Result<std::pair<std::string_view, std::uint64_t>> ParseLine(std::string_view line) {
  const auto blank = line.find(' ');
  if (blank == std::string_view::npos || !IsName(line.substr(0, blank))) return NotALine(line);
  auto value = ParseUint64(text::Trim(line.substr(blank)));
  if (!value) return std::move(value).error();
  return std::pair{line.substr(0, blank), *value};
}

}  // namespace

Result<KfdProperties> KfdProperties::Parse(std::string_view text) {
  KfdProperties properties;
  const auto lines = text::Split(text, '\n');
  if (lines.size() > kMaxLines) return Error(ErrorKind::kInvalid, "has too many lines");
  int number = 0;
  for (const std::string_view line : lines) {
    ++number;
    if (text::Trim(line).empty()) continue;
    auto entry = ParseLine(line);
    if (!entry) return std::move(entry).error().At({.line = number, .column = 1});
    properties.values_.insert_or_assign(std::string(entry->first), entry->second);
  }
  return properties;
}

std::uint64_t KfdProperties::Get(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? 0 : found->second;
}

Result<std::int64_t> ParseUncorrectedErrors(std::string_view text) {
  constexpr std::string_view kName = "ue:";
  for (const std::string_view line : text::Split(text, '\n')) {
    if (!line.starts_with(kName)) continue;
    auto count = ParseUint64(text::Trim(line.substr(kName.size())));
    if (!count) return std::move(count).error();
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return static_cast<std::int64_t>(std::min(*count, kMost));
  }
  return Error(ErrorKind::kInvalid, "expected a line \"ue: COUNT\", got \"" +
                                        std::string(text.substr(0, kShown)) + "\"");
}

}  // namespace gs::gpu
