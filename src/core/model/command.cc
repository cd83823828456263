#include "core/model/command.h"

#include <ostream>
#include <sstream>

namespace gs::model {
namespace {

// Prints the alternative that is there.
struct Printer {
  std::ostream& out;

  void operator()(const ListInFlight& list) {
    out << "list revision " << list.revision << " with " << list.in_flight.size()
        << " pods in flight";
  }
  void operator()(const CreateLease& create) { out << "create " << create.lease; }
  void operator()(const UpdateLease& update) { out << "update " << update.lease; }
  void operator()(const DeleteLease& remove) { out << "delete lease " << remove.name; }
  void operator()(const BindPod& bind) { out << "bind " << bind.pod << " to " << bind.allocation; }
  void operator()(const TouchPod& touch) { out << "touch " << touch.pod; }
  void operator()(const LookUpPod& look) { out << "look up " << look.pod; }
  void operator()(const AskRevision& ask) {
    out << "ask for the version of " << ToString(ask.kind);
  }
  void operator()(const RefreshView& refresh) {
    out << "list " << ToString(refresh.kind) << " again";
  }
  void operator()(const SetUnschedulable& set) {
    out << "mark " << set.pod << " unschedulable, " << set.reason;
  }
  void operator()(const WriteClaimStatus& write) {
    out << "write status of claim " << write.ns << "/" << write.name << ": " << write.status;
  }
  void operator()(const SelectNode& select) {
    out << "select " << select.node << " for claim " << select.pod.ns << "/" << select.claim;
  }
  void operator()(const ReserveVolume& reserve) {
    out << "keep volume " << reserve.volume << " for claim " << reserve.pod.ns << "/"
        << reserve.claim;
  }
  void operator()(const RecordEvent& record) {
    out << "record " << ToString(record.type) << " " << record.reason << " on " << record.pod
        << ": " << record.message;
  }
};

}  // namespace

std::string_view ToString(EventType type) {
  return type == EventType::kWarning ? "Warning" : "Normal";
}

std::string ToString(const Command& command) {
  std::ostringstream out;
  std::visit(Printer{out}, command);
  return out.str();
}

}  // namespace gs::model
