#include "programs/agent/run_agent.h"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <variant>

#include "adapters/http/server.h"
#include "adapters/kube/api/api_client.h"
#include "adapters/kube/login/file_reader.h"
#include "adapters/kube/login/find_settings.h"
#include "adapters/kube/login/login_source.h"
#include "adapters/kube/login/run_process.h"
#include "adapters/kube/watch/object_meta.h"
#include "adapters/kube/watch/watched_kind.h"
#include "adapters/kube/watch/watcher.h"
#include "adapters/kube/write/event_recorder.h"
#include "adapters/kube/write/node_status_requests.h"
#include "adapters/kube/write/writer.h"
#include "adapters/runtime/clock.h"
#include "adapters/runtime/io_threads.h"
#include "adapters/runtime/mailbox.h"
#include "adapters/runtime/mutex.h"
#include "adapters/runtime/signals.h"
#include "adapters/runtime/steady_time.h"
#include "base/stable_hash.h"
#include "programs/agent/agent_metrics.h"
#include "programs/agent/node_agents.h"
#include "programs/agent/status_server.h"

namespace gs::agent {
namespace {

using model::WriteOutcome;

constexpr Duration kWriteTimeout = std::chrono::seconds(10);
constexpr std::string_view kController = "gpu-scheduler-agent";

// What the loop is told: from a watch, or about one node. Neither: look at the time.
struct Told {
  std::vector<model::Event> seen;
  NodeName node;
  std::optional<Event> event;
};

std::string MadeUpInstance() {
  std::random_device device;
  return std::to_string(device()) + "-" + std::to_string(device());
}

ResourceVersion VersionIn(const std::string& body) {
  const auto meta = kube::ReadObjectMeta(body);
  return meta ? meta->resource_version : ResourceVersion();
}

class Process {
 public:
  Process(const ProgramOptions& options, std::vector<NodeDevices> nodes, std::string_view version,
          const runtime::Logger& log, const std::stop_token& stop)
      : options_(options),
        log_(log),
        version_(version),
        time_(clock_),
        instance_(options.instance.empty() ? MadeUpInstance() : options.instance),
        devices_(std::move(nodes)),
        agents_(HeartOptions()),
        stopping_(stop, [this] { inbox_.Close(); }),
        io_(1) {}

  [[nodiscard]] Result<void> Run();

 private:
  [[nodiscard]] std::vector<AgentOptions> HeartOptions() const;
  [[nodiscard]] Result<void> Connect();
  void StartWatchers();
  void Watch(kube::WatchedKind kind);
  void Loop();
  void Carry(const NodeAgents::Said& said);
  void Send(const NodeName& node, Result<kube::WriteRequest> request);
  void Answer(const NodeName& node, const kube::WriteReply& reply);
  void Tell(const NodeName& node, Event event) {
    (void)inbox_.Push({.seen = {}, .node = node, .event = std::move(event)});
  }
  // Once per change.
  void NoteWrite(const kube::WriteReply& reply);
  // What was told of the cluster does not hold any more. From any thread.
  void GoneBack(const Error& why) GS_EXCLUDES(gone_back_mutex_);
  [[nodiscard]] Result<void> End() GS_EXCLUDES(gone_back_mutex_);

  const ProgramOptions& options_;
  const runtime::Logger& log_;
  const std::string version_;
  const runtime::SystemClock clock_;
  const runtime::SteadyTime time_;
  const std::string instance_;
  std::vector<NodeDevices> devices_;
  NodeAgents agents_;
  const AgentMetrics metrics_{version_};
  std::atomic<bool> is_write_failing_ = false;
  runtime::Mailbox<Told> inbox_;
  runtime::Mutex gone_back_mutex_;
  std::optional<Error> gone_back_ GS_GUARDED_BY(gone_back_mutex_);
  const std::stop_callback<std::function<void()>> stopping_;

