#include "adapters/kube/election/election_owner.h"

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

http::Request WriteOf(http::Method method, std::string path, const ElectionLease& lease) {
  return {.method = method,
          .target = std::move(path),
          .headers = {{"Content-Type", "application/json"}},
          .body = EncodeElectionLease(lease)};
}

http::Request HttpOf(const ElectionRequest& request, const Namespace& ns, const LeaseName& name) {
  if (const auto* create = std::get_if<CreateElection>(&request)) {
    return WriteOf(http::Method::kPost, CollectionPath(kLeases, ns), create->lease);
  }
  const std::string path = ObjectPath(kLeases, ns, name.text());
  if (const auto* put = std::get_if<PutElection>(&request)) {
    return WriteOf(http::Method::kPut, path, put->lease);
  }
  return {.method = http::Method::kGet, .target = path, .headers = {}, .body = {}};
}

ElectionAnswer AnswerOf(const http::Response& response, WriteVerb verb) {
  const std::string* retry_after = response.headers.Find("Retry-After");
  WriteAnswer write = ClassifyWrite({.code = response.status,
                                     .retry_after = retry_after ? *retry_after : std::string_view(),
                                     .body = response.body},
                                    verb);
  ElectionAnswer answer{.outcome = write.outcome,
                        .lease = {},
                        .reason = std::move(write.reason),
                        .retry_after = write.retry_after};
  if (answer.outcome != WriteOutcome::kDone) return answer;
  auto lease = DecodeElectionLease(response.body);
  if (lease) {
    answer.lease = *std::move(lease);
  } else {
    answer.reason = ToString(lease.error());
  }
  return answer;
}

ElectionAnswer AnswerOf(const http::Outcome& outcome, WriteVerb verb) {
  if (const auto* response = std::get_if<http::Response>(&outcome)) {
    return AnswerOf(*response, verb);
  }
  const bool is_not_sent = std::holds_alternative<http::NotSent>(outcome);
  return {.outcome = is_not_sent ? WriteOutcome::kNotExecuted : WriteOutcome::kUnknown,
          .lease = {},
          .reason = ToString(*http::ErrorOf(outcome)),
          .retry_after = {}};
}

}  // namespace

ElectionOwner::ElectionOwner(std::unique_ptr<ApiClient> client, const runtime::Clock& clock,
                             ElectionSelf self, ElectionOptions options, Sink sink)
    : client_(std::move(client)),
      clock_(clock),
      ns_(self.lock_namespace),
      name_(ElectionLeaseName(self.scheduler)),
      sink_(std::move(sink)),
      steps_(std::move(self), options),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

ElectionOwner::~ElectionOwner() = default;

void ElectionOwner::SetInFlight(model::ListInFlight list) {
  const MutexLock lock(mutex_);
  if (!list_ || list_->revision < list.revision) list_ = std::move(list);
  has_orders_ = true;
  changed_.NotifyAll();
}

void ElectionOwner::Resign() {
  {
    const MutexLock lock(mutex_);
    is_resigning_ = has_orders_ = true;
    changed_.NotifyAll();
  }
  if (thread_.joinable()) thread_.join();
}

void ElectionOwner::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    TakeOrders();
    ElectionStep step = steps_.Advance(Now());
    leads_until_ = steps_.leads_until();
    Tell(std::move(step.events));
    if (step.request) {
      const ElectionAnswer answer = Ask(step, stop);
      steps_.Answer(Now(), answer);
    } else if (steps_.is_over()) {
      return;
    } else {
      Await(step.wake_at, stop);
    }
  }
}

void ElectionOwner::TakeOrders() {
  const MutexLock lock(mutex_);
  has_orders_ = false;
  if (list_) steps_.SetInFlight(*std::exchange(list_, std::nullopt));
  if (is_resigning_) steps_.Resign();
}

void ElectionOwner::Await(Duration wake_at, const std::stop_token& stop) {
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

void ElectionOwner::Tell(std::vector<model::Event> events) {
  for (model::Event& event : events) sink_(std::move(event));
}

ElectionAnswer ElectionOwner::Ask(const ElectionStep& step, const std::stop_token& stop) {
  const bool is_create = std::holds_alternative<CreateElection>(*step.request);
  return AnswerOf(
      client_->Send(HttpOf(*step.request, ns_, name_), {.timeout = step.timeout, .stop = stop}),
      is_create ? WriteVerb::kCreate : WriteVerb::kOther);
}

ElectionTime ElectionOwner::Now() const {
  return {.since_boot = clock_.SinceBoot(), .wall = clock_.WallTime()};
}

}  // namespace gs::kube
