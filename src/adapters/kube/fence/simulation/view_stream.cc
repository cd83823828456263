#include "adapters/kube/fence/simulation/view_stream.h"

#include <set>
#include <utility>
#include <variant>

namespace gs::kube::simulation {

using model::Event;
using model::Kind;

namespace {

// A list says of what is missing in it that it is gone by then.
Event GoneAt(const ResourceVersion& version, Event gone) {
  if (auto* pod = std::get_if<model::PodGone>(&gone)) pod->resource_version = version;
  return gone;
}

}  // namespace

void ViewStream::Relist(const Server& server) {
  reached_ = 0;
  pending_.clear();  // a list that was broken off: what is left of it is listed anew
  std::set<std::string> there;
  if (kind_ == Kind::kPod) {
    for (const auto& [name, pod] : server.pods()) {
      there.insert(name);
      List(name, {pod.ref.uid.text(), pod.resource_version, model::PodGone{pod.ref, {}}},
           model::PodSeen{pod});
    }
  } else if (kind_ == Kind::kMachine) {
    for (const auto& [node, report] : server.reports()) {
      there.insert(node.text());
      List(node.text(), {node.text(), report.resource_version, model::MachineGone{node, {}}},
           report);
    }
  } else {
    for (const auto& [name, lease] : server.leases(ns_)) {
      there.insert(name.text());
      List(name.text(),
           {lease.uid.text(), lease.resource_version, model::LeaseGone{lease.name, lease.uid}},
           model::LeaseSeen{lease});
    }
  }
  for (const auto& [name, told] : told_) {
    if (!there.contains(name)) pending_.push_back(GoneAt(server.version(), told.gone));
  }
  pending_.push_back(model::ViewReached{kind_, server.version(), true});
  bookmark_ = server.revision();
  position_ = HistoryOf(server).size();
}

void ViewStream::List(const std::string& name, const Told& told, Event seen) {
  const auto before = told_.find(name);
  if (before != told_.end() && before->second.uid != told.uid) {
    pending_.push_back(GoneAt(told.version, before->second.gone));
  }
  const bool is_same = before != told_.end() && before->second.version == told.version;
  if (!is_same) pending_.push_back(std::move(seen));
}

Event ViewStream::Next(const Server& server) {
  if (!pending_.empty()) {
    Event event = std::move(pending_.front());
    pending_.pop_front();
    Note(event);
    return event;
  }
  if (reached_ > 0) {
    const auto reached = std::exchange(reached_, 0);
    return model::ViewReached{kind_, ResourceVersion(std::to_string(reached))};
  }
  const std::vector<Change>& history = HistoryOf(server);
  if (position_ < history.size()) {
    const Change& change = history[position_++];
    if (change.revision % 2 == 0) reached_ = change.revision;
    Note(change.event);
    return change.event;
  }
  bookmark_ = server.revision();
  return model::ViewReached{kind_, server.version()};
}

bool ViewStream::IsDone(const Server& server) const {
  return pending_.empty() && position_ == HistoryOf(server).size() &&
         bookmark_ == server.revision();
}

const std::vector<Change>& ViewStream::HistoryOf(const Server& server) const {
  if (kind_ == Kind::kMachine) return server.report_history();
  return kind_ == Kind::kPod ? server.pod_history() : server.lease_history(ns_);
}

void ViewStream::Note(const Event& event) {
  if (const auto* pod = std::get_if<model::PodSeen>(&event)) {
    const model::PodRef& ref = pod->pod.ref;
    told_.insert_or_assign(
        ref.name.text(), Told{ref.uid.text(), pod->pod.resource_version, model::PodGone{ref, {}}});
  } else if (const auto* lease = std::get_if<model::LeaseSeen>(&event)) {
    const model::GpuLease& seen = lease->lease;
    told_.insert_or_assign(seen.name.text(), Told{seen.uid.text(), seen.resource_version,
                                                  model::LeaseGone{seen.name, seen.uid}});
  } else if (const auto* report = std::get_if<model::MachineSeen>(&event)) {
    told_.insert_or_assign(report->node.text(), Told{report->node.text(), report->resource_version,
                                                     model::MachineGone{report->node, {}}});
  } else if (const auto* pod_gone = std::get_if<model::PodGone>(&event)) {
    told_.erase(pod_gone->pod.name.text());
  } else if (const auto* lease_gone = std::get_if<model::LeaseGone>(&event)) {
    told_.erase(lease_gone->name.text());
  }
}

}  // namespace gs::kube::simulation
