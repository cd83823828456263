// FaultProxy: an HTTP server on a loopback port that passes everything on to an API server, except
// where the test wants something to go wrong. It keeps a record of what it got and of what the API
// server said, so that a test can tell what happened from what its client believes.
//
// From any thread; what waits, not on the I/O threads. A request keeps its Authorization header;
// the API server sees the client certificate of the upstream settings, which counts first there: to
// test tokens, leave the certificate out.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "adapters/http/message.h"
#include "adapters/kube/login/connection_settings.h"
#include "adapters/runtime/io_threads.h"
#include "base/result.h"
#include "base/time.h"
#include "tests/support/faults/fault.h"
#include "tests/support/faults/held_requests.h"

namespace gs::testing {

// One request as the proxy got it.
struct ProxiedRequest {
  http::Method method = http::Method::kGet;
  std::string target;
  // What the server answered, once for each time it got the request; 0: nothing.
  std::vector<int> statuses;

  friend bool operator==(const ProxiedRequest&, const ProxiedRequest&) = default;
};

[[nodiscard]] bool IsWatch(const http::Request& request);

class FaultProxy {
 public:
  // Listens when it returns, and passes everything on. The threads must outlive the proxy.
  [[nodiscard]] static Result<std::unique_ptr<FaultProxy>> Start(
      runtime::IoThreads& threads, const kube::ConnectionSettings& upstream);
  // Cuts everything off.
  ~FaultProxy();
  FaultProxy(const FaultProxy&) = delete;
  FaultProxy& operator=(const FaultProxy&) = delete;
  FaultProxy(FaultProxy&&) = delete;
  FaultProxy& operator=(FaultProxy&&) = delete;

  // How a client without credentials reaches it.
  [[nodiscard]] kube::ConnectionSettings settings() const;

  // For requests from now on. What the function refers to must live until the next Decide, or
  // until the proxy is gone and its threads have stopped.
  void Decide(DecideFault decide);
  // This fault for the next request of that method whose target contains `part`; Pass for all else.
  void Once(http::Method method, std::string part, Fault fault);

  void CutAllWatches();
  void CutWatches(const std::function<bool(const std::string& target)>& is_meant);
  // Sends what ForwardLater held back for the test, in order, and returns when all of it is
  // answered.
  void ForwardHeld();

  // What Hold holds at the moment, in order.
  [[nodiscard]] std::vector<HeldRequest> held() const;
  // False if no request of that number is held.
  [[nodiscard]] bool Release(std::size_t number, LetGo how);

  // All of them, or those from a number on.
  [[nodiscard]] std::vector<ProxiedRequest> requests(std::size_t since = 0) const;
  // Until the record satisfies the test; false: it does not in time.
  [[nodiscard]] bool WaitUntil(
      const std::function<bool(const std::vector<ProxiedRequest>&)>& is_satisfied,
      Duration timeout) const;

 private:
  class State;
  struct Parts;
  explicit FaultProxy(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace gs::testing
