#include "core/model/selector.h"

#include <algorithm>
#include <array>
#include <ostream>
#include <utility>

#include "base/parse.h"
#include "base/text.h"

namespace gs::model {
namespace {

constexpr std::array kOperators{
    std::pair{SelectorOperator::kIn, std::string_view("In")},
    std::pair{SelectorOperator::kNotIn, std::string_view("NotIn")},
    std::pair{SelectorOperator::kExists, std::string_view("Exists")},
    std::pair{SelectorOperator::kDoesNotExist, std::string_view("DoesNotExist")},
    std::pair{SelectorOperator::kGt, std::string_view("Gt")},
    std::pair{SelectorOperator::kLt, std::string_view("Lt")},
};

bool Contains(const std::vector<std::string>& values, const std::string& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// Both sides must be whole numbers, else nothing matches.
bool Compares(const Requirement& requirement, const std::string& value) {
  if (requirement.values.size() != 1) return false;
  const auto left = ParseInt64(value);
  const auto right = ParseInt64(requirement.values.front());
  if (!left || !right) return false;
  return requirement.op == SelectorOperator::kGt ? *left > *right : *left < *right;
}

}  // namespace

std::string_view ToString(SelectorOperator op) { return text::NameOf(kOperators, op); }

std::optional<SelectorOperator> ParseSelectorOperator(std::string_view text) {
  return text::ValueOf(kOperators, text);
}

bool Matches(const Requirement& requirement, const std::string* value) {
  switch (requirement.op) {
    case SelectorOperator::kIn: return value != nullptr && Contains(requirement.values, *value);
    case SelectorOperator::kNotIn: return value == nullptr || !Contains(requirement.values, *value);
    case SelectorOperator::kExists: return value != nullptr;
    case SelectorOperator::kDoesNotExist: return value == nullptr;
    case SelectorOperator::kGt:
    case SelectorOperator::kLt: return value != nullptr && Compares(requirement, *value);
  }
  return false;
}

bool Matches(const LabelSelector& selector, const Labels& labels) {
  return std::all_of(selector.requirements.begin(), selector.requirements.end(),
                     [&labels](const Requirement& requirement) {
                       return Matches(requirement, labels.Find(requirement.key));
                     });
}

std::string ToString(const Requirement& requirement) {
  std::string text = requirement.key + " ";
  text += ToString(requirement.op);
  if (requirement.values.empty()) return text;
  const auto as_it_is = [](const std::string& value) { return value; };
  return text + " (" + text::Join(requirement.values, ", ", as_it_is) + ")";
}

std::string ToString(const LabelSelector& selector) {
  if (selector.requirements.empty()) return "anything";
  return text::Join(selector.requirements, " and ",
                    [](const Requirement& each) { return ToString(each); });
}

std::ostream& operator<<(std::ostream& out, const Requirement& requirement) {
  return out << ToString(requirement);
}

std::ostream& operator<<(std::ostream& out, const LabelSelector& selector) {
  return out << ToString(selector);
}

}  // namespace gs::model
