// How a recording names what can be one of several: events, commands and storage objects. A name
// stays for ever; new ones come at the end, as in the variants.
#pragma once

#include <array>
#include <string_view>
#include <variant>

#include "core/model/command.h"
#include "core/model/event.h"

namespace gs::recording {

template <class Variant>
struct VariantNames;

template <>
struct VariantNames<model::Event> {
  static constexpr std::array kNames = std::to_array<std::string_view>({"PodSeen",
                                                                        "PodGone",
                                                                        "NodeSeen",
                                                                        "NodeGone",
                                                                        "ClaimSeen",
                                                                        "ClaimGone",
                                                                        "LeaseSeen",
                                                                        "LeaseGone",
                                                                        "MachineSeen",
                                                                        "MachineGone",
                                                                        "NamespaceSeen",
                                                                        "NamespaceGone",
                                                                        "StorageSeen",
                                                                        "StorageGone",
                                                                        "ViewReached",
                                                                        "KindMissing",
                                                                        "RevisionAnswered",
                                                                        "LeadershipWon",
                                                                        "LeadershipLost",
                                                                        "InFlightListed",
                                                                        "LeaseAnswered",
                                                                        "BindAnswered",
                                                                        "TouchAnswered",
                                                                        "PodLookedUp",
                                                                        "ClaimStatusAnswered",
                                                                        "StorageAnswered",
                                                                        "FenceSeen",
                                                                        "FenceStanding"});
};

template <>
struct VariantNames<model::Command> {
  static constexpr std::array kNames = std::to_array<std::string_view>(
      {"ListInFlight", "CreateLease", "UpdateLease", "DeleteLease", "BindPod", "TouchPod",
       "LookUpPod", "AskRevision", "RefreshView", "SetUnschedulable", "WriteClaimStatus",
       "SelectNode", "ReserveVolume", "RecordEvent"});
};

template <>
struct VariantNames<model::StorageObject> {
  static constexpr std::array kNames =
      std::to_array<std::string_view>({"VolumeClaim", "Volume", "StorageClass", "NodeDrivers",
                                       "StorageDriver", "StorageCapacity", "VolumeAttachment"});
};

}  // namespace gs::recording
