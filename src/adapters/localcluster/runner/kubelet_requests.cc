#include "adapters/localcluster/runner/kubelet_requests.h"

#include <string>

#include "adapters/localcluster/runner/exec_reply.h"
#include "adapters/localcluster/runner/log_reply.h"

namespace gs::localcluster {
namespace {

LogQuery ReadLogQuery(const Query& query) {
  return {.container = std::string(query.Text("container")),
          .is_followed = query.Flag("follow"),
          .is_previous = query.Flag("previous"),
          .has_timestamps = query.Flag("timestamps"),
          .tail_lines = query.Number("tailLines"),
          .since_seconds = query.Number("sinceSeconds"),
          .since_time = std::string(query.Text("sinceTime")),
          .limit_bytes = query.Number("limitBytes")};
}

ExecQuery ReadExecQuery(const Query& query) {
  return {.container = std::string(query.Text("container")), .command = query.Texts("command")};
}

}  // namespace

std::optional<http::Reply> AnswerAsKubelet(const ApiRequest& request, const ClusterObjects& objects,
                                           const ContainerOutputs& outputs) {
  const auto path = ParseResourcePath(request.path);
  const bool is_about_pod =
      path && path->group.empty() && path->plural == "pods" && request.method == http::Method::kGet;
  if (!is_about_pod) return std::nullopt;
  const bool is_log = path->subresource == "log";
  if (!is_log && path->subresource != "exec") return std::nullopt;
  const auto pod = objects.Get({.resource = "pods", .ns = path->ns, .name = path->name});
  if (!pod) return std::nullopt;
  if (!is_log) return AnswerExec(*pod, ReadExecQuery(request.query), request.headers, outputs);
  return AnswerLog(*pod, ReadLogQuery(request.query), outputs, objects.clock().WallTime());
}

}  // namespace gs::localcluster
