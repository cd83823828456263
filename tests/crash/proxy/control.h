// Control: how a test in another process tells a FaultProxy what to break. HTTP and JSON on a
// loopback port of its own; what it cannot understand is answered with 400 and the reason.
//
//   POST   /rules            {"id", "method", "target", "body", "skip", "times", "fault": {"kind"}}
//   GET    /rules/ID         {"hits": how often it was applied}
//   DELETE /rules/ID, /rules
//   GET    /held?wait_ms=N&rule=ID    what a rule of kind "hold" keeps, once there is something
//   POST   /held/ID/release, /held/ID/drop, /held/ID/forward_and_drop
//   POST   /cut-watches      {"target": "regular expression"}
//   GET    /requests?since=N {"next": the N to ask with next time, "requests": [...]}
#pragma once

#include <cstdint>
#include <memory>

#include "adapters/http/server.h"
#include "adapters/runtime/io_threads.h"
#include "base/result.h"
#include "tests/crash/proxy/rule_book.h"
#include "tests/support/faults/fault_proxy.h"

namespace gs::crash {

class Control {
 public:
  // The proxy obeys the rules from now on. Both must outlive this.
  [[nodiscard]] static Result<std::unique_ptr<Control>> Start(runtime::IoThreads& threads,
                                                              testing::FaultProxy& proxy);
  ~Control();
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;
  Control(Control&&) = delete;
  Control& operator=(Control&&) = delete;

  [[nodiscard]] std::uint16_t port() const { return server_->port(); }

 private:
  class State;
  Control(std::shared_ptr<State> state, std::unique_ptr<http::Server> server);

  std::shared_ptr<State> state_;  // shared with the requests that are running
  std::unique_ptr<http::Server> server_;
};

}  // namespace gs::crash
