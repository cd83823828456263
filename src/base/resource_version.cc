#include "base/resource_version.h"

#include <algorithm>
#include <string>

#include "base/text.h"

namespace gs {
namespace {

bool IsNumber(const std::string& text) {
  const bool has_leading_zero = text.size() > 1 && text.front() == '0';
  return !text.empty() && !has_leading_zero && std::all_of(text.begin(), text.end(), text::IsDigit);
}

std::partial_ordering CompareLong(const std::string& a, const std::string& b) {
  if (!IsNumber(a) || !IsNumber(b)) return std::partial_ordering::unordered;
  if (a.size() != b.size()) return a.size() <=> b.size();
  return a <=> b;
}

}  // namespace

std::partial_ordering CompareVersions(const ResourceVersion& a, const ResourceVersion& b) {
  if (a == b) return std::partial_ordering::equivalent;
  const auto of_a = a.kept().number();
  const auto of_b = b.kept().number();
  if (of_a && of_b) return *of_a <=> *of_b;
  return CompareLong(a.text(), b.text());
}

bool IsAtLeast(const ResourceVersion& a, const ResourceVersion& b) {
  return IsNumber(a.text()) && IsNumber(b.text()) && std::is_gteq(CompareVersions(a, b));
}

ResourceVersion LaterVersion(const ResourceVersion& a, const ResourceVersion& b) {
  return b.empty() || IsAtLeast(a, b) ? a : b;
}

}  // namespace gs
