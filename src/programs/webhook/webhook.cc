#include "programs/webhook/webhook.h"

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>
#include <utility>

#include "adapters/http/server.h"
#include "adapters/kube/api/api_client.h"
#include "adapters/kube/login/file_reader.h"
#include "adapters/kube/login/find_settings.h"
#include "adapters/kube/login/login_source.h"
#include "adapters/kube/login/run_process.h"
#include "adapters/kube/watch/watched_kind.h"
#include "adapters/kube/watch/watcher.h"
#include "adapters/metrics/registry.h"
#include "adapters/runtime/clock.h"
#include "adapters/runtime/io_threads.h"
#include "adapters/runtime/mailbox.h"
#include "adapters/runtime/signals.h"
#include "programs/webhook/certificate_keeper.h"
#include "programs/webhook/claim_book.h"
#include "programs/webhook/cluster_certificates.h"
#include "programs/webhook/folder_certificates.h"
#include "programs/webhook/reviewer.h"

namespace gs::webhook {
namespace {

constexpr std::size_t kMaxRequests = 4;  // to the API server at a time
constexpr Duration kShutdownGrace = std::chrono::seconds(5);
// Of certificates that are made here, so that no step of a renewal comes too late.
constexpr int kLooksPerLifetime = 30;

http::Response Plain(int status, std::string body, std::string type = "text/plain; charset=utf-8") {
  return {
      .status = status, .headers = {{"Content-Type", std::move(type)}}, .body = std::move(body)};
}

// An API server gives up after timeoutSeconds, so nobody may take longer to ask.
http::ServerOptions ServerOptionsOf(const config::Listen& listen,
                                    const certificates::Certificate& certificate) {
  http::ServerOptions options;
  options.address = listen.address;
  options.port = listen.port;
  options.tls = http::ServerTls{.credentials = {.certificate_pem = certificate.certificate_pem,
                                                .key_pem = certificate.key_pem,
                                                .ca_pem = ""}};
  options.max_connections = 4096;
  options.head_timeout = std::chrono::seconds(10);
  options.body_timeout = std::chrono::seconds(10);
  options.write_timeout = std::chrono::seconds(10);
  return options;
}

// Nobody trusts it: it only lets a kubelet ask after our health until there is a real one.
Result<certificates::Certificate> Placeholder() {
  const auto authority = certificates::Authority::Create("gpu-scheduler-webhook", 1);
  if (!authority) return authority.error();
  return authority->Issue({.name = "not-ready"});
}

}  // namespace

struct Webhook::State {
  State(const WebhookOptions& given, const runtime::Logger& logger)
      : options(given), log(logger), io(std::max(2U, std::thread::hardware_concurrency())) {}

  [[nodiscard]] Result<void> Connect(std::string_view version);
  [[nodiscard]] Result<void> Serve();
  void Keep();
  void WatchClaims(GoneBack gone_back);
  [[nodiscard]] http::Response Answer(const http::Request& request) const;
  [[nodiscard]] std::string WhyNotReady() const;
  [[nodiscard]] bool is_alone() const {
    return options.certificates.mode == CertificateMode::kFolder;
  }

  WebhookOptions options;
  const runtime::Logger log;
  const runtime::SystemClock clock;
  const metrics::Registry registry;
  ClaimBook claims;
  std::unique_ptr<Reviewer> reviewer;
  std::atomic<bool> is_draining = false;
  std::atomic<bool> is_ready = false;
  kube::ConnectionSettings settings;

