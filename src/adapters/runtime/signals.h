// Signals: SIGTERM and SIGINT as calls of an ordinary function on an ordinary thread, where locks
// and memory may be used. The signals are blocked and read from a descriptor, so no handler exists.
#pragma once

#include <functional>
#include <memory>

namespace gs::runtime {

class Signals {
 public:
  // Build it in main before any other thread: threads inherit what is blocked, and a thread that
  // does not block the signals would still be killed by them. `on_signal` gets the number, once per
  // signal that arrives, on a thread of its own. Requires: at most one of these at a time.
  explicit Signals(std::function<void(int signal)> on_signal);
  // Waits for a call that is running; afterwards the signals do again what they did before.
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  Signals(Signals&&) = delete;
  Signals& operator=(Signals&&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gs::runtime
