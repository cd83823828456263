#include "programs/scheduler/command_sender.h"

#include <utility>
#include <variant>

#include "adapters/kube/api/list_page.h"
#include "adapters/kube/api/resource.h"
#include "adapters/kube/api/status_answer.h"
#include "adapters/kube/election/rivals.h"
#include "adapters/kube/objects/decode.h"
#include "adapters/kube/write/answers.h"
#include "adapters/kube/write/command_requests.h"
#include "adapters/kube/write/writer.h"

namespace gs::scheduler {
namespace {

using model::WriteOutcome;

constexpr Duration kWriteTimeout = std::chrono::seconds(10);

// Whether that very pod is there.
WriteOutcome StandingOf(const model::PodRef& pod, const http::Outcome& outcome) {
  const auto* response = std::get_if<http::Response>(&outcome);
  if (response == nullptr) return WriteOutcome::kUnknown;
  if (response->status == 404) return WriteOutcome::kNotFound;
  if (response->status != 200) return WriteOutcome::kUnknown;
  const auto found = kube::DecodePod(response->body);
  if (!found) return WriteOutcome::kUnknown;
  return found->ref.uid == pod.uid ? WriteOutcome::kDone : WriteOutcome::kNotFound;
}

ResourceVersion VersionIn(const http::Outcome& outcome) {
  const auto* response = std::get_if<http::Response>(&outcome);
  if (response == nullptr || response->status != 200) return {};
  const auto page = kube::ParseListPage(response->body);
  return page ? page->resource_version : ResourceVersion();
}

model::ReleasesChecked ReleasesIn(std::uint64_t number, const kube::ElectionSeat& own,
                                  const http::Outcome& outcome) {
  const auto* response = std::get_if<http::Response>(&outcome);
  if (response != nullptr && response->status == 200) {
    return kube::ReadReleases(number, own, response->body);
  }
  std::string problem =
      response == nullptr
          ? ToString(*http::ErrorOf(outcome))
          : kube::ClassifyWrite(
                {.code = response->status, .retry_after = {}, .date = {}, .body = response->body},
                kube::WriteVerb::kOther)
                .reason;
  return {.number = number, .is_known = false, .why_not = std::move(problem), .neighbours = {}};
}

std::string PathOf(model::Kind kind, const Namespace& lock_namespace) {
  switch (kind) {
    case model::Kind::kPod: return kube::CollectionPath(kube::kPods, {});
    case model::Kind::kNode: return kube::CollectionPath(kube::kNodes, {});
    case model::Kind::kClaim: return kube::CollectionPath(kube::kClaims, {});
    case model::Kind::kLease: return kube::CollectionPath(kube::kLeases, lock_namespace);
    case model::Kind::kMachine: return kube::CollectionPath(kube::kNodeStatuses, {});
    case model::Kind::kNamespace: return kube::CollectionPath(kube::kNamespaces, {});
    case model::Kind::kVolumeClaim: return kube::CollectionPath(kube::kVolumeClaims, {});
    case model::Kind::kVolume: return kube::CollectionPath(kube::kVolumes, {});
    case model::Kind::kStorageClass: return kube::CollectionPath(kube::kStorageClasses, {});
    case model::Kind::kNodeDrivers: return kube::CollectionPath(kube::kCsiNodes, {});
    case model::Kind::kStorageDriver: return kube::CollectionPath(kube::kCsiDrivers, {});
    case model::Kind::kStorageCapacity: return kube::CollectionPath(kube::kStorageCapacities, {});
  }
  return "";
}

}  // namespace

void CommandSender::Send(const std::vector<model::Command>& commands) {
  for (const model::Command& command : commands) {
    std::visit([this](const auto& one) { Do(one); }, command);
  }
}

void CommandSender::Do(const model::ListInFlight& command) { parts_.election.SetInFlight(command); }

void CommandSender::Do(const model::RecordEvent& command) { parts_.events.Record(command); }

void CommandSender::Do(const model::RefreshView& command) { parts_.refresh(command.kind); }

void CommandSender::Do(const model::LookUpPod& command) {
  http::Request request;
  request.target = kube::ObjectPath(kube::kPods, command.pod.ns, command.pod.name.text());
  parts_.client.SendThen(std::move(request), {.timeout = kWriteTimeout, .stop = {}},
                         [answer = parts_.answer, pod = command.pod](const http::Outcome& outcome) {
                           answer(model::PodLookedUp{pod, StandingOf(pod, outcome)});
                         });
}

void CommandSender::Do(const model::AskRevision& command) {
  http::Request request;
  request.target = PathOf(command.kind, parts_.lock_namespace) + "?limit=1";
  parts_.client.SendThen(
      std::move(request), {.timeout = kWriteTimeout, .stop = {}},
      [answer = parts_.answer, kind = command.kind](const http::Outcome& outcome) {
        answer(model::RevisionAnswered{kind, VersionIn(outcome)});
      });
}

void CommandSender::Do(const model::CheckReleases& command) {
  http::Request request;
  request.target = kube::ReleasesPath();
  const kube::ElectionSeat own{parts_.lock_namespace, parts_.scheduler, parts_.lock_namespace};
  parts_.client.SendThen(
      std::move(request), {.timeout = kWriteTimeout, .stop = {}},
      [answer = parts_.answer, own, number = command.number](const http::Outcome& outcome) {
        answer(ReleasesIn(number, own, outcome));
      });
}

template <class Command>
void CommandSender::Write(const Command& command,
                          std::function<void(const kube::WriteReply&)> then) {
  const kube::CommandContext context{parts_.lock_namespace, parts_.needs_version_to_bind};
  kube::WriteThen(
      parts_.client, kube::RequestOf(command, context), {.timeout = kWriteTimeout, .stop = {}},
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
  if (!parts_.election.IsLeadingAt(parts_.clock.SinceBoot())) {
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
