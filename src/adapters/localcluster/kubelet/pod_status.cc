#include "adapters/localcluster/kubelet/pod_status.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <utility>
#include <vector>

#include "adapters/localcluster/objects/conditions.h"
#include "adapters/localcluster/objects/metadata.h"
#include "base/stable_hash.h"
#include "base/text.h"

namespace gs::localcluster {
namespace {

using State = ContainerRun::State;

std::string ContainerId(const Json& pod, const ContainerRun& run, std::int64_t number) {
  const std::string seed = std::string(UidOf(pod)) + "/" + run.name + "/" + std::to_string(number);
  return "gpu-local://" + StableHashHex(seed) + StableHashHex("id/" + seed) +
         StableHashHex("container/" + seed) + StableHashHex("run/" + seed);
}

boost::json::object Terminated(const Ended& ended, std::string_view container_id) {
  boost::json::object terminated{{"exitCode", ended.exit_code}};
  terminated["reason"] = ended.exit_code == 0 ? "Completed" : "Error";
  terminated["startedAt"] = PrintTime(ended.started);
  terminated["finishedAt"] = PrintTime(ended.finished);
  terminated["containerID"] = container_id;
  return {{"terminated", std::move(terminated)}};
}

// What a container that does not run is waiting for.
boost::json::object Waiting(const PodRun& pod, const ContainerRun& run) {
  boost::json::object waiting;
  if (!run.waiting_reason.empty()) {
    waiting["reason"] = run.waiting_reason;
    if (!run.waiting_message.empty()) waiting["message"] = run.waiting_message;
  } else {
    const bool has_init = pod.containers().front().role != ContainerRole::kMain;
    waiting["reason"] =
        has_init && !pod.has_passed_init() ? "PodInitializing" : "ContainerCreating";
    if (has_init && run.role == ContainerRole::kMain) waiting["reason"] = "PodInitializing";
  }
  return {{"waiting", std::move(waiting)}};
}

bool IsReadyNow(const ContainerRun& run, TimePoint now) {
  if (run.role == ContainerRole::kInit) return run.IsPassed();
  return run.state == State::kRunning && run.ready && *run.ready <= now;
}

Json ContainerStatus(const PodRun& pod_run, const ContainerRun& run, const Json& pod,
                     TimePoint now) {
  boost::json::object status{{"name", run.name}};
  boost::json::object last;
  const std::int64_t number = run.restarts;
  const bool waits_again = run.state == State::kEnded && !run.IsDone() && !pod_run.is_ending() &&
                           !run.waiting_reason.empty();
  if (run.state == State::kRunning) {
    status["state"] = boost::json::object{
        {"running", boost::json::object{{"startedAt", PrintTime(run.started)}}}};
    if (run.ended) last = Terminated(*run.ended, ContainerId(pod, run, number - 1));
  } else if (run.state == State::kEnded && !waits_again) {
    status["state"] = Terminated(*run.ended, ContainerId(pod, run, number));
  } else {
    status["state"] = Waiting(pod_run, run);
    if (run.ended) last = Terminated(*run.ended, ContainerId(pod, run, number));
  }
  status["lastState"] = std::move(last);
  status["ready"] = IsReadyNow(run, now);
  status["restartCount"] = run.restarts;
  status["image"] = run.image;
  const bool has_run = run.state == State::kRunning || run.ended;
  status["imageID"] = has_run ? run.image : std::string();
  if (has_run) status["containerID"] = ContainerId(pod, run, number);
  status["started"] = run.role != ContainerRole::kInit && run.state == State::kRunning;
  return status;
}

void SetContainers(Json& status, const PodRun& run, const Json& pod, TimePoint now) {
  boost::json::array init;
  boost::json::array main;
  for (const ContainerRun& each : run.containers()) {
    auto& list = each.role == ContainerRole::kMain ? main : init;
    list.push_back(ContainerStatus(run, each, pod, now));
  }
  Make(status, {})["containerStatuses"] = std::move(main);
  if (!init.empty()) Make(status, {})["initContainerStatuses"] = std::move(init);
}

std::string NamesOf(const PodRun& run, bool (*is_meant)(const ContainerRun&, TimePoint),
                    TimePoint now) {
  std::vector<std::string> names;
  for (const ContainerRun& each : run.containers()) {
    if (is_meant(each, now)) names.push_back(each.name);
  }
  return "[" + text::Join(names, " ", [](const std::string& name) { return name; }) + "]";
}

bool IsUnready(const ContainerRun& run, TimePoint now) {
  return run.role != ContainerRole::kInit && !IsReadyNow(run, now);
}

bool IsUnpassed(const ContainerRun& run, TimePoint /*now*/) {
  return run.role != ContainerRole::kMain && !run.IsPassed();
}

void Set(Json& status, const Json& pod, const Condition& condition, TimePoint now) {
  auto& entry = SetCondition(status, condition, now);
  entry["observedGeneration"] = GenerationOf(pod);
}

void SetReadiness(Json& status, const PodRun& run, const Json& pod, TimePoint now) {
  const std::string_view phase = PhaseOf(run);
  const bool is_unready =
      std::any_of(run.containers().begin(), run.containers().end(),
                  [&](const ContainerRun& each) { return IsUnready(each, now); });
  for (const auto* type : {"Ready", "ContainersReady"}) {
    if (phase == "Succeeded") {
      Set(status, pod, {type, "False", "PodCompleted", ""}, now);
    } else if (phase == "Failed") {
      Set(status, pod, {type, "False", "PodFailed", ""}, now);
    } else if (is_unready) {
      const auto message = "containers with unready status: " + NamesOf(run, IsUnready, now);
      Set(status, pod, {type, "False", "ContainersNotReady", message}, now);
    } else {
      Set(status, pod, {type, "True", "", ""}, now);
    }
  }
}

void SetConditions(Json& status, const PodRun& run, const Json& pod, TimePoint now) {
  const bool has_sandbox =
      std::any_of(run.containers().begin(), run.containers().end(),
                  [](const ContainerRun& each) { return each.state == State::kRunning; });
  Set(status, pod, {"PodReadyToStartContainers", has_sandbox ? "True" : "False", "", ""}, now);
  const std::string_view phase = PhaseOf(run);
  if (run.has_passed_init()) {
    const auto* reason = phase == "Succeeded" ? "PodCompleted" : "";
    Set(status, pod, {"Initialized", "True", reason, ""}, now);
  } else {
    const auto message = "containers with incomplete status: " + NamesOf(run, IsUnpassed, now);
    Set(status, pod, {"Initialized", "False", "ContainersNotInitialized", message}, now);
  }
  SetReadiness(status, run, pod, now);
  Set(status, pod, {"PodScheduled", "True", "", ""}, now);
}

void SetAddresses(Json& status, const PodAddresses& addresses) {
  auto& fields = Make(status, {});
  fields["hostIP"] = addresses.host_ip;
  fields["hostIPs"] = boost::json::array{boost::json::object{{"ip", addresses.host_ip}}};
  if (addresses.pod_ip.empty()) return;
  fields["podIP"] = addresses.pod_ip;
  fields["podIPs"] = boost::json::array{boost::json::object{{"ip", addresses.pod_ip}}};
}

struct Counts {
  int waiting = 0;
  int running = 0;
  int ended = 0;
  int succeeded = 0;
};

Counts CountMains(const PodRun& run) {
  Counts counts;
  for (const ContainerRun& each : run.containers()) {
    if (each.role != ContainerRole::kMain) continue;
    if (each.state == State::kRunning) {
      ++counts.running;
    } else if (each.ended) {
      ++counts.ended;
      counts.succeeded += each.ended->exit_code == 0 ? 1 : 0;
    } else {
      ++counts.waiting;
    }
  }
  return counts;
}

}  // namespace

std::string_view PhaseOf(const PodRun& run) {
  const bool is_over = run.is_ending() && !run.IsAnyRunning();
  if (is_over && !run.failure_reason().empty()) return "Failed";
  const Counts counts = CountMains(run);
  if (is_over) {
    if (counts.waiting > 0 || !run.has_passed_init()) return "Failed";
    return counts.succeeded == counts.ended ? "Succeeded" : "Failed";
  }
  if (!run.has_passed_init() || counts.waiting > 0) return "Pending";
  return "Running";
}

Json StatusOf(const PodRun& run, const Json& pod, const PodAddresses& addresses, TimePoint now) {
  Json status = Members(pod, {"status"});
  auto& fields = Make(status, {});
  fields["phase"] = PhaseOf(run);
  if (GenerationOf(pod) > 0) fields["observedGeneration"] = GenerationOf(pod);
  fields["startTime"] = PrintTime(run.created());
  if (!run.failure_reason().empty()) {
    fields["reason"] = run.failure_reason();
    fields["message"] = run.failure_message();
  }
  SetAddresses(status, addresses);
  SetConditions(status, run, pod, now);
  SetContainers(status, run, pod, now);
  return status;
}

}  // namespace gs::localcluster
