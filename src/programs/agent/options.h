// The agent's options: what its flags amount to, every value checked.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "adapters/config/command_line.h"
#include "adapters/config/values.h"
#include "adapters/gpu/node/open_devices.h"
#include "adapters/kube/login/find_settings.h"
#include "adapters/runtime/log.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "core/agent/report_writes.h"
#include "core/health/judge.h"

namespace gs::agent {

// What agents have in common, whichever node they are for.
struct ProgramOptions {
  kube::SettingsWish cluster;
  std::string instance;                  // this process, as no other; empty: made up
  std::optional<config::Listen> status;  // empty: nowhere
  Duration read_every = std::chrono::seconds(10);
  WriteTimes times;
  health::Rules health;
  std::size_t max_requests = 4;  // to the API server at a time
  runtime::LogLevel log_level = runtime::LogLevel::kInfo;
  runtime::LogFormat log_format = runtime::LogFormat::kText;
};

struct NodeOptions {
  ProgramOptions program;
  NodeName node;
  gpu::DeviceOptions devices;
  std::filesystem::path pod_resources;  // empty: the kubelet is not asked
};

using config::ShowText;

// `args` does not have the program's name.
[[nodiscard]] Result<std::variant<ShowText, NodeOptions>> ParseCommandLine(
    const std::vector<std::string>& args, std::string_view version);

}  // namespace gs::agent
