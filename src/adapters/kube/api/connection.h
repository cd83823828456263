// Connection: one API server for a command that asks a few things and ends. It brings the threads
// and the clock that an ApiClient needs, and what the server refuses is an error with its words.
#pragma once

#include <memory>
#include <string>

#include "adapters/http/message.h"
#include "adapters/kube/api/api_client.h"
#include "adapters/kube/login/connection_settings.h"
#include "adapters/runtime/clock.h"
#include "adapters/runtime/io_threads.h"
#include "base/result.h"

namespace gs::kube {

class Connection {
 public:
  // Refuses settings that cannot work; does not connect yet.
  [[nodiscard]] static Result<std::unique_ptr<Connection>> Open(const ConnectionSettings& settings,
                                                                const std::string& user_agent);

  // kNotFound, kConflict or kInvalid for what the server refuses, kUnavailable for what it cannot.
  [[nodiscard]] Result<http::Response> Send(const http::Request& request);
  [[nodiscard]] ApiClient& client() { return *client_; }
  [[nodiscard]] const runtime::Clock& clock() const { return clock_; }

 private:
  Connection() = default;

  runtime::SystemClock clock_;
  runtime::IoThreads threads_{1};
  std::unique_ptr<ApiClient> client_;
};

// "GET /api/v1/pods: 403 pods is forbidden: …", of the kind that the status means.
[[nodiscard]] Error RefusalOf(const http::Request& request, const http::Response& response);

}  // namespace gs::kube
