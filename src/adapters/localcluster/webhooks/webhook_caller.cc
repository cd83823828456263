#include "adapters/localcluster/webhooks/webhook_caller.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <chrono>

#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/store/object_text.h"
#include "adapters/localcluster/webhooks/review.h"

namespace gs::localcluster {
namespace {

namespace json = boost::json;
using runtime::MutexLock;

constexpr const char* kConfigurations =
    "mutatingwebhookconfigurations.admissionregistration.k8s.io";
constexpr std::size_t kMaxClients = 64;

// The configurations themselves are never put in front of webhooks: a bad one could not be removed.
bool IsExempt(const Kind& kind) { return kind.group == "admissionregistration.k8s.io"; }

// What cannot be asked later is refused when it is written.
Verdict CheckConfiguration(const Attempt& attempt) {
  const bool is_written = attempt.object != nullptr && attempt.kind.resource() == kConfigurations;
  if (!is_written) return std::nullopt;
  Faults faults;
  (void)CompileWebhooks(*attempt.object, faults);
  return faults.About(attempt.kind, attempt.name);
}

Status Failed(const std::string& webhook, const Error& error) {
  const std::string why =
      "failed calling webhook \"" + webhook + "\": failed to call webhook: " + ToString(error);
  Status status = BadRequest("Internal error occurred: " + why);
  status.code = 500;
  status.reason = "InternalError";
  status.causes.push_back({.reason = "", .message = why, .field = ""});
  return status;
}

Result<http::Response> ResponseOf(http::Outcome outcome) {
  if (auto* response = std::get_if<http::Response>(&outcome)) return std::move(*response);
  if (const auto* failed = std::get_if<http::NotSent>(&outcome)) return failed->error;
  return std::get<http::Unknown>(outcome).error;
}

std::string ServiceHost(const WebhookAddress& address) {
  return address.service_name + "." + address.service_namespace + ".svc";
}

// As an API server names it: a service by its name, wherever it leads.
std::string TitleOf(const WebhookAddress& address, const std::string& target) {
  if (!address.url.empty()) return address.url + target.substr(target.find('?'));
  return "https://" + ServiceHost(address) + ":" + std::to_string(address.port) + target;
}

// The path with how long the server waits.
std::string TargetOf(const Webhook& webhook, const std::string& path) {
  const char mark = path.find('?') == std::string::npos ? '?' : '&';
  return path + mark + "timeout=" + std::to_string(webhook.timeout_seconds) + "s";
}

}  // namespace

WebhookCaller::WebhookCaller(const Store& store, ObjectNames& names, runtime::IoThreads& threads)
    : store_(store), names_(names), threads_(threads) {}

bool WebhookCaller::has_webhooks() const { return !store_.List(kConfigurations).objects.empty(); }

WebhookCaller::Webhooks WebhookCaller::Current() {
  auto listing = store_.List(kConfigurations);
  const MutexLock lock(mutex_);
  if (webhooks_ && listing.objects == seen_) return webhooks_;
  std::vector<Webhook> compiled;
  for (const auto& object : listing.objects) {
    Faults refused_already;  // when it was written
    for (auto& webhook : CompileWebhooks(ParseStored(object->text), refused_already)) {
      compiled.push_back(std::move(webhook));
    }
  }
  seen_ = std::move(listing.objects);
  webhooks_ = std::make_shared<const std::vector<Webhook>>(std::move(compiled));
  return webhooks_;
}

bool WebhookCaller::Selects(const Webhook& webhook, const Attempt& attempt) const {
  const auto labels_of = [](const json::object* object) {
    return object == nullptr ? nullptr : Find(*object, {"metadata", "labels"});
  };
  const bool is_namespace = attempt.kind.kind == "Namespace" && attempt.kind.group.empty();
  if (is_namespace) {
    const auto* now = attempt.object == nullptr ? attempt.old : attempt.object;
    if (!webhook.namespaces.MatchesObject(labels_of(now))) return false;
  } else if (attempt.kind.is_namespaced) {
    const auto ns = store_.Get({.resource = "namespaces", .ns = "", .name = attempt.ns});
    if (ns && !webhook.namespaces.Matches(ns->labels)) return false;
  }
  const auto is_chosen = [&](const json::object* object) {
    return object != nullptr && webhook.objects.MatchesObject(labels_of(object));
  };
  return is_chosen(attempt.object) || is_chosen(attempt.old);
}

Result<bool> WebhookCaller::MeetsConditions(const Webhook& webhook, const Attempt& attempt) const {
  if (webhook.conditions.empty()) return true;
  const json::value request(ReviewRequest(attempt, ""));
  const auto& fields = request.get_object();
  const std::vector<CelBinding> bindings{{.name = "object", .value = &fields.at("object")},
                                         {.name = "oldObject", .value = &fields.at("oldObject")},
                                         {.name = "request", .value = &request}};
  std::optional<Error> problem;
  for (const auto& condition : webhook.conditions) {
    const auto is_met = condition.program.IsTrue(bindings);
    // One that is false decides, whatever else went wrong.
    if (is_met && !*is_met) return false;
    if (!is_met && !problem) {
      problem = Error(is_met.error()).Within("matchCondition " + condition.name);
    }
  }
  if (problem) return *problem;
  return true;
}

Verdict WebhookCaller::Ask(Attempt& attempt) {
  if (IsExempt(attempt.kind)) return CheckConfiguration(attempt);
  const auto webhooks = Current();
  for (const auto& webhook : *webhooks) {
    if (!webhook.IsAbout(attempt) || !Selects(webhook, attempt)) continue;
    const auto is_met = MeetsConditions(webhook, attempt);
    if (is_met && !*is_met) continue;
    auto answer = is_met ? Call(webhook, attempt) : Result<Verdict>(is_met.error());
    if (answer && *answer) return *answer;
    if (!answer && webhook.is_required) return Failed(webhook.name, answer.error());
  }
  return std::nullopt;
}

Result<Verdict> WebhookCaller::Call(const Webhook& webhook, Attempt& attempt) {
  http::Url url;
  const auto& path = webhook.address.path;
  const std::string title =
      "Post \"" + TitleOf(webhook.address, TargetOf(webhook, path.empty() ? "/" : path)) + "\"";
  const auto client = ClientFor(webhook, url);
  if (!client) return Error(client.error()).Within(title);
  const auto uid = names_.Uid();
  const auto timeout = std::chrono::seconds(webhook.timeout_seconds);
  http::Request request{
      .method = http::Method::kPost,
      .target = TargetOf(webhook, url.target),
      .headers = {{"Content-Type", "application/json"}, {"Accept", "application/json"}},
      .body = PrintReview(ReviewRequest(attempt, uid)),
      .peer = {}};
  auto response = ResponseOf((*client)->SendAndWait(std::move(request), {.timeout = timeout}));
  if (!response) return std::move(response).error().Within(title);
  if (response->status != 200) {
    return Error(ErrorKind::kUnavailable,
                 "the server answered " + std::to_string(response->status));
  }
  return ApplyAnswer(webhook.name, uid, response->body, attempt.object);
}

Result<http::Url> WebhookCaller::FindService(const WebhookAddress& address) const {
  const std::string what = "service \"" + address.service_name + "\"";
  const auto service = store_.Get(
      {.resource = "services", .ns = address.service_namespace, .name = address.service_name});
  if (!service) return Error(ErrorKind::kNotFound, what + " not found");
  const auto endpoints = store_.Get(
      {.resource = "endpoints", .ns = address.service_namespace, .name = address.service_name});
  const auto object = endpoints ? ParseStored(endpoints->text) : json::object();
  const auto* subsets = FindArray(object, {"subsets"});
  for (const auto& item : subsets == nullptr ? json::array() : *subsets) {
    if (!item.is_object()) continue;
    const auto* addresses = FindArray(item.get_object(), {"addresses"});
    const auto* ports = FindArray(item.get_object(), {"ports"});
    if (addresses == nullptr || addresses->empty() || ports == nullptr || ports->empty()) continue;
    const auto* first = addresses->front().if_object();
    const auto* port = ports->front().if_object();
    if (first == nullptr || port == nullptr) continue;
    const auto number = Int(*port, {"port"});
    if (number < 1 || number > 65535) continue;
    return http::Url{.is_tls = true,
                     .host = std::string(Text(*first, {"ip"})),
                     .port = static_cast<std::uint16_t>(number),
                     .target = address.path.empty() ? "/" : address.path};
  }
  return Error(ErrorKind::kUnavailable, "no endpoints available for " + what);
}

Result<std::shared_ptr<http::Client>> WebhookCaller::ClientFor(const Webhook& webhook,
                                                               http::Url& url) {
  const auto& address = webhook.address;
  auto found = address.url.empty() ? FindService(address) : http::ParseUrl(address.url);
  if (!found) return std::move(found).error();
  url = *std::move(found);
  const std::string name = address.url.empty() ? ServiceHost(address) : "";
  http::Url origin = url;
  origin.target = "/";
  const std::string key = http::PrintUrl(origin) + " " + name + " " + address.ca_pem;
  const MutexLock lock(mutex_);
  if (const auto kept = clients_.find(key); kept != clients_.end()) return kept->second;
  auto made = http::Client::Create(
      threads_, origin,
      {.tls = {.credentials = {.certificate_pem = "", .key_pem = "", .ca_pem = address.ca_pem},
               .server_name = name}});
  if (!made) return std::move(made).error();
  if (clients_.size() >= kMaxClients) clients_.clear();
  std::shared_ptr<http::Client> client = *std::move(made);
  clients_[key] = client;
  return client;
}

}  // namespace gs::localcluster
