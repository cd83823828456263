#include "programs/local/cluster.h"

#include <random>
#include <thread>

#include "adapters/certificates/authority.h"
#include "adapters/kube/login/base64.h"
#include "adapters/localcluster/api/api.h"
#include "adapters/localcluster/definitions/definitions.h"
#include "adapters/localcluster/rules/rules.h"
#include "adapters/localcluster/server/server.h"
#include "adapters/localcluster/store/objects.h"
#include "adapters/localcluster/webhooks/webhook_caller.h"
#include "adapters/runtime/clock.h"
#include "adapters/runtime/io_threads.h"

namespace gs::local {
namespace {

constexpr int kValidDays = 365;
constexpr std::string_view kServerNames =
    "DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,IP:127.0.0.1,"
    "IP:::1";

std::string PrintKubeconfig(std::uint16_t port, const std::string& ca,
                            const certificates::Certificate& admin) {
  std::string text = "apiVersion: v1\nkind: Config\ncurrent-context: gpu-local\nclusters:\n";
  text += "- name: gpu-local\n  cluster:\n    server: https://127.0.0.1:" + std::to_string(port);
  text += "\n    certificate-authority-data: " + kube::EncodeBase64(ca);
  text += "\nusers:\n- name: gpu-local\n  user:\n    client-certificate-data: ";
  text += kube::EncodeBase64(admin.certificate_pem);
  text += "\n    client-key-data: " + kube::EncodeBase64(admin.key_pem);
  text +=
      "\ncontexts:\n- name: gpu-local\n  context:\n    cluster: gpu-local\n    user: gpu-local\n";
  return text;
}

std::uint64_t Seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32U) | device();
}

}  // namespace

struct Cluster::State {
  localcluster::Store store;
  localcluster::Kinds kinds;
  runtime::SystemClock clock;
  localcluster::ObjectNames names{Seed()};
  localcluster::Definitions definitions{store, kinds, clock};
  localcluster::Rules rules{store, names};
  localcluster::Objects objects{store, kinds, clock, names, [this](localcluster::Attempt& attempt) {
                                  return rules.Admit(attempt);
                                }};
  localcluster::Api api{objects};
  runtime::IoThreads threads{std::max(2U, std::thread::hardware_concurrency())};
  localcluster::WebhookCaller webhooks{store, names, threads};
  std::unique_ptr<localcluster::Server> server;
  std::string kubeconfig;
};

Cluster::Cluster(std::unique_ptr<State> state) : state_(std::move(state)) {}

Cluster::~Cluster() {
  state_->server->Shutdown(std::chrono::seconds(1));
  state_->threads.Stop();
}

std::uint16_t Cluster::port() const { return state_->server->port(); }

const std::string& Cluster::kubeconfig() const { return state_->kubeconfig; }

Result<std::unique_ptr<Cluster>> Cluster::Start(std::uint16_t port) {
  const auto authority = certificates::Authority::Create("gpu-local", kValidDays);
  if (!authority) return authority.error();
  const auto serving = authority->Issue({.name = "kube-apiserver",
                                         .organizations = {},
                                         .alternative = std::string(kServerNames),
                                         .valid_until_days = kValidDays});
  if (!serving) return serving.error();
  const auto admin = authority->Issue({.name = "gpu-local-admin",
                                       .organizations = {"system:masters"},
                                       .alternative = "",
                                       .valid_until_days = kValidDays});
  if (!admin) return admin.error();
  auto state = std::make_unique<State>();
  state->rules.CheckCustomBy([definitions = &state->definitions](localcluster::Attempt& attempt) {
    return definitions->Admit(attempt);
  });
  state->rules.AskAlso([webhooks = &state->webhooks](localcluster::Attempt& attempt) {
    return webhooks->Ask(attempt);
  });
  auto server = localcluster::Server::Start(
      state->threads, state->api,
      {.port = port,
       .credentials = {.certificate_pem = serving->certificate_pem,
                       .key_pem = serving->key_pem,
                       .ca_pem = authority->own().certificate_pem},
       .has_webhooks = [webhooks = &state->webhooks] { return webhooks->has_webhooks(); }});
  if (!server) return std::move(server).error();
  state->server = *std::move(server);
  state->kubeconfig =
      PrintKubeconfig(state->server->port(), authority->own().certificate_pem, *admin);
  const auto namespaces = state->kinds.Find("namespaces");
  for (const auto* name : {"default", "kube-system", "kube-public", "kube-node-lease"}) {
    const auto made =
        state->objects.Create(*namespaces, "", {{"metadata", boost::json::object{{"name", name}}}});
    if (!made) return Error(ErrorKind::kInternal, made.status().message);
  }
  return std::unique_ptr<Cluster>(new Cluster(std::move(state)));
}

}  // namespace gs::local
