// Selection: which objects a list, a watch or a delete of many is about, decided by what the store
// keeps beside each object, so that nothing is parsed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/localcluster/select/field_selector.h"
#include "adapters/localcluster/select/label_selector.h"
#include "adapters/localcluster/store/kind.h"
#include "adapters/localcluster/store/status.h"
#include "adapters/localcluster/store/stored_object.h"

namespace gs::localcluster {

class Selection {
 public:
  // Everything.
  Selection() = default;
  // Refused: what cannot be parsed, and fields that the kind cannot be selected by.
  [[nodiscard]] static Answer<Selection> Read(const Kind& kind, std::string_view labels,
                                              std::string_view fields);

  // Only the one of that name.
  void RestrictTo(std::string name) { name_ = std::move(name); }
  [[nodiscard]] bool is_everything() const {
    return name_.empty() && labels_.matches_everything() && terms_.empty();
  }
  [[nodiscard]] bool Matches(const StoredObject& object) const;

 private:
  // Where the value of a field is kept: among the object's fields, or as its name or namespace.
  enum : std::size_t { kName = static_cast<std::size_t>(-2), kNamespace };
  struct Term {
    FieldTerm term;
    std::size_t at = kName;
  };
  [[nodiscard]] static std::string_view ValueOf(const StoredObject& object, std::size_t at);

  std::string name_;
  LabelSelector labels_;
  std::vector<Term> terms_;
};

}  // namespace gs::localcluster
