// LabelSelector: which objects are meant, by their labels. Two forms: the one of a query string,
// "app=web,tier in (front,back),!old", and the object with matchLabels and matchExpressions.
// Refusals are in the words of an API server, to be answered with 400.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gs::localcluster {

struct LabelRequirement {
  enum class Operator : std::uint8_t { kIn, kNotIn, kExists, kDoesNotExist, kGreater, kLess };

  std::string name;
  Operator op = Operator::kExists;
  std::vector<std::string> values;  // sorted

  // `value` is null where there is no such label.
  [[nodiscard]] bool Matches(const std::string_view* value) const;

  friend bool operator==(const LabelRequirement&, const LabelRequirement&) = default;
};

class LabelSelector {
 public:
  // Everything.
  LabelSelector() = default;

  [[nodiscard]] static Result<LabelSelector> Parse(std::string_view text);
  // Null selects nothing, an empty object everything.
  [[nodiscard]] static Result<LabelSelector> FromObject(const boost::json::value* selector);

  // Labels: a range of pairs of texts, with names that occur once.
  template <class Labels>
  [[nodiscard]] bool Matches(const Labels& labels) const {
    if (matches_nothing_) return false;
    for (const auto& requirement : requirements_) {
      std::string_view value;
      const std::string_view* found = nullptr;
      for (const auto& [name, text] : labels) {
        if (std::string_view(name) != requirement.name) continue;
        value = text;
        found = &value;
        break;
      }
      if (!requirement.Matches(found)) return false;
    }
    return true;
  }
  // The same for the metadata.labels of an object; null if it has none.
  [[nodiscard]] bool MatchesObject(const boost::json::value* labels) const;

  [[nodiscard]] bool matches_everything() const {
    return !matches_nothing_ && requirements_.empty();
  }
  [[nodiscard]] const std::vector<LabelRequirement>& requirements() const { return requirements_; }

  friend bool operator==(const LabelSelector&, const LabelSelector&) = default;

 private:
  std::vector<LabelRequirement> requirements_;
  bool matches_nothing_ = false;
};

// As a query string has it: "app=web,tier in (back,front),!old".
[[nodiscard]] std::string ToString(const LabelSelector& selector);

}  // namespace gs::localcluster
