#include "programs/scheduler/scheduler.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <stop_token>
#include <thread>
#include <utility>

#include "adapters/kube/api/api_client.h"
#include "adapters/kube/api/resource.h"
#include "adapters/kube/fence/fence_owner.h"
#include "adapters/kube/login/file_reader.h"
#include "adapters/kube/login/find_settings.h"
#include "adapters/kube/login/login_source.h"
#include "adapters/kube/login/run_process.h"
#include "adapters/kube/objects/json_view.h"
#include "adapters/kube/watch/watched_kind.h"
#include "adapters/kube/watch/watcher.h"
#include "adapters/kube/write/event_recorder.h"
#include "adapters/runtime/clock.h"
#include "adapters/runtime/io_threads.h"
#include "adapters/runtime/mutex.h"
#include "adapters/runtime/signals.h"
#include "adapters/runtime/steady_time.h"
#include "core/cycle/cycle.h"
#include "programs/scheduler/await_server.h"
#include "programs/scheduler/command_sender.h"
#include "programs/scheduler/inbox.h"
#include "programs/scheduler/observe/api_server.h"
#include "programs/scheduler/observe/observer.h"
#include "programs/scheduler/pod_removal.h"
#include "programs/scheduler/record/recorder.h"
#include "programs/scheduler/recreator.h"
#include "programs/scheduler/status_server.h"
#include "programs/scheduler/table_builder.h"

