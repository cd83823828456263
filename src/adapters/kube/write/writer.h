// Sends one write and tells how it ended. Repeats nothing: whether a write may be sent again is the
// caller's to know. How many run at a time is the ApiClient's limit.
//
// A request that could not be built counts as refused, so that every write has an answer.
#pragma once

#include <functional>

#include "adapters/http/client.h"
#include "adapters/kube/api/api_client.h"
#include "adapters/kube/write/answers.h"
#include "adapters/kube/write/write_request.h"
#include "base/result.h"

namespace gs::kube {

// Waits for the answer, at most options.timeout. Requires: not on an I/O thread.
[[nodiscard]] WriteReply Write(ApiClient& client, Result<WriteRequest> request,
                               http::SendOptions options = {});

// Returns at once. `then` is called exactly once, on an I/O thread or on this one; keep it short.
// Requires: not on an I/O thread.
void WriteThen(ApiClient& client, Result<WriteRequest> request, http::SendOptions options,
               std::function<void(WriteReply)> then);

}  // namespace gs::kube
