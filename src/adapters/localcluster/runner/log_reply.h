// The answer to `kubectl logs`: what a container of a simulated node has printed, at once or as it
// comes, and refusals in the words of a kubelet.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "adapters/http/server.h"
#include "adapters/localcluster/kubelet/container_outputs.h"
#include "adapters/localcluster/objects/fields.h"
#include "base/time.h"

namespace gs::localcluster {

// The parameters of the request.
struct LogQuery {
  std::string container;  // empty: the only one there is
  bool is_followed = false;
  bool is_previous = false;
  bool has_timestamps = false;
  std::optional<std::int64_t> tail_lines;
  std::optional<std::int64_t> since_seconds;
  std::string since_time;
  std::optional<std::int64_t> limit_bytes;
};

// A reply that follows keeps what it reads alive, and ends with the container.
[[nodiscard]] http::Reply AnswerLog(const Json& pod, const LogQuery& query,
                                    const ContainerOutputs& outputs, TimePoint now);

}  // namespace gs::localcluster
