#include "base/resource_version.h"

#include <algorithm>
#include <string>

#include "base/text.h"

namespace gs {
namespace {

bool IsNumber(const ResourceVersion& version) {
  const std::string& text = version.text();
  const bool has_leading_zero = text.size() > 1 && text.front() == '0';
  return !text.empty() && !has_leading_zero && std::all_of(text.begin(), text.end(), text::IsDigit);
}

}  // namespace

std::partial_ordering CompareVersions(const ResourceVersion& a, const ResourceVersion& b) {
  if (a == b) return std::partial_ordering::equivalent;
  if (!IsNumber(a) || !IsNumber(b)) return std::partial_ordering::unordered;
  if (a.text().size() != b.text().size()) return a.text().size() <=> b.text().size();
  return a.text() <=> b.text();
}

bool IsAtLeast(const ResourceVersion& a, const ResourceVersion& b) {
  return IsNumber(a) && IsNumber(b) && std::is_gteq(CompareVersions(a, b));
}

}  // namespace gs
