// How a write ended, from what the network knows of it to what the core is told.
//
// Nothing hides an unknown: an answer that does not prove what happened says so, also where a part
// of it is missing. Pure functions of their arguments.
#pragma once

#include <string>

#include "adapters/http/outcome.h"
#include "adapters/kube/api/status_answer.h"
#include "core/model/command.h"
#include "core/model/event.h"

namespace gs::kube {

struct WriteReply {
  WriteAnswer answer;
  std::string body;  // with kDone: what the API server answered, for most writes the object

  friend bool operator==(const WriteReply&, const WriteReply&) = default;
};

[[nodiscard]] WriteReply ReplyOf(http::Outcome outcome, WriteVerb verb,
                                 const NamedObject& object = {});
// Of a request that could not be written down: the same command will always fail.
[[nodiscard]] WriteReply ReplyOf(const Error& refusal);

[[nodiscard]] model::LeaseAnswered EventOf(const model::CreateLease& command,
                                           const WriteReply& reply);
[[nodiscard]] model::LeaseAnswered EventOf(const model::UpdateLease& command,
                                           const WriteReply& reply);
[[nodiscard]] model::LeaseAnswered EventOf(const model::DeleteLease& command,
                                           const WriteReply& reply);
[[nodiscard]] model::BindAnswered EventOf(const model::BindPod& command, const WriteReply& reply);
// A touch has to show where the pod is bound; one that was done and does not show it is unknown.
[[nodiscard]] model::TouchAnswered EventOf(const model::TouchPod& command, const WriteReply& reply);
// A pod is gone only if the API server says so of this pod, or if another has its name.
[[nodiscard]] model::PodLookedUp EventOf(const model::LookUpPod& command,
                                         const http::Outcome& outcome);
[[nodiscard]] model::StorageAnswered EventOf(const model::SelectNode& command,
                                             const WriteReply& reply);
[[nodiscard]] model::StorageAnswered EventOf(const model::ReserveVolume& command,
                                             const WriteReply& reply);
[[nodiscard]] model::ClaimStatusAnswered EventOf(const model::WriteClaimStatus& command,
                                                 const WriteReply& reply);

}  // namespace gs::kube
