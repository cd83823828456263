#include "adapters/kube/fence/fence_owner.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <variant>

#include "adapters/kube/api/resource.h"
#include "adapters/kube/api/status_answer.h"

namespace gs::kube {
namespace {

using model::WriteOutcome;
using runtime::MutexLock;

// The longest sleep: the boot clock may run ahead of the clock that wakes us.
constexpr Duration kMaxSleep = std::chrono::seconds(1);

struct Call {
  http::Request request;
  WriteVerb verb = WriteVerb::kOther;
  bool is_earlier = false;
};

Call ReadCall(const Namespace& ns, const LeaseName& name) {
  return {.request = {.method = http::Method::kGet,
                      .target = ObjectPath(kLeases, ns, name.text()),
                      .headers = {},
                      .body = {}}};
}

Call CreateCall(const LeaseMetadata& lease, std::string body) {
  return {.request = {.method = http::Method::kPost,
                      .target = CollectionPath(kLeases, lease.ns),
                      .headers = {{"Content-Type", "application/json"}},
                      .body = std::move(body)},
          .verb = WriteVerb::kCreate};
}

Call PutCall(const LeaseMetadata& lease, std::string body) {
  return {.request = {.method = http::Method::kPut,
                      .target = ObjectPath(kLeases, lease.ns, lease.name.text()),
                      .headers = {{"Content-Type", "application/json"}},
                      .body = std::move(body)}};
}

Call EarlierCallOf(const EarlierRequest& request, const FenceSelf& self) {
  if (const auto* create = std::get_if<CreateEarlier>(&request)) {
    return CreateCall(create->lease.metadata, EncodeEarlierElection(create->lease));
  }
  if (const auto* put = std::get_if<PutEarlier>(&request)) {
    return PutCall(put->lease.metadata, EncodeEarlierElection(put->lease));
  }
  return ReadCall(self.release_namespace, EarlierElectionName(self.scheduler));
}

Call CallOf(const FenceRequest& request, const FenceSelf& self) {
  if (const auto* earlier = std::get_if<EarlierRequest>(&request)) {
    Call call = EarlierCallOf(*earlier, self);
    call.is_earlier = true;
    return call;
  }
  if (const auto* create = std::get_if<CreateFence>(&request)) {
    return CreateCall(create->fence.metadata, EncodeFenceLease(create->fence));
  }
  if (const auto* put = std::get_if<PutFence>(&request)) {
    return PutCall(put->fence.metadata, EncodeFenceLease(put->fence));
  }
  return ReadCall(self.fence_namespace, LeaseName(std::string(kFenceName)));
}

template <class Lease>
void Keep(Result<Lease> decoded, std::optional<Lease>& into, FenceAnswer& answer) {
  if (decoded) {
    into = *std::move(decoded);
  } else {
    answer.reason = ToString(decoded.error());
  }
}

FenceAnswer AnswerOf(const http::Response& response, const Call& call) {
  const std::string* retry_after = response.headers.Find("Retry-After");
  WriteAnswer write = ClassifyWrite({.code = response.status,
                                     .retry_after = retry_after ? *retry_after : std::string_view(),
                                     .body = response.body},
                                    call.verb);
  FenceAnswer answer{.outcome = write.outcome,
                     .reason = std::move(write.reason),
                     .retry_after = write.retry_after};
  if (answer.outcome != WriteOutcome::kDone) return answer;
  if (call.is_earlier) {
    Keep(DecodeEarlierElection(response.body), answer.earlier, answer);
  } else {
    Keep(DecodeFenceLease(response.body), answer.fence, answer);
  }
  return answer;
}

FenceAnswer AnswerOf(const http::Outcome& outcome, const Call& call) {
  if (const auto* response = std::get_if<http::Response>(&outcome)) {
    return AnswerOf(*response, call);
  }
  const bool is_not_sent = std::holds_alternative<http::NotSent>(outcome);
  return {.outcome = is_not_sent ? WriteOutcome::kNotExecuted : WriteOutcome::kUnknown,
          .reason = ToString(*http::ErrorOf(outcome))};
}

}  // namespace

FenceOwner::FenceOwner(std::unique_ptr<ApiClient> client, const runtime::Clock& clock,
                       FenceSelf self, FenceOptions options, Sink sink, FenceRules rules)
    : client_(std::move(client)),
      clock_(clock),
      self_(std::move(self)),
      sink_(std::move(sink)),
      steps_(self_, options, rules),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

FenceOwner::~FenceOwner() = default;

void FenceOwner::SetInFlight(model::ListInFlight list) {
  const MutexLock lock(mutex_);
  if (list_) {
    const bool is_settling = list.is_settling || list_->is_settling;
    if (list.revision < list_->revision) list = *std::move(list_);
    list.is_settling = is_settling;
  }
  list_ = std::move(list);
  has_orders_ = true;
  changed_.NotifyAll();
}

void FenceOwner::Resign() {
  {
    const MutexLock lock(mutex_);
    is_resigning_ = has_orders_ = true;
    changed_.NotifyAll();
  }
  if (thread_.joinable()) thread_.join();
}

void FenceOwner::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    TakeOrders();
    FenceStep step = steps_.Advance(Now());
    leads_until_ = steps_.leads_until();
    Tell(std::move(step.events));
    if (step.request) {
      const FenceAnswer answer = Ask(step, stop);
      steps_.Answer(Now(), answer);
    } else if (steps_.is_over()) {
      return;
    } else {
      Await(step.wake_at, stop);
    }
  }
}

void FenceOwner::TakeOrders() {
  const MutexLock lock(mutex_);
  has_orders_ = false;
  if (list_) steps_.SetInFlight(*std::exchange(list_, std::nullopt));
  if (is_resigning_) steps_.Resign();
}

void FenceOwner::Await(Duration wake_at, const std::stop_token& stop) {
  const Duration sleep = std::min(wake_at - Now().since_boot, kMaxSleep);
  const auto deadline = std::chrono::steady_clock::now() + sleep;
  // Outside the lock: its destructor may have to wait for a callback that is running.
  const std::stop_callback wake(stop, [this] {
    const MutexLock lock(mutex_);
    changed_.NotifyAll();
  });
  const MutexLock lock(mutex_);
  while (!has_orders_ && !stop.stop_requested()) {
    if (!changed_.WaitUntil(mutex_, deadline)) return;
  }
}

void FenceOwner::Tell(std::vector<model::Event> events) {
  for (model::Event& event : events) sink_(std::move(event));
}

FenceAnswer FenceOwner::Ask(const FenceStep& step, const std::stop_token& stop) {
  const Call call = CallOf(*step.request, self_);
  return AnswerOf(client_->Send(call.request, {.timeout = step.timeout, .stop = stop}), call);
}

FenceTime FenceOwner::Now() const {
  return {.since_boot = clock_.SinceBoot(), .wall = clock_.WallTime()};
}

}  // namespace gs::kube
