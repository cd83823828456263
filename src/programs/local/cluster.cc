#include "programs/local/cluster.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>
#include <utility>

#include "adapters/certificates/authority.h"
#include "adapters/localcluster/api/api.h"
#include "adapters/localcluster/definitions/definitions.h"
#include "adapters/localcluster/objects/metadata.h"
#include "adapters/localcluster/rules/rules.h"
#include "adapters/localcluster/runner/kubelet_requests.h"
#include "adapters/localcluster/runner/runner.h"
#include "adapters/localcluster/server/server.h"
#include "adapters/localcluster/store/objects.h"
#include "adapters/localcluster/webhooks/webhook_caller.h"
#include "adapters/runtime/clock.h"
#include "adapters/runtime/io_threads.h"
#include "adapters/runtime/mailbox.h"
#include "adapters/yaml/parse.h"
#include "base/check.h"
#include "programs/local/embedded_files.h"
#include "programs/local/kubeconfig_file.h"
#include "programs/local/load.h"

namespace gs::local {
namespace {

constexpr int kValidDays = 365;
constexpr auto kPatience = std::chrono::seconds(30);
constexpr auto kGlance = std::chrono::milliseconds(5);
constexpr Duration kShutdownGrace = std::chrono::seconds(1);
constexpr std::string_view kServerNames =
    "DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,IP:127.0.0.1,"
    "IP:::1";
constexpr std::string_view kDefinitions = "charts/gpu-scheduler/crds/crds.yaml";

std::uint64_t Seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32U) | device();
}

// Until so many objects are there that count. What takes longer than our patience is left to come
// later.
template <class Counts>
void AwaitObjects(localcluster::Store& store, const std::string& resource, std::size_t count,
                  const Counts& counts) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  const auto changes = std::make_shared<runtime::Mailbox<bool>>();
  const auto wake = store.OnChange(resource, [changes] { (void)changes->Push(true); });
  while (true) {
    const auto listing = store.List(resource);
    const auto there = std::count_if(listing.objects.begin(), listing.objects.end(), counts);
    if (static_cast<std::size_t>(there) >= count) return;
    if (changes->Drain(deadline).empty()) return;
    // Thousands may come at once: not every one is worth a look at all.
    std::this_thread::sleep_for(kGlance);
  }
}

}  // namespace

struct Cluster::State {
  explicit State(certificates::Authority made) : authority(std::move(made)) {}

  certificates::Authority authority;
  localcluster::Store store;
  localcluster::Kinds kinds;
  runtime::SystemClock clock;
  localcluster::ObjectNames names{Seed()};
  localcluster::Definitions definitions{store, kinds, clock};
  localcluster::Rules rules{store, names};
  localcluster::Objects objects{store, kinds, clock, names, [this](localcluster::Attempt& attempt) {
                                  return rules.Admit(attempt);
                                }};
  localcluster::ClusterObjects cluster_objects{objects};
  localcluster::Api api{objects};
  runtime::IoThreads threads{std::max(2U, std::thread::hardware_concurrency())};
  localcluster::WebhookCaller webhooks{store, names, threads};
  std::unique_ptr<localcluster::Runner> runner;
  std::unique_ptr<localcluster::Server> server;

  void ConnectRules();
  Result<void> AddDefinitions();
  Result<void> Add(const localcluster::Json& object);
  Result<void> Serve(std::uint16_t port);
};

// Kinds of our own are checked from the first object on; webhooks are asked once they are served.
void Cluster::State::ConnectRules() {
  rules.CheckCustomBy(
      [this](localcluster::Attempt& attempt) { return definitions.Admit(attempt); });
  rules.AskAlso([this](localcluster::Attempt& attempt) { return webhooks.Ask(attempt); });
}

// Those of the chart, unless a dump has brought them.
Result<void> Cluster::State::AddDefinitions() {
  const auto documents = yaml::ParseYamlDocuments(*FindEmbedded(kDefinitions));
  if (!documents) return documents.error();
  for (const auto& document : *documents) {
    if (auto done = Add(document); !done) return done;
  }
  return {};
}

