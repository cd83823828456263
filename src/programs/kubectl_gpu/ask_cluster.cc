#include "programs/kubectl_gpu/ask_cluster.h"

#include <boost/json/object.hpp>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "adapters/kube/api/connection.h"
#include "adapters/kube/api/server_version.h"
#include "programs/kubectl_gpu/claims_report.h"
#include "programs/kubectl_gpu/explain_report.h"
#include "programs/kubectl_gpu/get_command.h"
#include "programs/kubectl_gpu/leases_report.h"
#include "programs/kubectl_gpu/live_view.h"
#include "programs/kubectl_gpu/map_report.h"
#include "programs/kubectl_gpu/picture.h"
#include "programs/kubectl_gpu/place_report.h"
#include "programs/kubectl_gpu/pods_report.h"
#include "programs/kubectl_gpu/status_report.h"
#include "programs/kubectl_gpu/topology_report.h"
#include "programs/kubectl_gpu/who_report.h"

namespace gs::kubectl_gpu {
namespace {

// One function per question.
struct Reporter {
  const LiveView& view;
  const ClusterOptions& options;
  const Picture& picture;

  Result<Answer> operator()(const StatusQuestion& /*question*/) const {
    return ReportStatus(picture);
  }
  Result<Answer> operator()(const WhoQuestion& question) const {
    return ReportWho(question, picture);
  }
  Result<Answer> operator()(const ExplainQuestion& question) const {
    return ReportExplain(question, picture);
  }
  Result<Answer> operator()(const PodsQuestion& /*question*/) const {
    return ReportAllPods(picture);
  }
  Result<Answer> operator()(const ClaimsQuestion& /*question*/) const {
    return ReportAllClaims(picture);
  }
  Result<Answer> operator()(const TopologyQuestion& question) const {
    return ReportTopology(question, picture);
  }
  Result<Answer> operator()(const LeasesQuestion& question) const {
    return ReportLeases(question, picture);
  }
  Result<Answer> operator()(const MapQuestion& question) const {
    return ReportMap(question, picture);
  }
  Result<Answer> operator()(const PlaceQuestion& question) const {
    return ReportPlace(question, view, options, picture);
  }
  // The others need no look at the whole cluster.
  template <class Other>
  Result<Answer> operator()(const Other& /*question*/) const {
    return Error(ErrorKind::kInternal, "a question that nobody answers");
  }
};

Result<std::string> ServerVersionOf(kube::Connection& connection) {
  const auto response = connection.Send({.target = "/version", .headers = {}, .body = {}});
  if (!response) return response.error();
  const auto version = kube::ParseServerVersion(response->body);
  if (!version) return version.error();
  return version->text;
}

// Our own version is told whether or not there is a cluster.
Answer ReportVersion(const Result<std::string>& server, std::string_view version, AnswerForm form) {
  Answer answer;
  if (!server) {
    answer.code = kExitFailed;
    answer.warnings.push_back(ToString(server.error()));
  }
  if (IsForPeople(form)) {
    answer.text = "kubectl-gpu   " + std::string(version) + "\n" +
                  (server ? "server        " + *server + "\n" : "");
    return answer;
  }
  boost::json::object object{{"kubectlGpu", version}};
  if (server) object["server"] = *server;
  answer.text = PrintObject(object, form);
  return answer;
}

Result<Answer> LookAndReport(kube::Connection& connection, const ClusterQuestion& question,
                             const Namespace& ns, const Paint& paint) {
  auto view = ReadLiveView(connection, question.cluster);
  if (!view) return std::move(view).error();
  const Picture picture{.cycle = *view->cycle,
                        .now = view->now,
                        .ns = ns,
                        .has_all_namespaces = question.cluster.has_all_namespaces,
                        .form = question.form,
                        .paint = paint};
  auto answer = std::visit(Reporter{*view, question.cluster, picture}, question.what);
  if (answer) answer->warnings = view->warnings;
  return answer;
}

}  // namespace

Result<Answer> AskCluster(const ClusterQuestion& question, std::string_view version,
                          const Paint& paint) {
  const bool is_version = std::holds_alternative<VersionQuestion>(question.what);
  const auto settings = kube::FindSettings(question.cluster.wish);
  if (!settings && is_version) return ReportVersion(settings.error(), version, question.form);
  if (!settings) return settings.error();
  auto connection = kube::Connection::Open(*settings, "kubectl-gpu/" + std::string(version));
  if (!connection) return std::move(connection).error();
  if (is_version) return ReportVersion(ServerVersionOf(**connection), version, question.form);
  const Namespace ns = question.cluster.ns.empty() ? settings->ns : question.cluster.ns;
  if (const auto* get = std::get_if<GetQuestion>(&question.what)) {
    return GetObjects(**connection, *get, question.cluster.has_all_namespaces ? Namespace() : ns,
                      question.form);
  }
  if (const auto* apply = std::get_if<ApplyQuestion>(&question.what)) {
    return ApplyObjects(**connection, *apply, ns);
  }
  return LookAndReport(**connection, question, ns, paint);
}

}  // namespace gs::kubectl_gpu
