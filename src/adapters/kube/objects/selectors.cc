#include "adapters/kube/objects/selectors.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace gs::kube {
namespace {

using model::SelectorOperator;

bool ComparesNumbers(const model::Requirement& requirement) {
  return requirement.op == SelectorOperator::kGt || requirement.op == SelectorOperator::kLt;
}

bool Asks(const model::LabelSelector& selector, const std::string& key, SelectorOperator op) {
  return std::any_of(
      selector.requirements.begin(), selector.requirements.end(),
      [&](const model::Requirement& each) { return each.key == key && each.op == op; });
}

}  // namespace

std::optional<std::vector<model::Requirement>> ReadRequirements(const JsonView& list) {
  std::vector<model::Requirement> requirements;
  bool is_known = true;
  for (const JsonView& item : list.Items()) {
    const auto op = model::ParseSelectorOperator(item.Field("operator").Word());
    is_known = is_known && op;
    auto& requirement = requirements.emplace_back();
    requirement.key = item.Field("key").RequiredText();
    requirement.op = op.value_or(requirement.op);
    for (const JsonView& value : item.Field("values").Items()) {
      requirement.values.push_back(value.Text());
    }
  }
  if (!is_known) return std::nullopt;
  return requirements;
}

std::optional<model::LabelSelector> ReadLabelSelector(const JsonView& selector) {
  auto expressions = ReadRequirements(selector.Field("matchExpressions"));
  if (!expressions || std::any_of(expressions->begin(), expressions->end(), ComparesNumbers)) {
    return std::nullopt;
  }
  model::LabelSelector result;
  for (auto& [key, value] : selector.Field("matchLabels").Texts()) {
    result.requirements.push_back({key, SelectorOperator::kIn, {value}});
  }
  std::move(expressions->begin(), expressions->end(), std::back_inserter(result.requirements));
  return result;
}

void AddLabelKeys(const JsonView& keys, SelectorOperator op, const model::Labels& own,
                  model::LabelSelector& selector) {
  for (const JsonView& item : keys.Items()) {
    const std::string key = item.Text();
    const std::string* value = own.Find(key);
    if (value == nullptr || Asks(selector, key, op)) continue;
    selector.requirements.push_back({key, op, {*value}});
  }
}

std::size_t WordsOf(const model::LabelSelector& selector) {
  std::size_t words = 0;
  for (const auto& requirement : selector.requirements) words += 1 + requirement.values.size();
  return words;
}

}  // namespace gs::kube
