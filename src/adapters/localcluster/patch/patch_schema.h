// What a strategic merge patch has to know of a kind: which lists are merged, and by which key.
// Facts of the Kubernetes API, written down for the kinds that are served here. Whatever is not
// named merges if it is an object and is replaced if it is a list.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace gs::localcluster {

struct PatchField;

// An object in the API: those of its fields that are merged in a way of their own, and those that
// lead to such fields.
struct PatchType {
  std::span<const PatchField> fields;

  // Null where nothing is known of the field.
  [[nodiscard]] const PatchField* Find(std::string_view name) const;
};

enum class PatchStrategy : std::uint8_t { kDefault, kMerge, kReplace };

struct PatchField {
  std::string_view name;
  const PatchType* type;       // of the object, or of each element of the list
  std::string_view merge_key;  // of a list of objects that is merged
  PatchStrategy strategy = PatchStrategy::kDefault;
};

// An object of which nothing is known.
extern const PatchType kPlainObject;

// Kinds that have nothing of their own still have metadata. Not for custom resources: the server
// offers no strategic merge patch for those.
[[nodiscard]] const PatchType& PatchTypeOf(std::string_view kind);

}  // namespace gs::localcluster
