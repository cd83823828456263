#include "adapters/localcluster/select/label_rules.h"

#include <algorithm>

#include "base/dns_name.h"
#include "base/text.h"

namespace gs::localcluster {
namespace {

constexpr std::size_t kMaxLength = 63;
constexpr std::string_view kShape = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

bool IsAlphanumeric(char letter) {
  return text::IsDigit(letter) || text::IsLower(letter) || text::IsUpper(letter);
}

bool HasShape(std::string_view word) {
  const auto belongs = [](char letter) {
    return IsAlphanumeric(letter) || letter == '-' || letter == '_' || letter == '.';
  };
  return !word.empty() && IsAlphanumeric(word.front()) && IsAlphanumeric(word.back()) &&
         std::all_of(word.begin(), word.end(), belongs);
}

std::string NameShapeFault() {
  return "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
         "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
         "validation is '" +
         std::string(kShape) + "')";
}

std::string TooLong(std::size_t most) {
  return "must be no more than " + std::to_string(most) + " bytes";
}

void CheckPrefix(std::string_view prefix, std::vector<std::string>& faults) {
  if (prefix.empty()) {
    faults.emplace_back("prefix part must be non-empty");
    return;
  }
  if (prefix.size() > kMaxDnsSubdomain)
    faults.push_back("prefix part " + TooLong(kMaxDnsSubdomain));
  // A prefix that is only too long has the right shape.
  if (CheckDnsSubdomain(prefix.substr(0, kMaxDnsSubdomain)).ok()) return;
  faults.emplace_back(
      "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "
      "characters, '-' or '.', and must start and end with an alphanumeric character (e.g. "
      "'example.com', regex used for validation is "
      "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
}

}  // namespace

std::vector<std::string> LabelNameFaults(std::string_view name) {
  std::vector<std::string> faults;
  const auto parts = text::Split(name, '/');
  if (parts.size() > 2) {
    return {"a valid label key " + NameShapeFault() +
            " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
  }
  if (parts.size() == 2) CheckPrefix(parts.front(), faults);
  const std::string_view own = parts.back();
  if (own.empty()) faults.emplace_back("name part must be non-empty");
  if (own.size() > kMaxLength) faults.push_back("name part " + TooLong(kMaxLength));
  if (!HasShape(own)) faults.push_back("name part " + NameShapeFault());
  return faults;
}

std::vector<std::string> LabelValueFaults(std::string_view value) {
  std::vector<std::string> faults;
  if (value.size() > kMaxLength) faults.push_back(TooLong(kMaxLength));
  if (!value.empty() && !HasShape(value)) {
    faults.push_back(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
        "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "
        "'my_value',  or '12345', regex used for validation is '(" +
        std::string(kShape) + ")?')");
  }
  return faults;
}

}  // namespace gs::localcluster
