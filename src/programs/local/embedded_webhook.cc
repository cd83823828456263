#include "programs/local/embedded_webhook.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "adapters/localcluster/objects/metadata.h"

namespace gs::local {
namespace {

namespace json = boost::json;

constexpr std::string_view kWebhookName = "gpu-scheduler-webhook";
constexpr std::string_view kWebhookNamespace = "default";
constexpr std::array kWebhookKinds{std::string_view("Service"), std::string_view("Endpoints"),
                                   std::string_view("Secret"),
                                   std::string_view("MutatingWebhookConfiguration")};
constexpr auto kWebhookPatience = std::chrono::seconds(60);
constexpr auto kReadyGlance = std::chrono::milliseconds(5);

json::object WebhookMetadata(std::string_view suffix = "") {
  return {{"name", std::string(kWebhookName) + std::string(suffix)},
          {"namespace", kWebhookNamespace}};
}

json::value Rule(std::string_view operation, std::string_view resource) {
  return {{"operations", json::array{operation}},
          {"apiGroups", json::array{""}},
          {"apiVersions", json::array{"v1"}},
          {"resources", json::array{resource}},
          {"scope", "Namespaced"}};
}

json::value Configuration(const std::string& scheduler) {
  const json::object service{
      {"name", kWebhookName}, {"namespace", kWebhookNamespace}, {"path", "/mutate"}};
  const json::object condition{
      {"name", "pods-of-this-scheduler"},
      {"expression", "object.spec.schedulerName == \"" + scheduler + "\""}};
  const json::object hook{
      {"name", "pods.gpu-scheduler.svc"},
      {"clientConfig", json::object{{"service", service}}},
      {"rules", json::array{Rule("CREATE", "pods"), Rule("UPDATE", "pods/ephemeralcontainers")}},
      {"matchConditions", json::array{condition}},
      {"failurePolicy", "Ignore"},
      {"reinvocationPolicy", "IfNeeded"},
      {"sideEffects", "None"},
      {"timeoutSeconds", 10},
      {"admissionReviewVersions", json::array{"v1"}}};
  return {{"apiVersion", "admissionregistration.k8s.io/v1"},
          {"kind", "MutatingWebhookConfiguration"},
          {"metadata", json::object{{"name", kWebhookName}}},
          {"webhooks", json::array{hook}}};
}

// What it needs to begin: a Secret to fill, and whom to tell which authority to trust.
std::vector<json::value> ObjectsBefore(const webhook::WebhookOptions& options) {
  return {{{"apiVersion", "v1"},
           {"kind", "Secret"},
           {"metadata", WebhookMetadata("-self")},
           {"type", "Opaque"}},
          Configuration(options.policy.scheduler.text())};
}

// Where it is found.
std::vector<json::value> ObjectsAfter(std::uint16_t port) {
  const json::object service_port{{"name", "https"}, {"port", 443}, {"targetPort", port}};
  const json::object subset{
      {"addresses", json::array{json::object{{"ip", "127.0.0.1"}}}},
      {"ports", json::array{json::object{{"name", "https"}, {"port", port}}}}};
  return {
      {{"apiVersion", "v1"},
       {"kind", "Service"},
       {"metadata", WebhookMetadata()},
       {"spec", json::object{{"ports", json::array{service_port}}}}},
      {{"apiVersion", "v1"},
       {"kind", "Endpoints"},
       {"metadata", WebhookMetadata()},
       {"subsets", json::array{subset}}},
  };
}

Result<webhook::WebhookOptions> WebhookOptionsFor(const std::filesystem::path& kubeconfig) {
  const auto parsed = webhook::ParseCommandLine(
      {"--kubeconfig", kubeconfig.string(), "--namespace", std::string(kWebhookNamespace),
       "--configuration", std::string(kWebhookName), "--certificates", "self"},
      "");
  if (!parsed) return parsed.error();
  auto options = std::get<webhook::WebhookOptions>(*parsed);
  options.listen = {.address = "127.0.0.1", .port = 0};
  return options;
}

Result<void> AddAll(Cluster& cluster, const std::vector<json::value>& objects) {
  for (const auto& object : objects) {
    if (auto added = cluster.Add(object); !added) return added;
  }
  return {};
}

// Until it has a certificate that the cluster trusts.
Result<void> Await(const webhook::Webhook& webhook) {
  const auto deadline = std::chrono::steady_clock::now() + kWebhookPatience;
  while (!webhook.WhyNotReady().empty()) {
    if (std::chrono::steady_clock::now() > deadline) {
      return Error(ErrorKind::kUnavailable, webhook.WhyNotReady()).Within("webhook");
    }
    std::this_thread::sleep_for(kReadyGlance);
  }
  return {};
}

}  // namespace

bool IsOfWebhook(const json::value& object) {
  const auto kind = localcluster::KindOf(object);
  const bool is_its_kind =
      std::find(kWebhookKinds.begin(), kWebhookKinds.end(), kind) != kWebhookKinds.end();
  return is_its_kind && localcluster::NameOf(object).starts_with(kWebhookName);
}

Result<std::unique_ptr<webhook::Webhook>> StartWebhook(Cluster& cluster,
                                                       const std::filesystem::path& kubeconfig,
                                                       std::string_view version,
                                                       const runtime::Logger& log) {
  const auto options = WebhookOptionsFor(kubeconfig);
  if (!options) return options.error();
  if (auto added = AddAll(cluster, ObjectsBefore(*options)); !added)
    return std::move(added).error();
  auto webhook = webhook::Webhook::Start(*options, version, log);
  if (!webhook) return webhook;
  if (auto added = AddAll(cluster, ObjectsAfter((*webhook)->port())); !added) {
    return std::move(added).error();
  }
  if (auto ready = Await(**webhook); !ready) return std::move(ready).error();
  return webhook;
}

}  // namespace gs::local
