// Selectors: which labels somebody asks for. Nodes, pods and namespaces are chosen by them alike.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/labels.h"

namespace gs::model {

enum class SelectorOperator : std::uint8_t { kIn, kNotIn, kExists, kDoesNotExist, kGt, kLt };

[[nodiscard]] std::string_view ToString(SelectorOperator op);
[[nodiscard]] std::optional<SelectorOperator> ParseSelectorOperator(std::string_view text);

struct Requirement {
  std::string key;
  SelectorOperator op = SelectorOperator::kIn;
  std::vector<std::string> values;

  friend bool operator==(const Requirement&, const Requirement&) = default;
};

// `value` is null where there is no such label.
[[nodiscard]] bool Matches(const Requirement& requirement, const std::string* value);

// All requirements must hold; without any it matches everything. matchLabels are In with one value.
struct LabelSelector {
  std::vector<Requirement> requirements;

  friend bool operator==(const LabelSelector&, const LabelSelector&) = default;
};

[[nodiscard]] bool Matches(const LabelSelector& selector, const Labels& labels);

// "zone In (a, b)"
[[nodiscard]] std::string ToString(const Requirement& requirement);
// "app In (web) and tier Exists"; "anything" where there is no requirement.
[[nodiscard]] std::string ToString(const LabelSelector& selector);
std::ostream& operator<<(std::ostream& out, const Requirement& requirement);
std::ostream& operator<<(std::ostream& out, const LabelSelector& selector);

}  // namespace gs::model
