#include "adapters/kube/write/answers.h"

#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "adapters/kube/api/resource.h"
#include "adapters/kube/objects/json_view.h"

namespace gs::kube {
namespace {

using model::WriteOutcome;

std::string_view HeaderOf(const http::Response& response, std::string_view name) {
  const std::string* value = response.headers.Find(name);
  return value == nullptr ? std::string_view() : *value;
}

WriteReply WithoutAnswer(WriteOutcome outcome, const Error& error) {
  return {.answer = {.outcome = outcome, .reason = ToString(error), .retry_after = {}}, .body = ""};
}

WriteReply ReplyOfResponse(http::Response response, WriteVerb verb, const NamedObject& object) {
  WriteReply reply;
  reply.answer = ClassifyWrite({.code = response.status,
                                .retry_after = HeaderOf(response, "Retry-After"),
                                .date = HeaderOf(response, "Date"),
                                .body = response.body},
                               verb, object);
  if (reply.answer.outcome == WriteOutcome::kDone) reply.body = std::move(response.body);
  return reply;
}

// Only these fields: a pod that is odd elsewhere must not leave a touch open for ever.
struct AnsweredPod {
  PodUid uid;
  NodeName node;
  ResourceVersion resource_version;
};

std::optional<AnsweredPod> ReadPod(std::string_view body) {
  const auto document = JsonDocument::Parse(body);
  if (!document) return std::nullopt;
  const JsonView root = document->root();
  if (root.Field("kind").Text() != "Pod") return std::nullopt;
  const JsonView metadata = root.Field("metadata");
  AnsweredPod pod{
      .uid = PodUid(metadata.Field("uid").RequiredText()),
      .node = NodeName(root.Field("spec").Field("nodeName").Text()),
      .resource_version = ResourceVersion(metadata.Field("resourceVersion").RequiredText())};
  // Without a spec nothing is known of the node.
  if (!root.Field("spec").is_present() || !document->Finish()) return std::nullopt;
  return pod;
}

// Empty where the answer does not say.
ResourceVersion ReadVersion(std::string_view body) {
  const auto document = JsonDocument::Parse(body);
  if (!document) return {};
  ResourceVersion version(document->root().Field("metadata").Field("resourceVersion").Text());
  return document->Finish() ? version : ResourceVersion();
}

template <class Command>
model::LeaseAnswered LeaseEvent(const LeaseName& lease, const Command& command,
                                const WriteReply& reply) {
  return {lease, command.attempt, reply.answer.outcome};
}

template <class Command>
model::StorageAnswered StorageEvent(const Command& command, const WriteReply& reply) {
  model::StorageAnswered event{
      command.attempt, command.pod.ns, command.claim, reply.answer.outcome, {}};
  if (event.outcome == WriteOutcome::kDone) event.resource_version = ReadVersion(reply.body);
  return event;
}

}  // namespace

WriteReply ReplyOf(http::Outcome outcome, WriteVerb verb, const NamedObject& object) {
  if (auto* response = std::get_if<http::Response>(&outcome)) {
    return ReplyOfResponse(std::move(*response), verb, object);
  }
  const bool is_unsent = std::holds_alternative<http::NotSent>(outcome);
  return WithoutAnswer(is_unsent ? WriteOutcome::kNotExecuted : WriteOutcome::kUnknown,
                       *http::ErrorOf(outcome));
}

WriteReply ReplyOf(const Error& refusal) { return WithoutAnswer(WriteOutcome::kRefused, refusal); }

model::LeaseAnswered EventOf(const model::CreateLease& command, const WriteReply& reply) {
  return LeaseEvent(command.lease.name, command, reply);
}

model::LeaseAnswered EventOf(const model::UpdateLease& command, const WriteReply& reply) {
  return LeaseEvent(command.lease.name, command, reply);
}

model::LeaseAnswered EventOf(const model::DeleteLease& command, const WriteReply& reply) {
  return LeaseEvent(command.name, command, reply);
}

model::BindAnswered EventOf(const model::BindPod& command, const WriteReply& reply) {
  return {command.pod.uid, command.attempt, reply.answer.outcome};
}

model::TouchAnswered EventOf(const model::TouchPod& command, const WriteReply& reply) {
  model::TouchAnswered event{command.pod.uid, command.attempt, reply.answer.outcome, {}, {}};
  event.retry_after = reply.answer.retry_after;
  if (event.outcome != WriteOutcome::kDone) return event;
  auto pod = ReadPod(reply.body);
  if (!pod || pod->uid != command.pod.uid) {
    event.outcome = WriteOutcome::kUnknown;
    return event;
  }
  event.node = std::move(pod->node);
  event.resource_version = std::move(pod->resource_version);
  return event;
}

model::PodLookedUp EventOf(const model::LookUpPod& command, const http::Outcome& outcome) {
  model::PodLookedUp event{command.pod, WriteOutcome::kUnknown};
  const auto* response = std::get_if<http::Response>(&outcome);
  if (response == nullptr) return event;
  const NamedObject asked{std::string(kPods.plural), command.pod.name.text()};
  if (response->status == 404 && SaysNotFound(response->body, asked)) {
    event.outcome = WriteOutcome::kNotFound;
  }
  const auto pod = response->status == 200 ? ReadPod(response->body) : std::nullopt;
  if (pod) {
    event.outcome = pod->uid == command.pod.uid ? WriteOutcome::kDone : WriteOutcome::kNotFound;
  }
  return event;
}

model::StorageAnswered EventOf(const model::SelectNode& command, const WriteReply& reply) {
  return StorageEvent(command, reply);
}

model::StorageAnswered EventOf(const model::ReserveVolume& command, const WriteReply& reply) {
  return StorageEvent(command, reply);
}

model::ClaimStatusAnswered EventOf(const model::WriteClaimStatus& command,
                                   const WriteReply& reply) {
  model::ClaimStatusAnswered event{command.ns, command.name, reply.answer.outcome, {}};
  if (event.outcome == WriteOutcome::kDone) event.resource_version = ReadVersion(reply.body);
  return event;
}

}  // namespace gs::kube
