#include "core/model/event.h"

#include <array>
#include <ostream>
#include <sstream>
#include <utility>

#include "base/text.h"

namespace gs::model {
namespace {

constexpr std::array kOutcomes{
    std::pair{WriteOutcome::kDone, std::string_view("done")},
    std::pair{WriteOutcome::kAlreadyExists, std::string_view("already exists")},
    std::pair{WriteOutcome::kConflict, std::string_view("conflict")},
    std::pair{WriteOutcome::kNotFound, std::string_view("not found")},
    std::pair{WriteOutcome::kNotExecuted, std::string_view("not executed")},
    std::pair{WriteOutcome::kRefused, std::string_view("refused")},
    std::pair{WriteOutcome::kUnknown, std::string_view("unknown")},
};

constexpr std::array kKinds{
    std::pair{Kind::kPod, std::string_view("pods")},
    std::pair{Kind::kNode, std::string_view("nodes")},
    std::pair{Kind::kClaim, std::string_view("claims")},
    std::pair{Kind::kLease, std::string_view("leases")},
    std::pair{Kind::kMachine, std::string_view("machines")},
    std::pair{Kind::kNamespace, std::string_view("namespaces")},
    std::pair{Kind::kVolumeClaim, std::string_view("volume claims")},
    std::pair{Kind::kVolume, std::string_view("volumes")},
    std::pair{Kind::kStorageClass, std::string_view("storage classes")},
    std::pair{Kind::kNodeDrivers, std::string_view("drivers of nodes")},
    std::pair{Kind::kStorageDriver, std::string_view("storage drivers")},
    std::pair{Kind::kStorageCapacity, std::string_view("storage capacities")},
    std::pair{Kind::kVolumeAttachment, std::string_view("volume attachments")},
};

// Prints the alternative that is there.
struct Printer {
  std::ostream& out;

  void operator()(const PodSeen& seen) { out << "seen " << seen.pod; }
  void operator()(const PodGone& gone) { out << "gone pod " << gone.pod; }
  void operator()(const NodeSeen& seen) { out << "seen " << seen.node; }
  void operator()(const NodeGone& gone) { out << "gone node " << gone.node; }
  void operator()(const ClaimSeen& seen) { out << "seen claim " << seen.claim; }
  void operator()(const ClaimGone& gone) { out << "gone claim " << gone.ns << "/" << gone.name; }
  void operator()(const LeaseSeen& seen) { out << "seen " << seen.lease; }
  void operator()(const LeaseGone& gone) { out << "gone lease " << gone.name; }
  void operator()(const MachineSeen& seen) {
    out << "seen machine of " << seen.node << " with " << seen.machine.devices.size() << " GPUs";
  }
  void operator()(const MachineGone& gone) { out << "gone machine of " << gone.node; }
  void operator()(const NamespaceSeen& seen) { out << "seen namespace " << seen.ns; }
  void operator()(const NamespaceGone& gone) { out << "gone namespace " << gone.ns; }
  void operator()(const StorageSeen& seen) { out << "seen " << ToString(seen.object); }
  void operator()(const StorageGone& gone) {
    out << "gone from " << ToString(gone.kind) << ": " << InNamespace(gone.ns, gone.name);
  }
  void operator()(const StorageAnswered& answer) {
    out << "storage of " << InNamespace(answer.ns, answer.claim) << " attempt " << answer.attempt
        << ": " << ToString(answer.outcome);
  }
  void operator()(const ViewReached& view) {
    out << "view of " << ToString(view.kind) << " at " << view.resource_version;
  }
  void operator()(const KindMissing& missing) { out << "no " << ToString(missing.kind); }
  void operator()(const RevisionAnswered& answer) {
    out << ToString(answer.kind) << " are at "
        << (answer.resource_version.empty() ? "an unknown version"
                                            : answer.resource_version.text());
  }
  void operator()(const LeadershipWon& won) {
    out << "leading since transition " << won.transitions;
    if (!won.is_list_known) out << ", list unknown";
    for (const PodRef& pod : won.unresolved) out << ", unresolved " << pod;
    for (const InFlightPod& each : won.inherited) out << ", inherited " << each;
  }
  void operator()(const LeadershipLost& lost) { out << "not leading: " << lost.reason; }
  void operator()(const InFlightListed& listed) {
    out << "listed revision " << listed.revision;
    for (const PodUid& pod : listed.refused) out << ", refused " << pod;
  }
  void operator()(const FenceSeen& seen) {
    out << "other releases have bound up to "
        << (seen.settled.empty() ? "nothing" : seen.settled.text());
    for (const FenceSeen::Other& other : seen.others) {
      out << (other.is_silent ? ", silently commit " : ", commit ") << other.in_flight;
      if (!other.scheduler.empty()) out << " for " << other.scheduler;
    }
  }
  void operator()(const FenceStanding& standing) {
    out << (standing.why_not.empty() ? "nothing keeps us from leading"
                                     : "cannot lead: " + standing.why_not);
  }
  void operator()(const LeaseAnswered& answer) {
    out << "lease " << answer.lease << " attempt " << answer.attempt << ": "
        << ToString(answer.outcome);
  }
  void operator()(const BindAnswered& answer) {
    out << "bind " << answer.pod << " attempt " << answer.attempt << ": "
        << ToString(answer.outcome);
  }
  void operator()(const TouchAnswered& answer) {
    out << "touch " << answer.pod << " attempt " << answer.attempt << ": "
        << ToString(answer.outcome);
    if (!answer.node.empty()) out << " on " << answer.node;
  }
  void operator()(const PodLookedUp& answer) {
    out << "look up " << answer.pod << ": " << ToString(answer.outcome);
  }
  void operator()(const ClaimStatusAnswered& answer) {
    out << "status of claim " << answer.ns << "/" << answer.name << ": "
        << ToString(answer.outcome);
  }
};

}  // namespace

std::string_view ToString(WriteOutcome outcome) { return text::NameOf(kOutcomes, outcome); }

std::string_view ToString(Kind kind) { return text::NameOf(kKinds, kind); }

std::string ToString(const Event& event) {
  std::ostringstream out;
  std::visit(Printer{out}, event);
  return out.str();
}

}  // namespace gs::model