  runtime::IoThreads io;
  std::unique_ptr<kube::ApiClient> client;
  std::unique_ptr<http::Server> server;
  std::unique_ptr<CertificateKeeper> keeper;
  std::unique_ptr<kube::Watcher> watcher;
};

Result<void> Webhook::State::Connect(std::string_view version) {
  auto found = kube::FindSettings(options.cluster);
  if (!found) return std::move(found).error();
  settings = *std::move(found);
  if (options.certificates.ns.empty()) options.certificates.ns = settings.ns;
  auto made = kube::ApiClient::Create(
      io, settings, kube::MakeLoginSource(settings, kube::ReadFile, kube::RunProcess), clock,
      {.max_running = kMaxRequests, .user_agent = "gpu-scheduler-webhook/" + std::string(version)});
  if (!made) return std::move(made).error();
  client = *std::move(made);
  return {};
}

Result<void> Webhook::State::Serve() {
  const auto placeholder = Placeholder();
  if (!placeholder) return placeholder.error();
  auto started =
      http::Server::Start(io, ServerOptionsOf(options.listen, *placeholder),
                          [this](http::Request request) -> boost::asio::awaitable<http::Reply> {
                            http::Reply reply = Answer(request);
                            // Whoever came back would meet a connection that is being closed.
                            reply.is_last = is_draining;
                            co_return reply;
                          });
  if (!started) return std::move(started).error().Within("--listen");
  server = *std::move(started);
  return {};
}

http::Response Webhook::State::Answer(const http::Request& request) const {
  const std::string path = request.target.substr(0, request.target.find('?'));
  if (path == "/mutate") return reviewer->Answer(request);
  if (!http::IsReading(request.method)) return Plain(405, "only GET\n");
  if (path == "/health") return Plain(200, "ok\n");
  if (path == "/metrics") {
    return Plain(200, registry.Print(), std::string(metrics::kContentType));
  }
  if (path != "/ready") return Plain(404, "there are /mutate, /health, /ready and /metrics\n");
  if (is_draining) return Plain(503, "ending\n");
  return is_ready ? Plain(200, "ok\n") : Plain(503, "no certificate yet\n");
}

void Webhook::State::Keep() {
  const auto& wish = options.certificates;
  std::unique_ptr<CertificateSource> source;
  if (is_alone()) {
    source = std::make_unique<FolderCertificates>(wish.folder);
  } else {
    source = std::make_unique<ClusterCertificates>(*client, wish, log);
  }
  keeper = std::make_unique<CertificateKeeper>(
      std::move(source),
      KeeperOptions{.host = is_alone() ? "" : HostOf(wish),
                    .period = std::min(wish.check_period, wish.lifetime / kLooksPerLifetime)},
      clock, registry, log, [this](const certificates::Certificate& good) -> Result<void> {
        auto used = server->UseCredentials(
            {.certificate_pem = good.certificate_pem, .key_pem = good.key_pem, .ca_pem = ""});
        if (used) is_ready = true;
        return used;
      });
}

void Webhook::State::WatchClaims(GoneBack gone_back) {
  kube::WatcherOptions how;
  how.gone_back = std::move(gone_back);
  how.seed = std::random_device()();
  watcher = std::make_unique<kube::Watcher>(
      *client, clock, kube::Claims(), how,
      [this](const std::vector<model::Event>& events) { claims.Note(events); },
      [this](const Error& problem) {
        log.Warning("cannot watch claims", {{"why", ToString(problem)}});
      });
}

Webhook::Webhook(std::unique_ptr<State> state) : state_(std::move(state)) {}

Webhook::~Webhook() {
  state_->watcher.reset();
  state_->keeper.reset();
  if (state_->server) state_->server->Shutdown(kShutdownGrace);
  state_->io.Stop();
}

Result<std::unique_ptr<Webhook>> Webhook::Start(const WebhookOptions& options,
                                                std::string_view version,
                                                const runtime::Logger& log, GoneBack gone_back) {
  std::unique_ptr<Webhook> webhook(new Webhook(std::make_unique<State>(options, log)));
  State& state = *webhook->state_;
  if (!state.is_alone()) {
    if (auto done = state.Connect(version); !done) return std::move(done).error();
  }
  state.reviewer = std::make_unique<Reviewer>(
      options.policy,
      [&state](const Namespace& ns, const ClaimName& name) { return state.claims.Find(ns, name); },
      state.registry, state.clock, log);
  state.registry
      .AddGauges({.name = "gpu_webhook_build_info",
                  .help = "1; the label says which program this is.",
                  .labels = {"version"}})
      .Set({version}, 1);
  if (auto done = state.Serve(); !done) return std::move(done).error();
  state.Keep();
  if (!state.is_alone()) state.WatchClaims(std::move(gone_back));
  log.Info("started", {{"version", version},
                       {"scheduler", options.policy.scheduler.text()},
                       {"server", state.settings.server},
                       {"port", state.server->port()}});
  return webhook;
}

std::uint16_t Webhook::port() const { return state_->server->port(); }

std::string Webhook::WhyNotReady() const { return state_->keeper->WhyNotReady(); }

void Webhook::Drain(Duration time) {
  state_->is_draining = true;
  std::this_thread::sleep_for(time);
}

Result<void> RunWebhook(const WebhookOptions& options, std::string_view version,
                        const runtime::Logger& log) {
  runtime::Mailbox<Result<void>> ends;
  const runtime::Signals signals(
      [&ends](int) { (void)ends.Push(Result<void>()); });  // before other threads
  auto webhook =
      Webhook::Start(options, version, log, [&ends](const Error& why) { (void)ends.Push(why); });
  if (!webhook) return std::move(webhook).error();
  Result<void> end = ends.Drain(std::chrono::steady_clock::time_point::max()).front();
  log.Info("stopping", {});
  (*webhook)->Drain(options.drain_time);
  return end;
}

}  // namespace gs::webhook
