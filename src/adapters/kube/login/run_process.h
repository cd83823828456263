// Runs a program to its end and keeps what it printed: the one place of this folder that starts
// processes.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace gs::kube {

// More than this is not kept of either output; the program is stopped once it prints more.
inline constexpr std::size_t kMaxOutputBytes = std::size_t{1} << 20;

struct ProcessCall {
  std::string command;  // a path, or a name that is looked up in PATH
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;  // added to our own; the last one counts
  Duration timeout = std::chrono::minutes(1);
};

struct ProcessEnd {
  int exit_code = 0;  // 128 + the signal's number if one ended it
  std::string stdout_text;
  std::string stderr_text;
};

using ProcessRunner = std::function<Result<ProcessEnd>(const ProcessCall&)>;

// Its input is empty. Blocks for up to the timeout, after which the program is killed. An error:
// it could not be started, took too long or printed too much.
[[nodiscard]] Result<ProcessEnd> RunProcess(const ProcessCall& call);

}  // namespace gs::kube
