// What can be set on the scheduler's command line: every value checked, with its default.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "adapters/kube/election/election_steps.h"
#include "adapters/kube/login/find_settings.h"
#include "adapters/runtime/log.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"

namespace gs::scheduler {

struct Listen {
  std::string address;
  std::uint16_t port = 0;
};

struct SchedulerOptions {
  kube::SettingsWish cluster;
  SchedulerName name{"gpu-scheduler"};
  Namespace lock_namespace;  // empty: the namespace of the connection
  std::string pod_uid;       // of the pod this runs in; empty: made up
  PodName pod_name;
  kube::ElectionOptions election;
  Listen status{.address = "0.0.0.0", .port = 8080};
  std::int32_t share_cap = 4;
  Duration release_timeout = std::chrono::minutes(2);
  std::size_t max_requests = 128;  // to the API server at a time
  runtime::LogLevel log_level = runtime::LogLevel::kInfo;
  runtime::LogFormat log_format = runtime::LogFormat::kText;
};

// --help and --version: nothing is left to do but to show this.
struct ShowText {
  std::string text;
};

// `args` does not have the program's name.
[[nodiscard]] Result<std::variant<ShowText, SchedulerOptions>> ParseCommandLine(
    const std::vector<std::string>& args, std::string_view version);

}  // namespace gs::scheduler
