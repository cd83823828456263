#include "programs/local/kubelet_requests.h"

#include <boost/json/object.hpp>

#include "adapters/localcluster/runner/log_reply.h"
#include "adapters/localcluster/store/object_text.h"

namespace gs::local {

std::optional<http::Reply> AskKubelets(const localcluster::ApiRequest& request,
                                       const localcluster::Store& store,
                                       const localcluster::ContainerOutputs& outputs,
                                       TimePoint now) {
  if (request.method != http::Method::kGet) return std::nullopt;
  const auto path = localcluster::ParseResourcePath(request.path);
  if (!path || !path->group.empty() || path->plural != "pods" || path->subresource != "log") {
    return std::nullopt;
  }
  const auto pod = store.Get({.resource = "pods", .ns = path->ns, .name = path->name});
  if (pod == nullptr) return std::nullopt;
  const auto& query = request.query;
  return localcluster::AnswerLog(localcluster::Json(localcluster::ParseStored(pod->text)),
                                 {.container = std::string(query.Text("container")),
                                  .is_followed = query.Flag("follow"),
                                  .is_previous = query.Flag("previous"),
                                  .has_timestamps = query.Flag("timestamps"),
                                  .tail_lines = query.Number("tailLines"),
                                  .since_seconds = query.Number("sinceSeconds"),
                                  .since_time = std::string(query.Text("sinceTime")),
                                  .limit_bytes = query.Number("limitBytes")},
                                 outputs, now);
}

}  // namespace gs::local
