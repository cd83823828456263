// The members of everything that a recording holds, by name. Whoever adds a member to one of these
// structs adds it here: a check at compile time compares their sizes, as far as sizes can tell.
#pragma once

#include <boost/describe.hpp>

#include "core/cycle/cycle.h"
#include "core/model/command.h"
#include "core/model/event.h"

namespace gs::model {

// Pods.
BOOST_DESCRIBE_STRUCT(PodRef, (), (ns, name, uid))
BOOST_DESCRIBE_STRUCT(Controller, (), (kind, uid))
BOOST_DESCRIBE_STRUCT(ScheduledCondition, (), (status, reason, message, since))
BOOST_DESCRIBE_STRUCT(Resources, (), (cpu_milli, memory_bytes, gpus, others))
BOOST_DESCRIBE_STRUCT(Requirement, (), (key, op, values))
BOOST_DESCRIBE_STRUCT(LabelSelector, (), (requirements))
BOOST_DESCRIBE_STRUCT(NodeSelectorTerm, (), (labels, fields))
BOOST_DESCRIBE_STRUCT(PreferredNodes, (), (weight, term))
BOOST_DESCRIBE_STRUCT(PodAffinityTerm, (), (selector, namespaces, namespace_selector, topology_key))
BOOST_DESCRIBE_STRUCT(SpreadConstraint, (),
                      (topology_key, max_skew, min_domains, selector, honours_affinity,
                       honours_taints))
BOOST_DESCRIBE_STRUCT(Toleration, (), (key, value, op, effect))
BOOST_DESCRIBE_STRUCT(PlacementRules, (),
                      (node_selector, node_affinity, preferred_nodes, pod_affinity, spread,
                       tolerations, gates, unsupported))
BOOST_DESCRIBE_STRUCT(HostPort, (), (ip, protocol, port))
BOOST_DESCRIBE_STRUCT(ClaimedVolume, (), (claim, is_made_for_pod))
BOOST_DESCRIBE_STRUCT(NamedDisk, (), (kind, id, is_read_only))
BOOST_DESCRIBE_STRUCT(PodTies, (), (host_ports, anti_affinity, volumes, disks))
BOOST_DESCRIBE_STRUCT(Pod, (),
                      (ref, resource_version, scheduler, node, phase, is_terminating, priority,
                       created, controller, labels, annotations, requests, rules, ties,
                       nominated_node, scheduled, has_visible_devices_variable,
                       had_running_container))

// Nodes and their GPUs.
BOOST_DESCRIBE_STRUCT(Taint, (), (key, value, effect))
BOOST_DESCRIBE_STRUCT(Link, (), (kind, count, pcie, bandwidth_gbps))
BOOST_DESCRIBE_STRUCT(GpuDevice, (),
                      (id, uuid, model, memory_mib, pci_bus_id, numa_node, island, bandwidth_gbps,
                       health, health_reason, in_use_by, residue))
BOOST_DESCRIBE_STRUCT(Machine, (), (devices, links))
BOOST_DESCRIBE_STRUCT(Node, (),
                      (name, uid, labels, taints, is_unschedulable, allocatable, allocatable_pods,
                       gpu_capacity, machine))
BOOST_DESCRIBE_STRUCT(NodeGpus, (), (node, ids))
BOOST_DESCRIBE_STRUCT(Allocation, (), (pod, gpus, uuids, mode, claim, controller, is_enforced))

// Claims and locks.
BOOST_DESCRIBE_STRUCT(DeviceRequest, (), (count, policy, prefer_ids, exclusivity))
BOOST_DESCRIBE_STRUCT(TopologyRequest, (), (mode, min_bandwidth_gbps))
BOOST_DESCRIBE_STRUCT(ClaimAllocation, (), (pod, uid, gpus, uuids, is_enforced, since))
BOOST_DESCRIBE_STRUCT(ClaimCondition, (), (type, status, reason, message, since))
BOOST_DESCRIBE_STRUCT(ClaimStatus, (),
                      (phase, allocations, allocated_count, allocated, first_node, first_ids,
                       message, conditions))
BOOST_DESCRIBE_STRUCT(Claim, (),
                      (ns, name, resource_version, devices, topology, match_labels, status))
BOOST_DESCRIBE_STRUCT(LeaseHolder, (), (pod, plan, attempt))
BOOST_DESCRIBE_STRUCT(GpuLease, (),
                      (name, uid, resource_version, node, gpu, scheduler, mode, controller,
                       holders))

// Storage.
BOOST_DESCRIBE_STRUCT(VolumeClaim, (),
                      (ns, name, uid, resource_version, is_terminating, is_lost, volume, is_bound,
                       storage_class, selected_node, owner, access_modes, bytes, is_block,
                       selector))
BOOST_DESCRIBE_STRUCT(Volume, (),
                      (name, uid, resource_version, is_terminating, is_available, labels,
                       node_affinity, claim_ns, claim_name, claim_uid, storage_class, access_modes,
                       bytes, is_block, driver, handle))
BOOST_DESCRIBE_STRUCT(StorageClass, (), (name, provisioner, waits_for_consumer, allowed_topologies))
BOOST_DESCRIBE_STRUCT(NodeDrivers, (), (node, limits))
BOOST_DESCRIBE_STRUCT(StorageDriver, (), (name, tells_capacity))
BOOST_DESCRIBE_STRUCT(StorageCapacity, (), (ns, name, storage_class, nodes, bytes, largest_bytes))
BOOST_DESCRIBE_STRUCT(VolumeAttachment, (), (name, node, driver, volume))

// Events.
BOOST_DESCRIBE_STRUCT(PodSeen, (), (pod))
BOOST_DESCRIBE_STRUCT(PodGone, (), (pod, resource_version))
BOOST_DESCRIBE_STRUCT(NodeSeen, (), (node))
BOOST_DESCRIBE_STRUCT(NodeGone, (), (node))
BOOST_DESCRIBE_STRUCT(ClaimSeen, (), (claim))
BOOST_DESCRIBE_STRUCT(ClaimGone, (), (ns, name))
BOOST_DESCRIBE_STRUCT(LeaseSeen, (), (lease))
BOOST_DESCRIBE_STRUCT(LeaseGone, (), (name, uid))
BOOST_DESCRIBE_STRUCT(ReportNotes, (), (driver_version, observed_at, why_stale, since))
BOOST_DESCRIBE_STRUCT(MachineSeen, (), (node, machine, resource_version, owner, reporter, notes))
BOOST_DESCRIBE_STRUCT(MachineGone, (), (node, resource_version))
BOOST_DESCRIBE_STRUCT(NamespaceSeen, (), (ns, labels))
BOOST_DESCRIBE_STRUCT(NamespaceGone, (), (ns))
BOOST_DESCRIBE_STRUCT(StorageSeen, (), (object))
BOOST_DESCRIBE_STRUCT(StorageGone, (), (kind, ns, name))
BOOST_DESCRIBE_STRUCT(ViewReached, (), (kind, resource_version, is_list))
BOOST_DESCRIBE_STRUCT(KindMissing, (), (kind))
BOOST_DESCRIBE_STRUCT(RevisionAnswered, (), (kind, resource_version))
BOOST_DESCRIBE_STRUCT(InFlightPod, (), (pod, noted, gpus, mode, controller, is_enforced))
BOOST_DESCRIBE_STRUCT(LeadershipWon, (),
                      (transitions, is_list_known, unresolved, inherited, settled))
BOOST_DESCRIBE_STRUCT(LeadershipLost, (), (reason))
BOOST_DESCRIBE_STRUCT(InFlightListed, (), (revision, refused))
BOOST_DESCRIBE_STRUCT(FenceSeen::Other, (), (in_flight, is_silent, scheduler))
BOOST_DESCRIBE_STRUCT(FenceSeen, (), (others, settled))
BOOST_DESCRIBE_STRUCT(FenceStanding, (), (why_not))
BOOST_DESCRIBE_STRUCT(LeaseAnswered, (), (lease, attempt, outcome))
BOOST_DESCRIBE_STRUCT(BindAnswered, (), (pod, attempt, outcome))
BOOST_DESCRIBE_STRUCT(TouchAnswered, (),
                      (pod, attempt, outcome, node, resource_version, retry_after))
BOOST_DESCRIBE_STRUCT(PodLookedUp, (), (pod, outcome))
BOOST_DESCRIBE_STRUCT(ClaimStatusAnswered, (), (ns, name, outcome, resource_version))
BOOST_DESCRIBE_STRUCT(StorageAnswered, (), (attempt, ns, claim, outcome, resource_version))

// Commands.
BOOST_DESCRIBE_STRUCT(Reason, (), (token, message))
BOOST_DESCRIBE_STRUCT(ListInFlight, (), (revision, in_flight, view, settled, dropped, is_settling))
BOOST_DESCRIBE_STRUCT(CreateLease, (), (lease, attempt))
BOOST_DESCRIBE_STRUCT(UpdateLease, (), (lease, attempt))
BOOST_DESCRIBE_STRUCT(DeleteLease, (), (name, uid, resource_version, attempt))
BOOST_DESCRIBE_STRUCT(BindPod, (), (pod, resource_version, attempt, allocation))
BOOST_DESCRIBE_STRUCT(TouchPod, (), (pod, attempt, message))
BOOST_DESCRIBE_STRUCT(LookUpPod, (), (pod))
BOOST_DESCRIBE_STRUCT(AskRevision, (), (kind))
BOOST_DESCRIBE_STRUCT(RefreshView, (), (kind))
BOOST_DESCRIBE_STRUCT(SetUnschedulable, (), (pod, reason, since))
BOOST_DESCRIBE_STRUCT(WriteClaimStatus, (), (ns, name, status))
BOOST_DESCRIBE_STRUCT(SelectNode, (), (pod, attempt, claim, resource_version, node))
BOOST_DESCRIBE_STRUCT(ReserveVolume, (), (pod, attempt, claim, claim_uid, volume, resource_version))
BOOST_DESCRIBE_STRUCT(RecordEvent, (), (pod, type, reason, message, node))

}  // namespace gs::model

namespace gs::commit {
BOOST_DESCRIBE_STRUCT(Rules, (),
                      (listed, rvpre, touch, settled, fresh, look_again, resume, touch_all,
                       touch_late, mark_settled, dead_touch, dead_settled, uid))
}  // namespace gs::commit

namespace gs::pending {
BOOST_DESCRIBE_STRUCT(PendingOptions, (), (first_backoff, longest_backoff, backstop))
}  // namespace gs::pending

namespace gs::decide {
BOOST_DESCRIBE_STRUCT(AskOptions, (), (share_cap, needs_variable))
}  // namespace gs::decide

namespace gs::cycle {
BOOST_DESCRIBE_STRUCT(WakeRules, (),
                      (node_changed, node_left, machine_changed, room_freed, gpus_freed,
                       release_ended, claim_changed, storage_changed, company_changed,
                       others_distance, namespaces_changed, rejection_over, reservation_over))
BOOST_DESCRIBE_STRUCT(CycleOptions, (),
                      (scheduler, leader, ask, pending, release_timeout, reserve_after, rules,
                       wakes))
}  // namespace gs::cycle
