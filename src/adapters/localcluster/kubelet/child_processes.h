// ChildProcesses: the containers that are real programs. Each gets exactly the environment it is
// given, an empty input, and a process group of its own; what it prints and how it ends is told.
// Whatever still runs is killed when this goes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/localcluster/kubelet/container_log.h"
#include "adapters/localcluster/kubelet/environment.h"
#include "adapters/runtime/io_threads.h"
#include "base/result.h"

namespace gs::localcluster {

struct Program {
  std::vector<std::string> argv;  // the first is a path, or a name that is looked up in PATH
  Variables environment;
};

class ChildProcesses {
 public:
  // Both are called on one of the threads, never at the same time for one child, and may outlive
  // this object only as long as the threads run.
  struct Told {
    std::function<void(ContainerLog::Output, std::string_view bytes)> output;
    // 128 + the signal's number if one ended it. After all output.
    std::function<void(int exit_code)> exit;
  };

  // The threads must outlive this.
  explicit ChildProcesses(runtime::IoThreads& threads);
  ~ChildProcesses();
  ChildProcesses(const ChildProcesses&) = delete;
  ChildProcesses& operator=(const ChildProcesses&) = delete;
  ChildProcesses(ChildProcesses&&) = delete;
  ChildProcesses& operator=(ChildProcesses&&) = delete;

  using Id = std::uint64_t;
  [[nodiscard]] Result<Id> Start(const Program& program, Told told);
  // To its whole group. Nothing happens if it has ended.
  void Signal(Id child, int signal);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace gs::localcluster
