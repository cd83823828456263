// JsonPieces: a JSON object taken apart at its first level, and one of its lists at the next, each
// piece byte for byte as it stands in the text. Internal to the adapters of Kubernetes.
//
// Pages of a list and frames of a watch wrap objects that somebody else decodes. Only their edges
// are read: the items of the list are not looked into, so whoever decodes an item finds out whether
// it is JSON. Everything else has been checked. Of several members with one name the first counts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/kube/objects/json_view.h"
#include "base/result.h"

namespace gs::kube {

class JsonPieces {
 public:
  // `list` is the member whose items are wanted. Pieces point into the text.
  [[nodiscard]] static Result<JsonPieces> Split(std::string_view text, std::string_view list = "");

  // A member by name, and its text, "" if it is absent. The list whose items were taken reads as an
  // empty one. Requires: the name outlives the pieces.
  [[nodiscard]] JsonView Field(std::string_view name) const;
  [[nodiscard]] std::string_view TextOf(std::string_view name) const;
  [[nodiscard]] const std::vector<std::string_view>& items() const { return items_; }
  // The first thing that was wrong with a field.
  [[nodiscard]] Result<void> Finish() const;

 private:
  struct Member {
    std::string name;
    std::string_view text;
  };
  friend class JsonSplitter;
  explicit JsonPieces(JsonDocument nothing) : nothing_(std::move(nothing)) {}
  // Its number; members_.size() if there is none.
  [[nodiscard]] std::size_t Find(std::string_view name) const;
  [[nodiscard]] Result<void> ParseMembers();

  JsonDocument nothing_;  // an empty object, for the paths of what is absent
  std::vector<Member> members_;
  std::vector<JsonDocument> documents_;  // of the members, in their order
  std::vector<std::string_view> items_;
};

}  // namespace gs::kube
