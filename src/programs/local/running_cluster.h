// RunningCluster: what `status`, `down` and `dump` know of a cluster that another process runs: a
// small file per name in a folder of the user's. A process that lives holds a lock on its file, so
// that what a killed one left behind is never believed.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"

namespace gs::local {

struct RunningCluster {
  pid_t process = 0;
  std::string version;
  std::string server;  // https://127.0.0.1:6443
  std::string kubeconfig;
  std::string nodes;  // as --nodes was given
  std::string log;    // the file it writes to in the background; empty: standard error
  bool is_bare = false;
  std::string dashboard;  // http://127.0.0.1:8090/; empty: none
  TimePoint started;

  friend bool operator==(const RunningCluster&, const RunningCluster&) = default;
};

// The folder XDG_RUNTIME_DIR/gpu-local, or one below XDG_STATE_HOME or HOME; made if it is missing.
[[nodiscard]] Result<std::filesystem::path> StateFolder();

// The cluster of that name; absent if none runs.
[[nodiscard]] Result<std::optional<RunningCluster>> FindRunning(const std::filesystem::path& folder,
                                                                const std::string& name);

// Holds the name while it lives, and takes the file away when it goes.
class RunningMark {
 public:
  // Refused while another process holds the name.
  [[nodiscard]] static Result<RunningMark> Take(const std::filesystem::path& folder,
                                                const std::string& name);
  ~RunningMark();
  RunningMark(const RunningMark&) = delete;
  RunningMark& operator=(const RunningMark&) = delete;
  RunningMark(RunningMark&& other) noexcept;
  RunningMark& operator=(RunningMark&&) = delete;

  // For others to read.
  [[nodiscard]] Result<void> Tell(const RunningCluster& cluster) const;

 private:
  RunningMark(std::filesystem::path file, int descriptor)
      : file_(std::move(file)), descriptor_(descriptor) {}

  std::filesystem::path file_;
  int descriptor_ = -1;  // the lock; -1: moved away
};

}  // namespace gs::local
