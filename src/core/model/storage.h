// Storage as far as it says where a pod can run: claims, volumes, classes, and what the drivers
// on the nodes can attach.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "core/model/labels.h"
#include "core/model/node_affinity.h"
#include "core/model/selector.h"

namespace gs::model {

// Which of ReadWriteOnce, ReadOnlyMany, ReadWriteMany and ReadWriteOncePod; sorted.
using AccessModes = std::vector<std::string>;
inline constexpr std::string_view kReadWriteOncePod = "ReadWriteOncePod";

// A PersistentVolumeClaim.
struct VolumeClaim {
  Namespace ns;
  std::string name;
  std::string uid;
  ResourceVersion resource_version;
  bool is_terminating = false;
  bool is_lost = false;       // its volume has vanished
  std::string volume;         // that it is bound to, or will be; empty: none yet
  bool is_bound = false;      // the binding is completed
  std::string storage_class;  // empty: none
  NodeName selected_node;     // for which a volume is being made
  PodUid owner;               // the pod it was made for; empty: no pod's
  AccessModes access_modes;
  std::int64_t bytes = 0;                 // asked for
  bool is_block = false;                  // volumeMode Block
  std::optional<LabelSelector> selector;  // of volumes

  friend bool operator==(const VolumeClaim&, const VolumeClaim&) = default;
};

// A PersistentVolume.
struct Volume {
  std::string name;
  std::string uid;
  ResourceVersion resource_version;
  bool is_terminating = false;
  bool is_available = false;  // phase Available
  Labels labels;
  std::optional<std::vector<NodeSelectorTerm>> node_affinity;  // absent: reachable from every node
  Namespace claim_ns;  // whose it is, or is kept for; empty: nobody's
  std::string claim_name;
  std::string claim_uid;  // empty: whichever claim of that name comes
  std::string storage_class;
  AccessModes access_modes;
  std::int64_t bytes = 0;
  bool is_block = false;
  std::string driver;  // of CSI, also where an old kind of volume is served by one; empty: none
  std::string handle;  // names the disk to the driver

  friend bool operator==(const Volume&, const Volume&) = default;
};

struct StorageClass {
  std::string name;
  std::string provisioner;
  bool waits_for_consumer = false;                   // volumeBindingMode WaitForFirstConsumer
  std::vector<NodeSelectorTerm> allowed_topologies;  // one must match; empty: everywhere

  friend bool operator==(const StorageClass&, const StorageClass&) = default;
};

// What the drivers on a node can attach (CSINode).
struct NodeDrivers {
  NodeName node;
  std::map<std::string, std::optional<std::int32_t>> limits;  // by driver; absent: no limit

  friend bool operator==(const NodeDrivers&, const NodeDrivers&) = default;
};

// A CSIDriver.
struct StorageDriver {
  std::string name;
  bool tells_capacity = false;

  friend bool operator==(const StorageDriver&, const StorageDriver&) = default;
};

// A CSIStorageCapacity: how much a driver can still make for a class, reachable from some nodes.
struct StorageCapacity {
  Namespace ns;
  std::string name;
  std::string storage_class;
  std::optional<LabelSelector> nodes;  // absent: no node
  std::optional<std::int64_t> bytes;
  std::optional<std::int64_t> largest_bytes;  // of one volume

  friend bool operator==(const StorageCapacity&, const StorageCapacity&) = default;
};

// A volume is attached to a node, is being attached or detached, whether a pod uses it or not.
struct VolumeAttachment {
  std::string name;
  NodeName node;
  std::string driver;  // of CSI
  std::string volume;  // empty: one that a pod names itself

  friend bool operator==(const VolumeAttachment&, const VolumeAttachment&) = default;
};

// Storage, whatever of it.
using StorageObject = std::variant<VolumeClaim, Volume, StorageClass, NodeDrivers, StorageDriver,
                                   StorageCapacity, VolumeAttachment>;

// "volume claim ml/data", "volume pv-1"
[[nodiscard]] std::string ToString(const StorageObject& object);
// "ml/data"; without a namespace just the name.
[[nodiscard]] std::string InNamespace(const Namespace& ns, const std::string& name);

}  // namespace gs::model
