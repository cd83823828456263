#include "adapters/runtime/signals.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <thread>
#include <utility>

#include "base/check.h"

namespace gs::runtime {
namespace {

sigset_t Stopping() {
  sigset_t set{};
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

}  // namespace

struct Signals::State {
  explicit State(std::function<void(int)> call) : on_signal(std::move(call)) {
    const sigset_t set = Stopping();
    GS_CHECK(pthread_sigmask(SIG_BLOCK, &set, &blocked_before) == 0);
    signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    ending = eventfd(0, EFD_CLOEXEC);
    GS_CHECK(signals >= 0 && ending >= 0);
    thread = std::thread([this] { Run(); });
  }
  ~State() {
    const std::uint64_t one = 1;
    GS_CHECK(write(ending, &one, sizeof one) == sizeof one);
    thread.join();
    close(signals);
    close(ending);
    pthread_sigmask(SIG_SETMASK, &blocked_before, nullptr);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  State(State&&) = delete;
  State& operator=(State&&) = delete;

  void Run() {
    std::array<pollfd, 2> waits = {pollfd{signals, POLLIN, 0}, pollfd{ending, POLLIN, 0}};
    while (true) {
      const int ready = poll(waits.data(), waits.size(), -1);
      GS_CHECK(ready > 0 || errno == EINTR);
      if (ready < 0) continue;
      if (waits[1].revents != 0) return;
      signalfd_siginfo arrived{};
      if (read(signals, &arrived, sizeof arrived) != sizeof arrived) continue;
      on_signal(static_cast<int>(arrived.ssi_signo));
    }
  }

  const std::function<void(int)> on_signal;
  sigset_t blocked_before{};
  int signals = -1;
  int ending = -1;
  std::thread thread;
};

Signals::Signals(std::function<void(int signal)> on_signal)
    : state_(std::make_unique<State>(std::move(on_signal))) {}

Signals::~Signals() = default;

}  // namespace gs::runtime