Result<void> Cluster::State::Add(const localcluster::Json& object) {
  const auto kind =
      kinds.FindKind(localcluster::Text(object, {"apiVersion"}), localcluster::KindOf(object));
  GS_CHECK(kind != nullptr);
  const auto made =
      objects.Create(*kind, std::string(localcluster::NamespaceOf(object)), object.get_object());
  if (made || made.status().reason == "AlreadyExists") return {};
  return Error(ErrorKind::kInternal, made.status().message);
}

Result<void> Cluster::State::Serve(std::uint16_t port) {
  const auto serving = authority.Issue({.name = "kube-apiserver",
                                        .organizations = {},
                                        .alternative = std::string(kServerNames),
                                        .valid_until_days = kValidDays});
  if (!serving) return serving.error();
  auto started = localcluster::Server::Start(
      threads, api,
      {.port = port,
       .credentials = {.certificate_pem = serving->certificate_pem,
                       .key_pem = serving->key_pem,
                       .ca_pem = authority.own().certificate_pem},
       .kubelet =
           [this](const localcluster::ApiRequest& request) {
             return localcluster::AnswerAsKubelet(request, cluster_objects, runner->outputs());
           },
       .has_webhooks = [this] { return webhooks.has_webhooks(); }});
  if (!started) return std::move(started).error();
  server = *std::move(started);
  return {};
}

Cluster::Cluster(std::unique_ptr<State> state) : state_(std::move(state)) {}

Cluster::~Cluster() {
  if (state_->server) state_->server->Shutdown(kShutdownGrace);
  state_->threads.Stop();
}

Result<std::unique_ptr<Cluster>> Cluster::Start(ClusterOptions options,
                                                const runtime::Logger& log) {
  auto authority = certificates::Authority::Create("gpu-local", kValidDays);
  if (!authority) return std::move(authority).error();
  std::unique_ptr<Cluster> cluster(new Cluster(std::make_unique<State>(*std::move(authority))));
  State& state = *cluster->state_;
  state.ConnectRules();
  if (auto done = LoadObjects(options.objects, state.store, state.kinds, state.rules); !done) {
    return std::move(done).error();
  }
  if (auto done = state.AddDefinitions(); !done) return std::move(done).error();
  const std::size_t nodes = options.nodes.size();
  state.runner = std::make_unique<localcluster::Runner>(
      localcluster::RunnerOptions{
          .kubelets = {.nodes = std::move(options.nodes), .programs = std::move(options.programs)},
          .ca_certificate = state.authority.own().certificate_pem},
      state.objects, state.threads, log);
  AwaitObjects(state.store, "nodes", nodes, [](const auto&) { return true; });
  if (auto done = state.Serve(options.port); !done) return std::move(done).error();
  return cluster;
}

Result<void> Cluster::Add(const boost::json::value& object) { return state_->Add(object); }

void Cluster::AwaitReports(std::size_t count) {
  AwaitObjects(state_->store, "gpunodestatuses.gpu.scheduling", count, [](const auto& stored) {
    return stored->text.find("\"devices\":[") != std::string::npos;  // nothing else has that name
  });
}

std::string Cluster::server() const {
  return "https://127.0.0.1:" + std::to_string(state_->server->port());
}

Result<std::string> Cluster::IssueKubeconfig(const std::string& user) const {
  const auto issued = state_->authority.Issue({.name = user,
                                               .organizations = {"system:masters"},
                                               .alternative = "",
                                               .valid_until_days = kValidDays});
  if (!issued) return issued.error();
  return PrintKubeconfig({.server = server(),
                          .ca_pem = state_->authority.own().certificate_pem,
                          .certificate_pem = issued->certificate_pem,
                          .key_pem = issued->key_pem});
}

}  // namespace gs::local
