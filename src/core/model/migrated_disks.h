// Kinds of disks from before there were drivers, each with the driver that serves it now.
#pragma once

#include <array>
#include <string_view>

namespace gs::model {

struct MigratedDisk {
  std::string_view kind;      // as in a spec
  std::string_view id_field;  // of the spec, that names the disk
  std::string_view plugin;    // as classes name what makes such disks
  std::string_view driver;
};
inline constexpr std::array kMigratedDisks{
    MigratedDisk{"awsElasticBlockStore", "volumeID", "kubernetes.io/aws-ebs", "ebs.csi.aws.com"},
    MigratedDisk{"gcePersistentDisk", "pdName", "kubernetes.io/gce-pd", "pd.csi.storage.gke.io"},
    MigratedDisk{"azureDisk", "diskURI", "kubernetes.io/azure-disk", "disk.csi.azure.com"},
    MigratedDisk{"cinder", "volumeID", "kubernetes.io/cinder", "cinder.csi.openstack.org"},
    MigratedDisk{"portworxVolume", "volumeID", "kubernetes.io/portworx-volume",
                 "pxd.portworx.com"}};

// What a class writes where nobody makes volumes for it.
inline constexpr std::string_view kNoProvisioner = "kubernetes.io/no-provisioner";

}  // namespace gs::model
