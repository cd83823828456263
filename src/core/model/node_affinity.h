// Which nodes a pod insists on: the required part of its node affinity. What it merely prefers is
// not read.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gs::model {

enum class SelectorOperator : std::uint8_t { kIn, kNotIn, kExists, kDoesNotExist, kGt, kLt };

[[nodiscard]] std::string_view ToString(SelectorOperator op);
[[nodiscard]] std::optional<SelectorOperator> ParseSelectorOperator(std::string_view text);

struct NodeRequirement {
  std::string key;
  SelectorOperator op = SelectorOperator::kIn;
  std::vector<std::string> values;

  friend bool operator==(const NodeRequirement&, const NodeRequirement&) = default;
};

// All requirements of a term must hold. A term without any matches no node, as in Kubernetes.
struct NodeSelectorTerm {
  std::vector<NodeRequirement> labels;  // matchExpressions
  std::vector<NodeRequirement> fields;  // matchFields; the one key there is: kNodeNameField

  friend bool operator==(const NodeSelectorTerm&, const NodeSelectorTerm&) = default;
};

inline constexpr std::string_view kNodeNameField = "metadata.name";

// "zone In (a, b)"
[[nodiscard]] std::string ToString(const NodeRequirement& requirement);
// "zone In (a, b) and gpu Exists"; "no node" where there is no requirement.
[[nodiscard]] std::string ToString(const NodeSelectorTerm& term);
std::ostream& operator<<(std::ostream& out, const NodeRequirement& requirement);
std::ostream& operator<<(std::ostream& out, const NodeSelectorTerm& term);

}  // namespace gs::model
