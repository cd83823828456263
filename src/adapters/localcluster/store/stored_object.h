// StoredObject: one state of one object, never changed once it is stored: its JSON text and the few
// things that lists and watches select by, so that nothing has to be parsed to answer them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gs::localcluster {

using Revision = std::uint64_t;

// Where an object lives. `resource` is "pods" or "deployments.apps"; the namespace of what has none
// is empty.
struct ObjectKey {
  std::string resource;
  std::string ns;
  std::string name;

  friend auto operator<=>(const ObjectKey&, const ObjectKey&) = default;
};

struct StoredObject {
  std::string ns;
  std::string name;
  std::string uid;
  Revision revision = 0;
  std::vector<std::pair<std::string, std::string>> labels;  // sorted
  std::vector<std::string> fields;  // values of the fields that its resource can be selected by
  std::string text;                 // compact JSON, resourceVersion included

  // Where the digits of resourceVersion lie in the text, and where the members after kind and
  // apiVersion begin, which the items of a list are written without.
  std::uint32_t revision_at = 0;
  std::uint32_t revision_size = 0;
  std::uint32_t body_at = 0;

  // Everything but the resourceVersion.
  [[nodiscard]] std::string_view before_revision() const {
    return std::string_view(text).substr(0, revision_at);
  }
  [[nodiscard]] std::string_view after_revision() const {
    return std::string_view(text).substr(revision_at + revision_size);
  }
};

// Shared by the store, its history and whoever reads.
using ObjectPtr = std::shared_ptr<const StoredObject>;

}  // namespace gs::localcluster
