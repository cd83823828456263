#include "tests/crash/proxy/proxied_kubeconfig.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <utility>
#include <variant>

#include "adapters/json/print.h"

namespace gs::crash {
namespace {

constexpr const char* kName = "fault-proxy";

boost::json::array Named(const char* kind, boost::json::object entry) {
  return {boost::json::object{{"name", kName}, {kind, std::move(entry)}}};
}

}  // namespace

Result<std::string> ProxiedKubeconfig(const kube::ConnectionSettings& original,
                                      const std::string& server) {
  boost::json::object user;
  if (const auto* fixed = std::get_if<kube::FixedToken>(&original.login)) {
    user["token"] = fixed->token;
  } else if (const auto* file = std::get_if<kube::TokenFile>(&original.login)) {
    user["tokenFile"] = file->path.string();
  } else if (std::holds_alternative<kube::ExecPlugin>(original.login)) {
    return Error(ErrorKind::kUnsupported, "the user of this kubeconfig logs in with a program");
  }
  // JSON is YAML.
  return json::PrettyJson(boost::json::object{
             {"apiVersion", "v1"},
             {"kind", "Config"},
             {"clusters", Named("cluster", {{"server", server}})},
             {"users", Named("user", std::move(user))},
             {"contexts",
              Named("context",
                    {{"cluster", kName}, {"user", kName}, {"namespace", original.ns.text()}})},
             {"current-context", kName}}) +
         "\n";
}

}  // namespace gs::crash
