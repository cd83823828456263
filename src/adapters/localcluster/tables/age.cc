#include "adapters/localcluster/tables/age.h"

namespace gs::localcluster {
namespace {

// "3h", or "3h20m" where the rest is not zero.
std::string WithRest(std::int64_t amount, char unit, std::int64_t rest, char rest_unit) {
  std::string text = std::to_string(amount) + unit;
  if (rest != 0) text += std::to_string(rest) + rest_unit;
  return text;
}

}  // namespace

std::string PrintAge(Duration age) {
  const std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(age).count();
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return std::to_string(seconds) + "s";
  const std::int64_t minutes = seconds / 60;
  if (minutes < 10) return WithRest(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return std::to_string(minutes) + "m";
  const std::int64_t hours = minutes / 60;
  if (hours < 8) return WithRest(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return std::to_string(hours) + "h";
  const std::int64_t days = hours / 24;
  if (days < 8) return WithRest(days, 'd', hours % 24, 'h');
  if (days < 2 * 365) return std::to_string(days) + "d";
  if (days < 8 * 365) return WithRest(days / 365, 'y', days % 365, 'd');
  return std::to_string(days / 365) + "y";
}

std::string AgeSince(std::string_view time, TimePoint now) {
  if (time.empty()) return "<unknown>";
  const auto parsed = ParseTime(time);
  return parsed ? PrintAge(now - *parsed) : "<invalid>";
}

}  // namespace gs::localcluster
