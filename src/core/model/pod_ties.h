// What ties a pod to its node and keeps others away, before it is bound and as long as it runs.
#pragma once

#include <string>
#include <vector>

#include "core/model/host_port.h"
#include "core/model/pod_affinity.h"

namespace gs::model {

// A volume that comes from a claim (PersistentVolumeClaim) in the pod's namespace.
struct ClaimedVolume {
  std::string claim;
  bool is_made_for_pod = false;  // a generic ephemeral volume: the claim must belong to the pod

  friend bool operator==(const ClaimedVolume&, const ClaimedVolume&) = default;
};

// A disk that the pod names itself, without a claim, in one of the kinds that few may share.
struct NamedDisk {
  std::string kind;  // as in the spec: "gcePersistentDisk", "awsElasticBlockStore", "rbd", "iscsi"
  std::string id;    // the same text for the same disk
  bool is_read_only = false;

  friend bool operator==(const NamedDisk&, const NamedDisk&) = default;
};

struct PodTies {
  std::vector<HostPort> host_ports;
  std::vector<PodAffinityTerm> anti_affinity;  // each must hold, also against pods that come later
  std::vector<ClaimedVolume> volumes;
  std::vector<NamedDisk> disks;

  friend bool operator==(const PodTies&, const PodTies&) = default;
};

}  // namespace gs::model
