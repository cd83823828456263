// FieldSelector: which objects are meant, by a few of their fields:
// "spec.nodeName=,status.phase!=Failed". Which fields there are depends on the kind; others are
// refused in the words of an API server, to be answered with 400.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gs::localcluster {

struct FieldTerm {
  std::string field;  // "spec.nodeName"
  std::string value;
  bool is_negated = false;

  // A field that an object does not have counts as "".
  [[nodiscard]] bool Matches(std::string_view found) const {
    return (found == value) != is_negated;
  }

  friend bool operator==(const FieldTerm&, const FieldTerm&) = default;
};

// What objects of a kind can be selected by.
struct SelectableFields {
  std::string_view kind;                // "Pod"; empty for custom resources
  std::span<const std::string> fields;  // besides metadata.name and metadata.namespace
};

// All terms must match; none means everything.
using FieldSelector = std::vector<FieldTerm>;

[[nodiscard]] Result<FieldSelector> ParseFieldSelector(std::string_view text,
                                                       const SelectableFields& selectable);

}  // namespace gs::localcluster