  runtime::IoThreads io_;
  std::unique_ptr<http::Server> server_;
  std::unique_ptr<kube::ApiClient> client_;
  std::unique_ptr<kube::EventRecorder> events_;
  std::vector<std::unique_ptr<kube::Watcher>> watchers_;
  std::unique_ptr<Reading> reading_;  // first to end
};

std::vector<AgentOptions> Process::HeartOptions() const {
  std::vector<AgentOptions> all;
  const std::uint64_t seed = std::random_device()();
  for (const NodeDevices& devices : devices_) {
    AgentOptions one;
    one.node = devices.node;
    one.reporter = instance_;
    one.times = options_.times;
    one.health = options_.health;
    one.seed = seed ^ StableHash(devices.node.text());
    all.push_back(std::move(one));
  }
  return all;
}

Result<void> Process::Connect() {
  const auto settings = kube::FindSettings(options_.cluster);
  if (!settings) return settings.error();
  auto client = kube::ApiClient::Create(
      io_, *settings, kube::MakeLoginSource(*settings, kube::ReadFile, kube::RunProcess), clock_,
      {.max_running = options_.max_requests,
       .user_agent = std::string(kController) + "/" + version_,
       .hooks = {}});
  if (!client) return std::move(client).error();
  client_ = *std::move(client);
  log_.Info("started",
            {{"version", version_}, {"server", settings->server}, {"instance", instance_}});
  return {};
}

void Process::Watch(kube::WatchedKind kind) {
  kube::WatcherOptions how;
  how.seed = std::random_device()();
  how.gone_back = [this](const Error& why) { GoneBack(why); };
  watchers_.push_back(std::make_unique<kube::Watcher>(
      *client_, clock_, std::move(kind), how,
      [this](std::vector<model::Event> events) {
        (void)inbox_.Push({.seen = std::move(events), .node = {}, .event = {}});
      },
      [this](const Error& problem) {
        log_.Warning("watching failed", {{"why", ToString(problem)}});
      }));
}

// A node's agent sees its own node and no more.
void Process::StartWatchers() {
  kube::WatchedKind pods = kube::Pods();
  kube::WatchedKind nodes = kube::Nodes();
  kube::WatchedKind machines = kube::Machines();
  if (devices_.size() == 1) {
    const std::string& node = devices_.front().node.text();
    pods.collection.field_selector = "spec.nodeName=" + node;
    nodes.collection.field_selector = "metadata.name=" + node;
    machines.collection.field_selector = "metadata.name=" + node;
  }
  Watch(std::move(pods));
  Watch(std::move(nodes));
  Watch(std::move(machines));
}

Result<void> Process::Run() {
  if (options_.status) {
    auto server = StartStatusServer(io_, *options_.status, metrics_);
    if (!server) return std::move(server).error().Within("--listen");
    server_ = *std::move(server);
  }
  if (auto done = Connect(); !done) return done;
  events_ = std::make_unique<kube::EventRecorder>(
      *client_, clock_,
      kube::EventRecorderOptions{.source = {.controller = SchedulerName(std::string(kController)),
                                            .instance = instance_,
                                            .action = "Reporting"}});
  StartWatchers();
  reading_ = std::make_unique<Reading>(
      devices_, options_.read_every,
      [this](const NodeName& node, Event event) { Tell(node, std::move(event)); }, log_);
  Loop();
  return End();
}

void Process::GoneBack(const Error& why) {
  {
    const runtime::MutexLock lock(gone_back_mutex_);
    gone_back_ = why;
  }
  inbox_.Close();
}

Result<void> Process::End() {
  const runtime::MutexLock lock(gone_back_mutex_);
  if (gone_back_) return *gone_back_;
  log_.Info("stopping", {});
  return {};
}

void Process::Loop() {
  while (!inbox_.is_closed()) {
    const auto wake = agents_.NextWake();
    auto told = inbox_.Drain(wake ? time_.DeadlineAt(*wake) : runtime::Mailbox<Told>::kNoDeadline);
    for (Told& one : told) {
      for (const model::Event& event : one.seen) agents_.Hear(event);
      if (one.event) agents_.Hear(one.node, *std::move(one.event));
    }
    for (const auto& said : agents_.RunOnce(time_.Now())) Carry(said);
    if (options_.status) metrics_.Show(agents_);
  }
}

void Process::Carry(const NodeAgents::Said& said) {
  const NodeName& node = said.node;
  const auto owner = [&](const NodeUid& uid) {
    return kube::NodeStatusOwner{.node = node, .node_uid = uid, .reporter = instance_};
  };
  if (const auto* create = std::get_if<CreateObject>(&said.command)) {
    Send(node, kube::CreateNodeStatusRequest(owner(create->owner)));
  } else if (const auto* adopt = std::get_if<AdoptObject>(&said.command)) {
    Send(node, kube::AdoptNodeStatusRequest(owner(adopt->owner)));
  } else if (const auto* write = std::get_if<WriteReport>(&said.command)) {
    Send(node, kube::NodeReportRequest(node, write->report));
  } else if (const auto* look = std::get_if<LookAgain>(&said.command)) {
    reading_->LookAgain(node, look->look);
  } else if (const auto* raised = std::get_if<RaiseEvent>(&said.command)) {
    log_.Info("event",
              {{"node", node.text()}, {"reason", raised->reason}, {"message", raised->message}});
    events_->Record({{"Node", {}, node.text(), raised->node.text()},
                     raised->type,
                     raised->reason,
                     raised->message});
  }
}

void Process::Send(const NodeName& node, Result<kube::WriteRequest> request) {
  kube::WriteThen(*client_, std::move(request), {.timeout = kWriteTimeout, .stop = {}},
                  [this, node](const kube::WriteReply& reply) { Answer(node, reply); });
}

void Process::Answer(const NodeName& node, const kube::WriteReply& reply) {
  metrics_.CountWrite(reply.answer.outcome);
  NoteWrite(reply);
  const bool is_done = reply.answer.outcome == WriteOutcome::kDone;
  Tell(node,
       WriteAnswered{reply.answer.outcome, is_done ? VersionIn(reply.body) : ResourceVersion()});
}

void Process::NoteWrite(const kube::WriteReply& reply) {
  const bool is_failing = reply.answer.outcome != WriteOutcome::kDone &&
                          reply.answer.outcome != WriteOutcome::kAlreadyExists;
  if (is_write_failing_.exchange(is_failing) == is_failing) return;
  if (is_failing) {
    log_.Warning("writing failed", {{"why", reply.answer.reason}});
  } else {
    log_.Info("writing works", {});
  }
}

}  // namespace

Result<void> RunAgent(const ProgramOptions& options, std::vector<NodeDevices> nodes,
                      std::string_view version, const runtime::Logger& log) {
  std::stop_source stop;
  const runtime::Signals signals([&stop](int) { stop.request_stop(); });  // before other threads
  return RunAgentsUntil(stop.get_token(), options, std::move(nodes), version, log);
}

Result<void> RunAgentsUntil(const std::stop_token& stop, const ProgramOptions& options,
                            std::vector<NodeDevices> nodes, std::string_view version,
                            const runtime::Logger& log) {
  Process process(options, std::move(nodes), version, log, stop);
  return process.Run();
}

}  // namespace gs::agent
