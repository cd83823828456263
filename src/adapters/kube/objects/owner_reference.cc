#include "adapters/kube/objects/owner_reference.h"

#include <utility>

namespace gs::kube {
namespace {

std::optional<bool> ReadOptionalBool(const JsonView& field) {
  if (!field.is_present()) return std::nullopt;
  return field.Bool();
}

}  // namespace

OwnerReference ClusterRoleOwner(std::string name, std::string uid) {
  return {.api_version = "rbac.authorization.k8s.io/v1",
          .kind = "ClusterRole",
          .name = std::move(name),
          .uid = std::move(uid)};
}

OwnerReference ReadOwnerReference(const JsonView& owner) {
  return {.api_version = owner.Field("apiVersion").Text(),
          .kind = owner.Field("kind").Text(),
          .name = owner.Field("name").Text(),
          .uid = owner.Field("uid").Text(),
          .controller = ReadOptionalBool(owner.Field("controller")),
          .block_owner_deletion = ReadOptionalBool(owner.Field("blockOwnerDeletion"))};
}

boost::json::object PrintOwnerReference(const OwnerReference& owner) {
  boost::json::object printed{{"apiVersion", owner.api_version},
                              {"kind", owner.kind},
                              {"name", owner.name},
                              {"uid", owner.uid}};
  if (owner.controller) printed["controller"] = *owner.controller;
  if (owner.block_owner_deletion) printed["blockOwnerDeletion"] = *owner.block_owner_deletion;
  return printed;
}

}  // namespace gs::kube
