// The scheduler's options: what flags and the configuration file amount to, every value checked.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "adapters/config/command_line.h"
#include "adapters/config/values.h"
#include "adapters/http/url.h"
#include "adapters/kube/fence/fence_steps.h"
#include "adapters/kube/login/find_settings.h"
#include "adapters/runtime/log.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "programs/scheduler/settings.h"

namespace gs::scheduler {

using config::Listen;

// What becomes of GPU pods that the webhook has not seen.
enum class UnseenPods : std::uint8_t {
  kPlace,  // there is no webhook
  kWait,
  kRecreate,  // they wait, and are made anew by their controllers once it is back
};

// Defaults are in settings.cc.
struct SchedulerOptions {
  kube::SettingsWish cluster;
  SchedulerName name;
  Namespace ns;         // of the release; empty: the namespace of the connection
  Namespace fence;      // where the fence is
  std::string role;     // ClusterRole that owns the fence; empty: none
  std::string pod_uid;  // of the pod this runs in; empty: made up
  PodName pod_name;
  kube::FenceOptions election;
  Listen status;
  std::optional<Listen> api;  // empty: off
  // Told where the API listens, for whoever asked for any free port. On the calling thread.
  std::function<void(std::uint16_t port)> api_listens;
  std::int32_t share_cap = 1;
  Duration release_timeout{0};
  Duration reserve_after{0};
  UnseenPods unseen_pods = UnseenPods::kPlace;
  std::optional<http::Url> webhook;  // where it is asked whether it is there
  std::size_t max_requests = 1;      // to the API server at a time
  std::string record_file;           // empty: nothing is recorded
  std::int64_t record_max_bytes = 0;
  std::int32_t record_keep = 0;
  runtime::LogLevel log_level = runtime::LogLevel::kInfo;
  runtime::LogFormat log_format = runtime::LogFormat::kText;
};

struct ReplayArguments {
  std::string file;
  std::optional<TimePoint> until;
  std::string explain;
};

// Refuses the first value that is not allowed.
[[nodiscard]] Result<SchedulerOptions> CheckSettings(const WrittenSettings& written);

using config::ShowText;
using CommandToRun = std::variant<ShowText, SchedulerOptions, ReplayArguments>;

// `args` does not have the program's name. Reads the file that --config names.
[[nodiscard]] Result<CommandToRun> ParseCommandLine(const std::vector<std::string>& args,
                                                    std::string_view version);

}  // namespace gs::scheduler
