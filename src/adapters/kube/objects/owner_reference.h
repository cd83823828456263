// OwnerReference: an object that others go with when it is deleted.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>

#include "adapters/kube/objects/json_view.h"

namespace gs::kube {

struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  std::optional<bool> controller{};
  std::optional<bool> block_owner_deletion{};

  friend bool operator==(const OwnerReference&, const OwnerReference&) = default;
};

// A release's ClusterRole, which Helm deletes with the release.
[[nodiscard]] OwnerReference ClusterRoleOwner(std::string name, std::string uid);

[[nodiscard]] OwnerReference ReadOwnerReference(const JsonView& owner);
[[nodiscard]] boost::json::object PrintOwnerReference(const OwnerReference& owner);

}  // namespace gs::kube
