// Which nodes a pod insists on, and which it would rather have: its node affinity.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/labels.h"
#include "core/model/selector.h"

namespace gs::model {

// All requirements of a term must hold. A term without any matches no node, as in Kubernetes.
struct NodeSelectorTerm {
  std::vector<Requirement> labels;  // matchExpressions
  std::vector<Requirement> fields;  // matchFields; the one key there is: kNodeNameField

  friend bool operator==(const NodeSelectorTerm&, const NodeSelectorTerm&) = default;
};

// What a node is worth more to the pod if the term matches it. Here an empty term matches nothing.
struct PreferredNodes {
  std::int32_t weight = 1;  // 1 to 100
  NodeSelectorTerm term;

  friend bool operator==(const PreferredNodes&, const PreferredNodes&) = default;
};

inline constexpr std::string_view kNodeNameField = "metadata.name";

// Whether the node of that name with these labels is one of those.
[[nodiscard]] bool Matches(const NodeSelectorTerm& term, const Labels& labels,
                           const std::string& node);

// "zone In (a, b) and gpu Exists"; "no node" where there is no requirement.
[[nodiscard]] std::string ToString(const NodeSelectorTerm& term);
std::ostream& operator<<(std::ostream& out, const NodeSelectorTerm& term);

}  // namespace gs::model
