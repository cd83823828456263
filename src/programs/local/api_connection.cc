#include "programs/local/api_connection.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "adapters/json/parse.h"
#include "adapters/kube/login/find_settings.h"
#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/objects/metadata.h"

namespace gs::local {
namespace {

constexpr json::Limits kAnswerLimits{.max_bytes = std::size_t{1} << 30};

}  // namespace

Result<std::unique_ptr<ApiConnection>> ApiConnection::Open(
    const std::filesystem::path& kubeconfig) {
  const auto settings = kube::FindSettings({.kubeconfig = kubeconfig, .context = ""});
  if (!settings) return settings.error();
  std::unique_ptr<ApiConnection> api(new ApiConnection);
  auto connection = kube::Connection::Open(*settings, "gpu-local");
  if (!connection) return std::move(connection).error();
  api->connection_ = *std::move(connection);
  return api;
}

Result<boost::json::value> ApiConnection::Send(const http::Request& request) {
  const auto response = connection_->Send(request);
  if (!response) return response.error();
  return json::ParseJson(response->body, kAnswerLimits);
}

Result<boost::json::value> ApiConnection::Get(const std::string& target) {
  return Send({.method = http::Method::kGet, .target = target, .headers = {}, .body = {}});
}

Result<boost::json::value> ApiConnection::Post(const std::string& target,
                                               const boost::json::value& object) {
  return Send({.method = http::Method::kPost,
               .target = target,
               .headers = {{"Content-Type", "application/json"}},
               .body = boost::json::serialize(object)});
}

Result<boost::json::array> ApiConnection::List(const std::string& target) {
  const auto list = Get(target);
  if (!list) return list.error();
  return localcluster::Items(*list, {"items"});
}

Result<std::string> ApiConnection::FindPath(std::string_view api_version, std::string_view kind,
                                            std::string_view ns) {
  const bool is_core = api_version.find('/') == std::string_view::npos;
  const std::string base = (is_core ? "/api/" : "/apis/") + std::string(api_version);
  const auto offered = Get(base);
  if (!offered) return offered.error();
  for (const auto& each : localcluster::Items(*offered, {"resources"})) {
    const auto name = localcluster::Text(each, {"name"});
    if (localcluster::Text(each, {"kind"}) != kind || name.find('/') != name.npos) continue;
    const bool is_namespaced = localcluster::Bool(each, {"namespaced"});
    return base + (is_namespaced ? "/namespaces/" + std::string(ns) : "") + "/" + std::string(name);
  }
  return Error(ErrorKind::kNotFound,
               "no kind " + std::string(kind) + " in " + std::string(api_version));
}

Result<void> ApiConnection::Create(const boost::json::value& object) {
  const auto ns = localcluster::NamespaceOf(object);
  const auto path = FindPath(localcluster::Text(object, {"apiVersion"}),
                             localcluster::KindOf(object), ns.empty() ? "default" : ns);
  if (!path) return path.error();
  const auto made = Post(*path, object);
  if (!made) return made.error();
  return {};
}

}  // namespace gs::local
