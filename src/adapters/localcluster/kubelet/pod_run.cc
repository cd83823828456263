#include "adapters/localcluster/kubelet/pod_run.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string_view>
#include <utility>

#include "adapters/localcluster/objects/metadata.h"

namespace gs::localcluster {
namespace {

using State = ContainerRun::State;

RestartPolicy ParsePolicy(std::string_view text) {
  if (text == "Never") return RestartPolicy::kNever;
  return text == "OnFailure" ? RestartPolicy::kOnFailure : RestartPolicy::kAlways;
}

// An init container is tried again unless the pod says Never, but not after it has succeeded.
RestartPolicy InitPolicy(RestartPolicy of_pod) {
  return of_pod == RestartPolicy::kNever ? RestartPolicy::kNever : RestartPolicy::kOnFailure;
}

ContainerRun NewRun(const Json& container, ContainerRole role, RestartPolicy policy,
                    TimePoint not_before) {
  return {.name = std::string(Text(container, {"name"})),
          .image = std::string(Text(container, {"image"})),
          .role = role,
          .policy = policy,
          .not_before = not_before};
}

void LookAt(Orders& orders, TimePoint at) { orders.next = std::min(at, orders.next.value_or(at)); }

}  // namespace

bool ContainerRun::IsDone() const {
  if (state != State::kEnded) return false;
  if (is_told_to_stop || policy == RestartPolicy::kNever) return true;
  return policy == RestartPolicy::kOnFailure && ended->exit_code == 0;
}

bool ContainerRun::IsPassed() const {
  if (role == ContainerRole::kSidecar) return state == State::kRunning || ended.has_value();
  return state == State::kEnded && ended->exit_code == 0;
}

PodRun::PodRun(const Json& pod, const Times& times, TimePoint now) : times_(times), created_(now) {
  const RestartPolicy policy = ParsePolicy(Text(pod, {"spec", "restartPolicy"}));
  const TimePoint first = now + times.start;
  for (const Json& container : Items(pod, {"spec", "initContainers"})) {
    const bool is_sidecar = Text(container, {"restartPolicy"}) == "Always";
    containers_.push_back(NewRun(container,
                                 is_sidecar ? ContainerRole::kSidecar : ContainerRole::kInit,
                                 is_sidecar ? RestartPolicy::kAlways : InitPolicy(policy), first));
  }
  for (const Json& container : Items(pod, {"spec", "containers"})) {
    containers_.push_back(NewRun(container, ContainerRole::kMain, policy, first));
  }
}

void PodRun::Reject(std::string reason, std::string message) {
  failure_reason_ = std::move(reason);
  failure_message_ = std::move(message);
  is_ending_ = true;
}

bool PodRun::has_passed_init() const {
  return std::all_of(containers_.begin(), containers_.end(), [](const ContainerRun& each) {
    return each.role == ContainerRole::kMain || each.IsPassed();
  });
}

bool PodRun::IsAnyRunning() const {
  return std::any_of(containers_.begin(), containers_.end(),
                     [](const ContainerRun& each) { return each.state == State::kRunning; });
}

bool PodRun::AreMainsDone() const {
  return std::all_of(containers_.begin(), containers_.end(), [](const ContainerRun& each) {
    return each.role != ContainerRole::kMain || each.IsDone();
  });
}

void PodRun::CheckDeadline(const Json& pod, TimePoint now, Orders& orders) {
  const auto seconds = MaybeInt(pod, {"spec", "activeDeadlineSeconds"});
  if (!seconds || is_ending_) return;
  const TimePoint deadline = created_ + std::chrono::seconds(*seconds);
  if (deadline > now) return LookAt(orders, deadline);
  Reject("DeadlineExceeded", "Pod was active on the node longer than the specified deadline");
}

// Everything is told to stop, and killed when its time is over.
void PodRun::End(const Json& pod, TimePoint now, Orders& orders) {
  // The API sets it to the moment at which the grace period ends.
  const auto kill = TimeAt(pod, {"metadata", "deletionTimestamp"});
  for (std::size_t i = 0; i < containers_.size(); ++i) {
    ContainerRun& container = containers_[i];
    if (container.state != State::kRunning) continue;
    if (!container.is_told_to_stop) orders.stop.push_back(i);
    container.is_told_to_stop = true;
    if (kill && *kill <= now) orders.kill.push_back(i);
  }
  orders.is_over = !IsAnyRunning();
  if (!orders.is_over && kill && *kill > now) LookAt(orders, *kill);
}

void PodRun::StartOrWait(std::size_t container, TimePoint now, Orders& orders) {
  const ContainerRun& run = containers_[container];
  const bool is_startable =
      run.state == State::kWaiting || (run.state == State::kEnded && !run.IsDone());
  if (!is_startable) return;
  if (run.not_before <= now) {
    orders.start.push_back(container);
  } else {
    LookAt(orders, run.not_before);
  }
}

void PodRun::StartInTurn(TimePoint now, Orders& orders) {
  for (std::size_t i = 0; i < containers_.size(); ++i) {
    const bool is_finished_init =
        containers_[i].role == ContainerRole::kInit && containers_[i].IsPassed();
    if (!is_finished_init) StartOrWait(i, now, orders);
    if (containers_[i].role != ContainerRole::kMain && !containers_[i].IsPassed()) return;
  }
}

Orders PodRun::Advance(const Json& pod, TimePoint now) {
  Orders orders;
  CheckDeadline(pod, now, orders);
  const bool has_init_failed =
      std::any_of(containers_.begin(), containers_.end(), [](const ContainerRun& each) {
        return each.role == ContainerRole::kInit && each.IsDone() && !each.IsPassed();
      });
  is_ending_ = is_ending_ || IsBeingDeleted(pod) || has_init_failed || AreMainsDone();
  if (is_ending_) {
    End(pod, now, orders);
    return orders;
  }
  StartInTurn(now, orders);
  for (const ContainerRun& each : containers_) {
    if (each.state == State::kRunning && each.ready && *each.ready > now) {
      LookAt(orders, *each.ready);
    }
  }
  return orders;
}

void PodRun::Started(std::size_t container, const Json& pod, TimePoint now) {
  ContainerRun& run = containers_[container];
  if (run.ended) ++run.restarts;
  run.state = State::kRunning;
  run.started = now;
  run.ready = now + AnnotatedSeconds(pod, kReadySeconds).value_or(Duration{});
  run.waiting_reason.clear();
  run.waiting_message.clear();
}

void PodRun::CannotStart(std::size_t container, std::string reason, std::string message,
                         TimePoint now) {
  ContainerRun& run = containers_[container];
  run.waiting_reason = std::move(reason);
  run.waiting_message = std::move(message);
  run.not_before = now + times_.config_retry;
}

void PodRun::Exited(std::size_t container, int code, TimePoint now) {
  ContainerRun& run = containers_[container];
  if (run.state != State::kRunning) return;
  run.state = State::kEnded;
  run.ended = Ended{.exit_code = code, .started = run.started, .finished = now};
  run.ready.reset();
  if (now - run.started >= times_.backoff_reset) run.backoff_steps = 0;
  Duration wait{};
  // The first restart comes at once.
  if (run.backoff_steps > 0) {
    wait = times_.first_backoff;
    for (std::int64_t i = 1; i < run.backoff_steps && wait < times_.max_backoff; ++i) wait *= 2;
    wait = std::min(wait, times_.max_backoff);
  }
  ++run.backoff_steps;
  run.not_before = now + wait;
  if (wait > Duration{}) {
    run.waiting_reason = "CrashLoopBackOff";
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(wait);
    run.waiting_message =
        "back-off " + PrintDuration(seconds) + " restarting failed container=" + run.name;
  }
}

}  // namespace gs::localcluster