namespace gs::scheduler {
namespace {

// Runs of the cycle begin no closer to each other, so that in busy times what happens meanwhile is
// taken in at once.
constexpr auto kPace = std::chrono::milliseconds(1);
constexpr Duration kDrainTimeout = std::chrono::seconds(20);
constexpr Duration kProbeTimeout = std::chrono::seconds(5);

std::string RandomText() {
  std::random_device device;
  std::string text;
  for (int i = 0; i < 4; ++i) text += std::to_string(device()) + (i < 3 ? "-" : "");
  return text;
}

kube::FenceSelf SelfOf(const SchedulerOptions& options, const Namespace& ns,
                       const std::string& process) {
  return {.identity = {.pod = PodUid(options.pod_uid.empty() ? process : options.pod_uid),
                       .process = process},
          .pod = options.pod_name,
          .scheduler = options.name,
          .release_namespace = ns,
          .fence_namespace = options.fence};
}

cycle::CycleOptions CycleOptionsOf(const SchedulerOptions& options, const std::string& process,
                                   const commit::Rules& rules) {
  return {.scheduler = options.name,
          .leader = process,
          .ask = {.share_cap = options.share_cap,
                  .needs_variable = options.unseen_pods != UnseenPods::kPlace},
          .release_timeout = options.release_timeout,
          .reserve_after = options.reserve_after,
          .rules = rules};
}

class Process {
 public:
  Process(const SchedulerOptions& options, const runtime::Logger& log, const std::stop_token& stop,
          const TestSeams& seams)
      : options_(options),
        log_(log),
        seams_(seams),
        time_(clock_),
        stop_(stop),
        stopping_(stop,
                  [this] {
                    is_stopping_ = true;
                    inbox_.Put(std::vector<model::Event>());
                  }),
        io_(1),
        serving_(1) {}
  // Whoever still asks is told nothing any more.
  ~Process() {
    if (observer_) observer_->questions().Close();
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  Process(Process&&) = delete;
  Process& operator=(Process&&) = delete;

  [[nodiscard]] Result<void> Run(std::string_view version);

 private:
  [[nodiscard]] Result<std::unique_ptr<kube::ApiClient>> Connect(std::size_t max_requests,
                                                                 const std::string& agent);
  void StartApi();
  // If it is wished for.
  [[nodiscard]] Result<void> StartRecording(std::string_view version,
                                            const cycle::CycleOptions& cycle_options);
  [[nodiscard]] Result<void> StartRecreator();
  // The release's ClusterRole; nothing if there is none to be found.
  [[nodiscard]] std::optional<kube::OwnerReference> FindOwner();
  // Now and then.
  void LookForUnseenPods();
  // Until a signal comes; before anything else is put into the inbox.
  [[nodiscard]] AwaitPatience Patience();
  void StartWatchers();
  // What was told of the cluster does not hold any more. From any thread.
  void GoneBack(const Error& why) GS_EXCLUDES(gone_back_mutex_);
  [[nodiscard]] std::optional<Error> WhyGoneBack() GS_EXCLUDES(gone_back_mutex_);
  [[nodiscard]] Result<void> Loop(CommandSender& sender);
  void Note(const std::vector<model::Event>& events);
  void NoteReadiness(std::string why_not);
  [[nodiscard]] std::optional<TimePoint> WakeAt() const;

  const SchedulerOptions& options_;
  const runtime::Logger& log_;
  const TestSeams& seams_;
  const runtime::SystemClock clock_;
  const runtime::SteadyTime time_;
  const std::string process_ = RandomText();
  kube::ConnectionSettings settings_;
  Namespace ns_;  // of the release
  Inbox inbox_;
  Status status_;
  std::atomic<bool> is_stopping_ = false;
  const std::stop_token stop_;
  const std::stop_callback<std::function<void()>> stopping_;
  std::optional<TimePoint> drain_until_;
  std::optional<TimePoint> look_for_unseen_at_;
  std::string why_not_ready_ = std::string(Status::kFirst);
  bool has_decided_ = false;
  std::optional<model::LeadershipLost> lost_;
  runtime::Mutex gone_back_mutex_;
  std::optional<Error> gone_back_ GS_GUARDED_BY(gone_back_mutex_);
  std::unique_ptr<cycle::Cycle> cycle_;
  std::unique_ptr<Observer> observer_;
  std::optional<Recorder> recorder_;
  TableBuilder tables_{[this] { inbox_.Put(std::vector<model::Event>()); }};

  // One thread each: what a client does is one thing after the other, and handing it from thread to
  // thread would cost more than it does. Whoever asks us does not hold up our own requests.
  runtime::IoThreads io_;
  runtime::IoThreads serving_;
  std::unique_ptr<http::Server> server_;
  std::unique_ptr<http::Server> api_;
  std::unique_ptr<kube::ApiClient> client_;
  std::unique_ptr<http::Client> webhook_;
  std::unique_ptr<kube::EventRecorder> events_;
  std::unique_ptr<kube::FenceOwner> fence_;
  std::unique_ptr<Recreator> recreator_;                            // null: nobody is made anew
  std::map<model::Kind, std::unique_ptr<kube::Watcher>> watchers_;  // first to end
};

Result<std::unique_ptr<kube::ApiClient>> Process::Connect(std::size_t max_requests,
                                                          const std::string& agent) {
  return kube::ApiClient::Create(
      io_, settings_, kube::MakeLoginSource(settings_, kube::ReadFile, kube::RunProcess), clock_,
      {.max_running = max_requests, .user_agent = agent, .hooks = seams_.hooks});
}

// It is there to be looked at: pods are placed without it too.
void Process::StartApi() {
  if (!options_.api) return;
  auto api = StartApiServer(
      serving_, options_.api->address, options_.api->port,
      {.questions = observer_->questions(), .clock = clock_, .placeable = observer_->placeable()});
  if (!api) {
    log_.Warning("no API", {{"why", ToString(std::move(api).error().Within("--api-listen"))}});
    return;
  }
  api_ = *std::move(api);
  if (options_.api_listens) options_.api_listens(api_->port());
}

Result<void> Process::StartRecording(std::string_view version,
                                     const cycle::CycleOptions& cycle_options) {
  if (options_.record_file.empty()) return {};
  auto recorder =
      Recorder::Start({.file = options_.record_file,
                       .max_bytes = options_.record_max_bytes,
                       .kept_files = options_.record_keep},
                      {.program_version = std::string(version), .options = cycle_options},
                      [this](const Error& why) {
                        log_.Warning("the recording ends", {{"why", ToString(why)}});
                      });
  if (!recorder) return std::move(recorder).error();
  recorder_.emplace(*std::move(recorder));
  log_.Info("recording", {{"file", options_.record_file}});
  return {};
}

// It is only asked whether it is there: anybody may answer, and nothing secret is said.
Result<void> Process::StartRecreator() {
  if (options_.unseen_pods != UnseenPods::kRecreate) return {};
  http::Url origin = *options_.webhook;
  origin.target = "/";
  auto made = http::Client::Create(
      io_, origin,
      {.tls = {.credentials = {}, .server_name = "", .check = http::ServerCheck::kSkip}});
  if (!made) return std::move(made).error().Within("webhook.url");
  webhook_ = *std::move(made);
  const auto is_there = [this] {
    http::Request request;
    request.target = options_.webhook->target;
    const auto outcome = webhook_->SendAndWait(std::move(request), {.timeout = kProbeTimeout});
    const auto* response = std::get_if<http::Response>(&outcome);
    return response != nullptr && response->status == 200;
  };
  const auto remove = [this](const UnseenPod& unseen) {
    const auto removed = RemovePod(*client_, unseen, kProbeTimeout);
    log_.Info(removed ? "deleted, to be made anew" : "could not be deleted, to be made anew",
              {{"pod", ToString(unseen.pod)},
               {"uid", unseen.pod.uid.text()},
               {"why", removed ? "the webhook has not seen it" : ToString(removed.error())}});
  };
  recreator_ = std::make_unique<Recreator>(
      RecreatorParts{.is_webhook_there = is_there, .remove = remove}, clock_);
  look_for_unseen_at_ = time_.Now();
  return {};
}

std::optional<kube::OwnerReference> Process::FindOwner() {
  if (options_.role.empty()) return std::nullopt;
  http::Request request;
  request.target = kube::ObjectPath(kube::kClusterRoles, {}, options_.role);
  const auto outcome = client_->Send(std::move(request), {.timeout = kProbeTimeout, .stop = stop_});
  const auto* response = std::get_if<http::Response>(&outcome);
  if (response != nullptr && response->status == 200) {
    const auto document = kube::JsonDocument::Parse(response->body);
    if (document) {
      const std::string uid(document->root().Field("metadata").Field("uid").Text());
      if (!uid.empty()) return kube::ClusterRoleOwner(options_.role, uid);
    }
  }
  log_.Warning(
      "the fence and Leases of GPUs get no owner, and stay when this release is uninstalled",
      {{"clusterRole", options_.role},
       {"why", response == nullptr ? ToString(*http::ErrorOf(outcome))
                                   : "status " + std::to_string(response->status)}});
  return std::nullopt;
}

void Process::LookForUnseenPods() {
  if (!recreator_ || time_.Now() < *look_for_unseen_at_) return;
  look_for_unseen_at_ = time_.Now() + Recreator::kPeriod;
  if (cycle_->is_deciding()) recreator_->Tell(FindUnseen(cycle_->cache(), options_.name));
}

AwaitPatience Process::Patience() {
  AwaitPatience patience;
  patience.stop = stop_;
  patience.wait = [this](Duration time) {
    (void)inbox_.Take(std::chrono::steady_clock::now() + time);
    return !is_stopping_;
  };
  return patience;
}

void Process::StartWatchers() {
  std::uint64_t seed = std::random_device()();
  const auto watch = [&](kube::WatchedKind kind) {
    const model::Kind key = kind.kind;
    kube::WatcherOptions how;
    how.seed = seed++;
    how.gone_back = [this](const Error& why) { GoneBack(why); };
    how.began = [this, key](kube::WatcherRequest request) {
      observer_->WatcherBegan(key, request);
    };
    watchers_[key] = std::make_unique<kube::Watcher>(
        *client_, clock_, std::move(kind), how,
        [this](std::vector<model::Event> events) { inbox_.Put(std::move(events)); },
        [this, key](const Error& problem) { observer_->WatcherFailed(key, problem); });
  };
  watch(kube::Pods());
  watch(kube::Nodes());
  watch(kube::Namespaces());
  watch(kube::Claims());
  watch(kube::Leases(ns_));
  watch(kube::Machines());
  for (auto& kind : kube::StorageKinds()) watch(std::move(kind));
}

void Process::GoneBack(const Error& why) {
  {
    const runtime::MutexLock lock(gone_back_mutex_);
    gone_back_ = why;
  }
  inbox_.Put(std::vector<model::Event>());
}

// Everything here rests on versions that only grow: the cache, flights, what was written. To begin
// with nothing is safe, and takes no longer than a restart.
std::optional<Error> Process::WhyGoneBack() {
  const runtime::MutexLock lock(gone_back_mutex_);
  if (!gone_back_) return std::nullopt;
  return Error(*gone_back_)
      .Within(
          "what is known of the cluster does not hold any more, and this process ends so that "
          "the next one begins with nothing");
}

Result<void> Process::Run(std::string_view version) {
  auto settings = kube::FindSettings(options_.cluster);
  if (!settings) return std::move(settings).error();
  settings_ = *std::move(settings);
  ns_ = options_.ns.empty() ? settings_.ns : options_.ns;
  const std::string agent = "gpu-scheduler/" + std::string(version);

  auto client = Connect(options_.max_requests, agent);
  if (!client) return std::move(client).error();
  client_ = *std::move(client);
  auto fence_client = Connect(1, agent + " fence");
  if (!fence_client) return std::move(fence_client).error();

  observer_ = std::make_unique<Observer>(version, options_.name, log_,
                                         [this] { inbox_.Put(std::vector<model::Event>()); });
  auto server = StartStatusServer(serving_, options_.status, status_,
                                  [this] { return observer_->MetricsText(); });
  if (!server) return std::move(server).error().Within("--listen");
  server_ = *std::move(server);
  const auto is_there = AwaitServer(*client_, log_, Patience());
  if (!is_there) return Error(is_there.error()).Within(settings_.server);
  if (!*is_there) return {};
  StartApi();

  const auto cycle_options = CycleOptionsOf(options_, process_, seams_.rules);
  cycle_ = std::make_unique<cycle::Cycle>(cycle_options);
  if (auto recording = StartRecording(version, cycle_options); !recording) {
    return std::move(recording).error().Within("--record");
  }
  events_ = std::make_unique<kube::EventRecorder>(
      *client_, clock_,
      kube::EventRecorderOptions{
          .source = {.controller = options_.name,
                     .instance = options_.pod_name.empty() ? process_ : options_.pod_name.text()}});
  kube::FenceSelf self = SelfOf(options_, ns_, process_);
  const auto owner = FindOwner();
  self.owner = owner;
  fence_ = std::make_unique<kube::FenceOwner>(
      *std::move(fence_client), clock_, std::move(self), options_.election,
      [this](model::Event event) { inbox_.Put(std::move(event)); }, seams_.fence_rules);
  if (auto done = StartRecreator(); !done) return done;
  StartWatchers();
  CommandSender sender(
      {.client = *client_,
       .fence = *fence_,
       .events = *events_,
       .clock = clock_,
       .context = {.ns = ns_, .owner = owner, .needs_version_to_bind = seams_.rules.rvpre},
       .refresh = [this](model::Kind kind) { watchers_.at(kind)->Refresh(); },
       .answer = [this](model::Event event) { inbox_.Put(std::move(event)); },
       .ended = [this](const WriteEnd& end) { observer_->WriteEnded(end); }});
  log_.Info("started", {{"version", version},
                        {"scheduler", options_.name.text()},
                        {"server", settings_.server},
                        {"namespace", ns_.text()},
                        {"fence", options_.fence.text()}});
  return Loop(sender);
}

void Process::Note(const std::vector<model::Event>& events) {
  for (const model::Event& event : events) {
    if (const auto* lost = std::get_if<model::LeadershipLost>(&event)) lost_ = *lost;
    if (const auto* won = std::get_if<model::LeadershipWon>(&event)) observer_->LeadershipWon(*won);
    if (log_.IsOn(runtime::LogLevel::kDebug)) log_.Debug("event", {{"what", ToString(event)}});
  }
}

// Once per change.
void Process::NoteReadiness(std::string why_not) {
  if (why_not == why_not_ready_) return;
  // At the beginning nobody has seen everything or is sure of everything, and nothing is wrong.
  const bool is_beginning = !has_decided_;
  if (why_not.empty()) {
    log_.Info("ready", {});
  } else if (is_beginning) {
    log_.Info("not ready yet", {{"why", why_not}});
  } else {
    log_.Warning("not ready", {{"why", why_not}});
  }
  status_.SetNotReady(why_not);
  why_not_ready_ = std::move(why_not);
}

std::optional<TimePoint> Process::WakeAt() const {
  return commit::Earlier(commit::Earlier(cycle_->NextWake(), drain_until_), look_for_unseen_at_);
}

Result<void> Process::Loop(CommandSender& sender) {
  for (auto next = std::chrono::steady_clock::now();; next += kPace) {
    std::this_thread::sleep_until(next);
    const auto wake = WakeAt();
    const auto events = inbox_.Take(wake ? time_.DeadlineAt(*wake) : Inbox::Deadline::max());
    next = std::chrono::steady_clock::now();
    if (auto gone_back = WhyGoneBack()) return *std::move(gone_back);
    Note(events);
    if (lost_) {
      return Error(ErrorKind::kUnavailable, "not leading any more: " + lost_->reason);
    }
    if (is_stopping_ && !drain_until_) {
      log_.Info("stopping", {});
      cycle_->Drain();
      drain_until_ = time_.Now() + kDrainTimeout;
    }
    for (auto& built : tables_.TakeBuilt()) cycle_->AddTable(built.wish, std::move(built.table));
    const TimePoint now = time_.Now();
    const auto commands = cycle_->RunOnce(events, now);
    const Duration took = time_.Now() - now;
    if (recorder_) recorder_->Record(now, drain_until_.has_value(), events, commands);
    tables_.Build(cycle_->TakeTableWishes());
    sender.Send(commands);
    observer_->CycleRan({.cycle = *cycle_,
                         .commands = commands,
                         .began = now,
                         .took = took,
                         .events = events_->counts()});
    has_decided_ = has_decided_ || cycle_->is_deciding();
    NoteReadiness(cycle_->WhyNotReady());
    LookForUnseenPods();
    if (cycle_->is_drained() || (drain_until_ && time_.Now() >= *drain_until_)) break;
  }
  watchers_.clear();
  fence_->Resign();
  log_.Info("stopped", {});
  return {};
}

}  // namespace

Result<void> RunScheduler(const SchedulerOptions& options, std::string_view version,
                          const runtime::Logger& log, const TestSeams& seams) {
  std::stop_source stop;
  const runtime::Signals signals([&stop](int) { stop.request_stop(); });  // before other threads
  return RunSchedulerUntil(stop.get_token(), options, version, log, seams);
}

Result<void> RunSchedulerUntil(const std::stop_token& stop, const SchedulerOptions& options,
                               std::string_view version, const runtime::Logger& log,
                               const TestSeams& seams) {
  Process process(options, log, stop, seams);
  return process.Run(version);
}

}  // namespace gs::scheduler
