#include "adapters/kube/write/writer.h"

#include <utility>

namespace gs::kube {

WriteReply Write(ApiClient& client, Result<WriteRequest> request, http::SendOptions options) {
  if (!request) return ReplyOf(request.error());
  http::Outcome outcome = client.Send(std::move(request->request), std::move(options));
  return ReplyOf(std::move(outcome), request->verb, request->object);
}

void WriteThen(ApiClient& client, Result<WriteRequest> request, http::SendOptions options,
               std::function<void(WriteReply)> then) {
  if (!request) return then(ReplyOf(request.error()));
  client.SendThen(
      std::move(request->request), std::move(options),
      [verb = request->verb, object = std::move(request->object), then = std::move(then)](
          http::Outcome outcome) { then(ReplyOf(std::move(outcome), verb, object)); });
}

}  // namespace gs::kube
