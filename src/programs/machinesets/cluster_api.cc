#include "programs/machinesets/cluster_api.h"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <utility>

#include "adapters/json/parse.h"
#include "adapters/kube/api/status_answer.h"
#include "adapters/kube/login/file_reader.h"
#include "adapters/kube/login/login_source.h"
#include "adapters/kube/login/run_process.h"
#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/objects/metadata.h"

namespace gs::machinesets {
namespace {

constexpr Duration kTimeout = std::chrono::seconds(30);
constexpr int kPageSize = 500;

ErrorKind KindOf(int status) {
  if (status == 404) return ErrorKind::kNotFound;
  if (status == 409) return ErrorKind::kConflict;
  if (status == 400 || status == 403 || status == 422) return ErrorKind::kInvalid;
  return ErrorKind::kUnavailable;
}

Error RefusalOf(const http::Response& response) {
  const auto status = kube::ParseStatus(response.body);
  Error refusal(KindOf(response.status),
                status && !status->message.empty()
                    ? status->message
                    : "the server answered " + std::to_string(response.status));
  if (response.status != 403) return refusal;
  return std::move(refusal).Advise(
      "deploy/openshift/gpu-infrastructure has the role for it, and components for what is "
      "optional");
}

}  // namespace

Result<std::unique_ptr<ClusterApi>> ClusterApi::Connect(const kube::SettingsWish& wish,
                                                        std::string_view version, Writing writing) {
  const auto settings = kube::FindSettings(wish);
  if (!settings) return settings.error();
  std::unique_ptr<ClusterApi> api(new ClusterApi(writing));
  auto client = kube::ApiClient::Create(
      api->io_, *settings, kube::MakeLoginSource(*settings, kube::ReadFile, kube::RunProcess),
      api->clock_, {.max_running = 1, .user_agent = "gpu-machinesets/" + std::string(version)});
  if (!client) return std::move(client).error();
  api->client_ = *std::move(client);
  return api;
}

Result<std::vector<boost::json::value>> ClusterApi::List(const kube::Resource& resource,
                                                         std::string_view ns) {
  const std::string path = kube::CollectionPath(resource, Namespace(std::string(ns))) +
                           "?limit=" + std::to_string(kPageSize);
  std::vector<boost::json::value> objects;
  std::string next;
  do {
    const auto page = Ask(http::Method::kGet, next.empty() ? path : path + "&continue=" + next);
    if (!page) return page.error();
    for (const auto& item : localcluster::Items(*page, {"items"})) objects.push_back(item);
    next = localcluster::Text(*page, {"metadata", "continue"});
  } while (!next.empty());
  return objects;
}

Result<boost::json::value> ClusterApi::Get(const kube::Resource& resource, std::string_view ns,
                                           std::string_view name) {
  return Ask(http::Method::kGet, kube::ObjectPath(resource, Namespace(std::string(ns)), name));
}

Result<boost::json::value> ClusterApi::Apply(const kube::Resource& resource,
                                             const boost::json::object& document, Force force) {
  const boost::json::value object(document);
  const std::string path =
      kube::ObjectPath(resource, Namespace(std::string(localcluster::NamespaceOf(object))),
                       localcluster::NameOf(object));
  const std::string query =
      "?fieldManager=" + std::string(kFieldManager) + (force == Force::kYes ? "&force=true" : "");
  return Ask(http::Method::kPatch, path + query + DryRun('&'), boost::json::serialize(document),
             "application/apply-patch+yaml");
}

Result<boost::json::value> ClusterApi::Create(const kube::Resource& resource,
                                              const boost::json::object& document) {
  const boost::json::value object(document);
  return Ask(
      http::Method::kPost,
      kube::CollectionPath(resource, Namespace(std::string(localcluster::NamespaceOf(object)))) +
          "?fieldManager=" + std::string(kFieldManager) + DryRun('&'),
      boost::json::serialize(document), "application/json");
}

Result<void> ClusterApi::Delete(const kube::Resource& resource, std::string_view ns,
                                std::string_view name) {
  auto answer = Ask(http::Method::kDelete,
                    kube::ObjectPath(resource, Namespace(std::string(ns)), name) + DryRun('?'));
  if (!answer) return std::move(answer).error();
  return {};
}

std::string ClusterApi::DryRun(char before) const {
  return writing_ == Writing::kDry ? before + std::string("dryRun=All") : "";
}

Result<boost::json::value> ClusterApi::Ask(http::Method method, const std::string& target,
                                           std::string body, std::string type) {
  http::Headers headers{{"Accept", "application/json"}};
  if (!type.empty()) headers.Add("Content-Type", std::move(type));
  const std::string what = std::string(ToString(method)) + " " + target.substr(0, target.find('?'));
  const auto outcome = client_->Send({.method = method,
                                      .target = target,
                                      .headers = std::move(headers),
                                      .body = std::move(body),
                                      .peer = {}},
                                     {.timeout = kTimeout, .stop = {}});
  if (const auto* error = http::ErrorOf(outcome)) return Error(*error).Within(what);
  const auto& response = std::get<http::Response>(outcome);
  if (response.status < 200 || response.status > 299) return RefusalOf(response).Within(what);
  return json::ParseJson(response.body).Within(what);
}

}  // namespace gs::machinesets
