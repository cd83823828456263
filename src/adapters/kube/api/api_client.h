// ApiClient: requests to one API server, each as whoever we are at that moment.
//
// Adds the token and the client certificate of the login, and forgets a login that the server
// answers with 401, so that the next request uses a fresh one. What a request has caused is never
// guessed: see http::Outcome. Nothing is repeated here.
//
// From any thread. Asking who we are may run a program, so requests come from threads that may
// wait, never from an I/O thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "adapters/http/client.h"
#include "adapters/kube/login/connection_settings.h"
#include "adapters/kube/login/login_source.h"
#include "adapters/runtime/clock.h"
#include "adapters/runtime/io_threads.h"
#include "base/result.h"

namespace gs::kube {

struct ApiOptions {
  std::size_t max_running = 128;  // requests at a time, the rest wait; streams do not count
  std::string user_agent = "gpu-scheduler";
  http::ClientHooks hooks = {};  // for tests
};

class ApiClient {
 public:
  // Refuses settings that cannot work; does not connect yet. Threads and clock must outlive it.
  [[nodiscard]] static Result<std::unique_ptr<ApiClient>> Create(runtime::IoThreads& threads,
                                                                 const ConnectionSettings& settings,
                                                                 std::unique_ptr<LoginSource> login,
                                                                 const runtime::Clock& clock,
                                                                 ApiOptions options = {});
  // Cancels what is running.
  ~ApiClient();
  ApiClient(const ApiClient&) = delete;
  ApiClient& operator=(const ApiClient&) = delete;
  ApiClient(ApiClient&&) = delete;
  ApiClient& operator=(ApiClient&&) = delete;

  // request.target is a path of the API with its query, e.g. from resource.h.
  [[nodiscard]] http::Outcome Send(http::Request request, http::SendOptions options = {});
  // The body of a 2xx answer goes to `on_chunk`, on the calling thread; while it works, nothing
  // more is read from the connection.
  [[nodiscard]] http::Outcome Stream(http::Request request, http::StreamOptions options,
                                     const http::OnChunk& on_chunk);
  // Returns at once. `then` is called exactly once, on an I/O thread or on this one; keep it short.
  void SendThen(http::Request request, http::SendOptions options,
                std::function<void(http::Outcome)> then);

 private:
  class State;
  explicit ApiClient(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;  // shared with the requests that are running
};

}  // namespace gs::kube
