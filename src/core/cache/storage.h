// Storage: what was seen of volume claims, volumes, classes and drivers; which pods use them on
// which nodes, kept as pods come and go; and what our own decisions that are not carried out yet
// have taken of it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "core/cache/volume_choice.h"
#include "core/model/event.h"
#include "core/model/pod.h"
#include "core/model/storage.h"

namespace gs::cache {

using VolumeClaimKey = std::pair<Namespace, std::string>;

// A volume as its driver counts it.
struct Attachment {
  std::string driver;
  std::string handle;

  friend auto operator<=>(const Attachment&, const Attachment&) = default;
};

// Nothing where no driver serves that kind of disk.
[[nodiscard]] std::optional<Attachment> AttachmentOf(const model::NamedDisk& disk);

// How many pods of a node use a disk that they name themselves.
struct DiskUse {
  int writers = 0;
  int readers = 0;
};

// What pods use on one node, by how many of them.
struct NodeStorage {
  std::map<std::string, std::map<std::string, int>> attached;    // by driver and handle
  std::map<std::pair<std::string, std::string>, DiskUse> disks;  // by kind and id
};

class Storage {
 public:
  // True if something is there now, or no longer, that has a say in where pods can run.
  bool See(const model::StorageObject& object);
  bool Lose(const model::StorageGone& gone);

  // The pod is on that node, bound or by our decision; an empty node: on none any more.
  void SetPlace(const model::PodRef& pod, const NodeName& node, const model::PodTies& ties);

  // Our own decision for the pod's volumes, until it is taken back.
  void Assume(const model::PodRef& pod, const NodeName& node, const VolumeChoice& choice);
  // True if there was one.
  bool TakeBack(const PodUid& pod);

  // Null: not seen.
  [[nodiscard]] const model::VolumeClaim* FindClaim(const VolumeClaimKey& key) const;
  [[nodiscard]] const model::Volume* FindVolume(const std::string& name) const;
  [[nodiscard]] const model::StorageClass* FindClass(const std::string& name) const;
  [[nodiscard]] const model::StorageDriver* FindDriver(const std::string& name) const;
  [[nodiscard]] const model::NodeDrivers* FindNodeDrivers(const NodeName& node) const;
  [[nodiscard]] const std::map<VolumeClaimKey, model::StorageCapacity>& capacities() const {
    return capacities_;
  }
  // Names of all volumes of a class, in order.
  [[nodiscard]] const std::set<std::string>& VolumesOf(const std::string& storage_class) const;

  // Pods on nodes that use the claim.
  [[nodiscard]] const std::set<model::PodRef>& UsersOf(const VolumeClaimKey& claim) const;
  [[nodiscard]] const NodeStorage& On(const NodeName& node) const;
  // Volumes of the driver that are in use on the node or, though no pod uses them, still attached.
  [[nodiscard]] std::set<std::string> HandlesOn(const NodeName& node,
                                                const std::string& driver) const;
  // Nothing where no driver counts it.
  [[nodiscard]] std::optional<Attachment> AttachmentOf(const VolumeClaimKey& claim) const;

  // The claim that a decision of ours has taken the volume for; null: none.
  [[nodiscard]] const VolumeClaimKey* AssumedClaimOf(const std::string& volume) const;
  // For which node a volume of the claim is made, as it was seen or by a decision of ours.
  [[nodiscard]] NodeName SelectedNodeOf(const model::VolumeClaim& claim) const;
  // Whose decision about the claim counts; null: nobody has decided about it.
  [[nodiscard]] const PodUid* DeciderOf(const VolumeClaimKey& claim) const;

 private:
  struct ClaimUse {
    std::set<model::PodRef> pods;
    std::map<NodeName, int> nodes;  // by pods
    std::optional<Attachment> attachment;
  };
  struct PodUse {
    NodeName node;
    std::set<VolumeClaimKey> claims;
    std::vector<model::NamedDisk> disks;
  };
  struct Decision {
    PodUid pod;
    NodeName node;       // for which a volume is made; empty: for none
    std::string volume;  // that is taken; empty: none
  };
  class Viewer;  // one function per alternative of StorageObject

  template <class Key, class Object>
  static bool Set(std::map<Key, Object>& objects, Key key, const Object& object);
  void EndUse(const PodUid& pod);
  void Attach(const NodeName& node, const std::optional<Attachment>& attachment, int pods);
  void UseDisk(const NodeName& node, const model::NamedDisk& disk, int pods);
  // What the claim stands for may have changed.
  void Reattach(const VolumeClaimKey& claim);
  void DropIfEmpty(const NodeName& node);
  // True if there was one of that name.
  bool Detach(const std::string& attachment);

  std::map<VolumeClaimKey, model::VolumeClaim> claims_;
  std::map<std::string, model::Volume> volumes_;
  std::map<std::string, std::set<std::string>> volumes_of_;  // by class
  std::map<std::string, model::StorageClass> classes_;
  std::map<NodeName, model::NodeDrivers> node_drivers_;
  std::map<std::string, model::StorageDriver> drivers_;
  std::map<VolumeClaimKey, model::StorageCapacity> capacities_;
  std::map<std::string, model::VolumeAttachment> attachments_;
  std::map<NodeName, std::set<std::string>> attachments_of_;  // names, by node

  std::map<PodUid, PodUse> pods_;
  std::map<VolumeClaimKey, ClaimUse> uses_;
  std::map<NodeName, NodeStorage> nodes_;

  std::map<VolumeClaimKey, Decision> decisions_;
  std::map<std::string, VolumeClaimKey> taken_;  // volumes, by decisions
  std::map<PodUid, std::vector<VolumeClaimKey>> decided_;
};

}  // namespace gs::cache
