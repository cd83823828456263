#include "adapters/kube/objects/pod_volumes.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/model/migrated_disks.h"

namespace gs::kube {
namespace {

// Volumes that can be had on every node, as far as kube-scheduler knows.
constexpr std::array<std::string_view, 21> kVolumesOfAnyNode{
    "emptyDir",      "configMap",   "secret",
    "projected",     "downwardAPI", "hostPath",
    "image",         "nfs",         "cephfs",
    "csi",           "fc",          "flexVolume",
    "azureFile",     "gitRepo",     "flocker",
    "glusterfs",     "quobyte",     "scaleIO",
    "vsphereVolume", "storageos",   "photonPersistentDisk",
};
constexpr std::array<std::string_view, 4> kOtherKnownKinds{"persistentVolumeClaim", "ephemeral",
                                                           "iscsi", "rbd"};

template <class Kinds>
bool Has(const Kinds& kinds, std::string_view kind) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

// Two images are the same where they share a monitor, so there is one disk per monitor.
void ReadRbd(const JsonView& rbd, model::PodTies& ties) {
  if (!rbd.is_present()) return;
  const std::string pool = rbd.Field("pool").Text();
  for (const JsonView& monitor : rbd.Field("monitors").Items()) {
    ties.disks.push_back({.kind = "rbd",
                          .id = monitor.Text() + "/" + (pool.empty() ? "rbd" : pool) + "/" +
                                rbd.Field("image").Text(),
                          .is_read_only = rbd.Field("readOnly").Bool()});
  }
}

void ReadDisk(const JsonView& volume, std::string_view kind, std::string_view id,
              model::PodTies& ties) {
  const JsonView source = volume.Field(kind);
  if (!source.is_present()) return;
  ties.disks.push_back({.kind = std::string(kind),
                        .id = source.Field(id).Text(),
                        .is_read_only = source.Field("readOnly").Bool()});
}

void ReadVolume(const JsonView& volume, const std::string& pod, model::PodTies& ties) {
  if (const JsonView claim = volume.Field("persistentVolumeClaim"); claim.is_present()) {
    ties.volumes.push_back({.claim = claim.Field("claimName").RequiredText()});
  }
  if (volume.Field("ephemeral").is_present()) {
    ties.volumes.push_back(
        {.claim = pod + "-" + volume.Field("name").RequiredText(), .is_made_for_pod = true});
  }
  for (const auto& disk : model::kMigratedDisks) {
    ReadDisk(volume, disk.kind, disk.id_field, ties);
  }
  ReadDisk(volume, "iscsi", "iqn", ties);
  ReadRbd(volume.Field("rbd"), ties);
}

}  // namespace

void ReadPodVolumes(const JsonView& volumes, const std::string& pod, model::PodTies& ties) {
  for (const JsonView& volume : volumes.Items()) ReadVolume(volume, pod, ties);
}

bool IsKnownVolumeKind(std::string_view kind) {
  return Has(kVolumesOfAnyNode, kind) || Has(kOtherKnownKinds, kind) ||
         std::any_of(model::kMigratedDisks.begin(), model::kMigratedDisks.end(),
                     [kind](const auto& disk) { return disk.kind == kind; });
}

}  // namespace gs::kube
