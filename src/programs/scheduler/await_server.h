// AwaitServer: the first words with the API server. One that does not answer yet is waited for, as
// after a power cut; one that answers and cannot be used is an error, since waiting would not help.
#pragma once

#include <functional>
#include <stop_token>

#include "adapters/kube/api/api_client.h"
#include "adapters/kube/watch/backoff.h"
#include "adapters/runtime/log.h"
#include "base/result.h"
#include "base/time.h"

namespace gs::scheduler {

struct AwaitPatience {
  kube::BackoffRange backoff{.first = std::chrono::seconds(1), .max = std::chrono::seconds(15)};
  Duration answer_timeout = std::chrono::seconds(10);
  std::stop_token stop;  // gives up an answer
  // Until the time has passed. False: told to end.
  std::function<bool(Duration)> wait;
};

// Whether it is there; false: told to end before.
[[nodiscard]] Result<bool> AwaitServer(kube::ApiClient& client, const runtime::Logger& log,
                                       const AwaitPatience& patience);

}  // namespace gs::scheduler
