// ObjectMeta: what is alike in the objects of all kinds: which one it is, and in which version. A
// pure function of the object's text.
#pragma once

#include <compare>

#include "adapters/kube/objects/json_source.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/shared_text.h"
#include "base/uuid_text.h"

namespace gs::kube {

// Where an object lies. Another object may lie there later.
struct ObjectKey {
  SharedText ns;  // empty for kinds without namespaces
  SharedText name;

  friend auto operator<=>(const ObjectKey&, const ObjectKey&) = default;
};

struct ObjectMeta {
  ObjectKey key;
  UuidText uid;
  ResourceVersion resource_version;

  friend bool operator==(const ObjectMeta&, const ObjectMeta&) = default;
};

[[nodiscard]] Result<ObjectMeta> ReadObjectMeta(const JsonSource& json);

}  // namespace gs::kube
