#include "adapters/kube/write/writer.h"

#include <utility>

namespace gs::kube {

WriteReply Write(ApiClient& client, Result<WriteRequest> request, http::SendOptions options) {
  if (!request) return ReplyOf(request.error());
  const WriteVerb verb = request->verb;
  return ReplyOf(client.Send(std::move(request->request), std::move(options)), verb);
}

void WriteThen(ApiClient& client, Result<WriteRequest> request, http::SendOptions options,
               std::function<void(WriteReply)> then) {
  if (!request) return then(ReplyOf(request.error()));
  client.SendThen(std::move(request->request), std::move(options),
                  [verb = request->verb, then = std::move(then)](http::Outcome outcome) {
                    then(ReplyOf(std::move(outcome), verb));
                  });
}

}  // namespace gs::kube
