// What the programs of bench/ that talk to an API server share: a client, many writes, and an end.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "adapters/kube/api/api_client.h"
#include "adapters/kube/write/writer.h"
#include "adapters/runtime/clock.h"
#include "adapters/runtime/io_threads.h"

namespace gs::bench {

[[noreturn]] void Stop(const std::string& why);

[[nodiscard]] double SecondsSince(std::chrono::steady_clock::time_point since);

// Requires: not negative; ends the program if it is no number.
[[nodiscard]] int Number(const std::string& text);

// Of the server of KUBECONFIG.
[[nodiscard]] std::unique_ptr<kube::ApiClient> OpenClient(runtime::IoThreads& threads,
                                                          const runtime::Clock& clock,
                                                          std::size_t max_running);

// As many requests at once as there may be connections: making one costs as much as many writes,
// and is no part of their rate.
void Connect(kube::ApiClient& client, int connections);

// Sends all of them, and returns when all are answered. How many were done. So many at most are
// under way that the client always has work, and never so much that a server has to wait for it.
int WriteAll(kube::ApiClient& client, int count,
             const std::function<Result<kube::WriteRequest>(int)>& request);

}  // namespace gs::bench
