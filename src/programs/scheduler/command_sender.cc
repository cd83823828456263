#include "programs/scheduler/command_sender.h"

#include <utility>
#include <variant>

#include "adapters/kube/api/list_page.h"
#include "adapters/kube/api/resource.h"
#include "adapters/kube/api/status_answer.h"
#include "adapters/kube/write/answers.h"
#include "adapters/kube/write/command_requests.h"
#include "adapters/kube/write/writer.h"

namespace gs::scheduler {
namespace {

using model::WriteOutcome;

constexpr Duration kWriteTimeout = std::chrono::seconds(10);

ResourceVersion VersionIn(const http::Outcome& outcome) {
  const auto* response = std::get_if<http::Response>(&outcome);
  if (response == nullptr || response->status != 200) return {};
  const auto page = kube::ParseListPage(response->body);
  return page ? page->resource_version : ResourceVersion();
}

std::string PathOf(model::Kind kind, const Namespace& release) {
  switch (kind) {
    case model::Kind::kPod: return kube::CollectionPath(kube::kPods, {});
    case model::Kind::kNode: return kube::CollectionPath(kube::kNodes, {});
    case model::Kind::kClaim: return kube::CollectionPath(kube::kClaims, {});
    case model::Kind::kLease: return kube::CollectionPath(kube::kLeases, release);
    case model::Kind::kMachine: return kube::CollectionPath(kube::kNodeStatuses, {});
    case model::Kind::kNamespace: return kube::CollectionPath(kube::kNamespaces, {});
    case model::Kind::kVolumeClaim: return kube::CollectionPath(kube::kVolumeClaims, {});
    case model::Kind::kVolume: return kube::CollectionPath(kube::kVolumes, {});
    case model::Kind::kStorageClass: return kube::CollectionPath(kube::kStorageClasses, {});
    case model::Kind::kNodeDrivers: return kube::CollectionPath(kube::kCsiNodes, {});
    case model::Kind::kStorageDriver: return kube::CollectionPath(kube::kCsiDrivers, {});
    case model::Kind::kStorageCapacity: return kube::CollectionPath(kube::kStorageCapacities, {});
    case model::Kind::kVolumeAttachment: return kube::CollectionPath(kube::kVolumeAttachments, {});
  }
  return "";
}

}  // namespace

void CommandSender::Send(const std::vector<model::Command>& commands) {
  for (const model::Command& command : commands) {
    std::visit([this](const auto& one) { Do(one); }, command);
  }
}

void CommandSender::Do(const model::ListInFlight& command) { parts_.fence.SetInFlight(command); }

void CommandSender::Do(const model::RecordEvent& command) { parts_.events.Record(command); }

void CommandSender::Do(const model::RefreshView& command) { parts_.refresh(command.kind); }

void CommandSender::Do(const model::LookUpPod& command) {
  http::Request request;
  request.target = kube::ObjectPath(kube::kPods, command.pod.ns, command.pod.name.text());
  parts_.client.SendThen(std::move(request), {.timeout = kWriteTimeout, .stop = {}},
                         [answer = parts_.answer, command](const http::Outcome& outcome) {
                           answer(kube::EventOf(command, outcome));
                         });
}

void CommandSender::Do(const model::AskRevision& command) {
  http::Request request;
  request.target = PathOf(command.kind, parts_.context.ns) + "?limit=1";
  parts_.client.SendThen(
      std::move(request), {.timeout = kWriteTimeout, .stop = {}},
      [answer = parts_.answer, kind = command.kind](const http::Outcome& outcome) {
        answer(model::RevisionAnswered{kind, VersionIn(outcome)});
      });
}

template <class Command>
void CommandSender::Write(const Command& command,
                          std::function<void(const kube::WriteReply&)> then) {
  kube::WriteThen(
      parts_.client, kube::RequestOf(command, parts_.context),
      {.timeout = kWriteTimeout, .stop = {}},
      [&clock = parts_.clock, began = parts_.clock.Monotonic(), ended = parts_.ended,
       end = AboutWrite(command), then = std::move(then)](const kube::WriteReply& reply) mutable {
        end.outcome = reply.answer.outcome;
        end.message = reply.answer.reason;
        end.took = clock.Monotonic() - began;
        ended(end);
        then(reply);
      });
}

void CommandSender::Do(const model::SetUnschedulable& command) {
  // Nothing depends on it: the condition is written again when its cause changes.
  Write(command, [](const kube::WriteReply&) {});
}

template <class Command>
void CommandSender::Do(const Command& command) {
  if (!parts_.fence.IsLeadingAt(parts_.clock.SinceBoot())) {
    kube::WriteReply not_sent;
    not_sent.answer.outcome = WriteOutcome::kNotExecuted;
    parts_.answer(kube::EventOf(command, not_sent));
    return;
  }
  Write(command, [answer = parts_.answer, command](const kube::WriteReply& reply) {
    answer(kube::EventOf(command, reply));
  });
}

}  // namespace gs::scheduler
