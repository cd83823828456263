#include "adapters/kube/fence/simulation/request.h"

#include "base/text.h"
#include "core/model/fence.h"

namespace gs::kube::simulation {

using model::Event;
using model::WriteOutcome;

namespace {

// The answer if nobody knows what became of it, or if it was turned away.
struct Failure {
  WriteOutcome outcome;

  Content operator()(const model::CreateLease& create) const {
    return Event(model::LeaseAnswered{create.lease.name, create.attempt, outcome});
  }
  Content operator()(const model::UpdateLease& update) const {
    return Event(model::LeaseAnswered{update.lease.name, update.attempt, outcome});
  }
  Content operator()(const model::DeleteLease& remove) const {
    return Event(model::LeaseAnswered{remove.name, remove.attempt, outcome});
  }
  Content operator()(const model::BindPod& bind) const {
    return Event(model::BindAnswered{bind.pod.uid, bind.attempt, outcome});
  }
  Content operator()(const model::TouchPod& touch) const {
    return Event(model::TouchAnswered{touch.pod.uid, touch.attempt, outcome, {}, {}});
  }
  Content operator()(const model::LookUpPod& look) const {
    return Event(model::PodLookedUp{look.pod, outcome});
  }
  Content operator()(const model::AskRevision& ask) const {
    return Event(model::RevisionAnswered{ask.kind, {}});
  }
  template <class Other>
  Content operator()(const Other&) const {
    return Event(model::RevisionAnswered{});
  }
};

// Executes a command and makes the answer to it.
struct Executor {
  Server& server;
  const Namespace& ns;

  Content operator()(const model::CreateLease& create) const {
    return Event(
        model::LeaseAnswered{create.lease.name, create.attempt, server.Create(ns, create)});
  }
  Content operator()(const model::UpdateLease& update) const {
    return Event(
        model::LeaseAnswered{update.lease.name, update.attempt, server.Update(ns, update)});
  }
  Content operator()(const model::DeleteLease& remove) const {
    return Event(model::LeaseAnswered{remove.name, remove.attempt, server.Delete(ns, remove)});
  }
  Content operator()(const model::BindPod& bind) const {
    return Event(model::BindAnswered{bind.pod.uid, bind.attempt, server.Bind(bind)});
  }
  Content operator()(const model::TouchPod& touch) const { return Event(server.Touch(touch)); }
  Content operator()(const model::LookUpPod& look) const {
    return Event(model::PodLookedUp{look.pod, server.LookUp(look.pod)});
  }
  Content operator()(const model::AskRevision& ask) const {
    return Event(model::RevisionAnswered{ask.kind, server.version()});
  }
  template <class Other>
  Content operator()(const Other&) const {
    return Event(model::RevisionAnswered{});  // nothing that this world executes
  }
};

std::string PrintFence(const FenceLease& fence) {
  std::string text = fence.unsettled ? "unsettled" : "settled";
  for (const auto& [key, record] : fence.records) {
    text += "; " + record.scheduler.text() + " by " + record.holder.process + "#" +
            std::to_string(record.write) + " settled " + record.settled.text() + " lists [";
    text += text::Join(record.in_flight, ", ", [](const model::InFlightPod& entry) {
      return ToString(entry.pod) + "@" + entry.noted.text() + " to " + ToString(entry.gpus);
    });
    text += "]";
  }
  return text;
}

struct FencePrinter {
  std::string operator()(const ReadFence&) const { return "read fence"; }
  std::string operator()(const CreateFence& create) const {
    return "create fence: " + PrintFence(create.fence);
  }
  std::string operator()(const PutFence& put) const {
    return "put fence from " + put.fence.metadata.resource_version.text() + ": " +
           PrintFence(put.fence);
  }
  std::string operator()(const EarlierRequest& earlier) const {
    return std::holds_alternative<ReadEarlier>(earlier) ? "read earlier Lease"
                                                        : "take earlier Lease";
  }
};

}  // namespace

Content FailureOf(const Sent& sent, WriteOutcome outcome) {
  if (std::holds_alternative<FenceRequest>(sent)) return FenceAnswer{.outcome = outcome};
  return std::visit(Failure{outcome}, std::get<model::Command>(sent));
}

Content Execute(Server& server, const Namespace& ns, const model::Command& command) {
  return std::visit(Executor{server, ns}, command);
}

bool IsBinding(const Sent& sent) {
  const auto* command = std::get_if<model::Command>(&sent);
  return command != nullptr && std::holds_alternative<model::BindPod>(*command);
}

std::string Print(const Sent& sent) {
  if (const auto* fence = std::get_if<FenceRequest>(&sent)) {
    return std::visit(FencePrinter(), *fence);
  }
  return ToString(std::get<model::Command>(sent));
}

}  // namespace gs::kube::simulation
