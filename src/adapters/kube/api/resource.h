// Resource: a kind of object as the paths of the API name it.
#pragma once

#include <string>
#include <string_view>

#include "base/ids.h"

namespace gs::kube {

struct Resource {
  std::string_view group;  // "" is the core group
  std::string_view version;
  std::string_view plural;
  bool is_namespaced = true;

  friend bool operator==(const Resource&, const Resource&) = default;
};

inline constexpr Resource kPods{"", "v1", "pods"};
inline constexpr Resource kNodes{"", "v1", "nodes", false};
inline constexpr Resource kLeases{"coordination.k8s.io", "v1", "leases"};
inline constexpr Resource kClaims{"gpu.scheduling", "v1", "gpuclaims"};
inline constexpr Resource kNodeStatuses{"gpu.scheduling", "v1", "gpunodestatuses", false};
inline constexpr Resource kNamespaces{"", "v1", "namespaces", false};
inline constexpr Resource kVolumeClaims{"", "v1", "persistentvolumeclaims"};
inline constexpr Resource kVolumes{"", "v1", "persistentvolumes", false};
inline constexpr Resource kStorageClasses{"storage.k8s.io", "v1", "storageclasses", false};
inline constexpr Resource kCsiNodes{"storage.k8s.io", "v1", "csinodes", false};
inline constexpr Resource kCsiDrivers{"storage.k8s.io", "v1", "csidrivers", false};
inline constexpr Resource kStorageCapacities{"storage.k8s.io", "v1", "csistoragecapacities"};
inline constexpr Resource kClusterRoles{"rbac.authorization.k8s.io", "v1", "clusterroles", false};
inline constexpr Resource kVolumeAttachments{"storage.k8s.io", "v1", "volumeattachments", false};
inline constexpr Resource kEvents{"events.k8s.io", "v1", "events"};

// "/apis/coordination.k8s.io/v1/namespaces/locks/leases". An empty namespace means all of them.
[[nodiscard]] std::string CollectionPath(const Resource& resource, const Namespace& ns);

// "/api/v1/namespaces/team/pods/a/binding". Without a subresource: the object itself.
[[nodiscard]] std::string ObjectPath(const Resource& resource, const Namespace& ns,
                                     std::string_view name, std::string_view subresource = "");

// "leases.coordination.k8s.io", as kubectl and error messages write it.
[[nodiscard]] std::string TitleOf(const Resource& resource);

}  // namespace gs::kube
