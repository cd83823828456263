// What `kubectl-gpu choose` is asked, first as words and then as values that agree with each other.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "core/decide/devices/choice.h"

namespace gs::kubectl_gpu {

// One word per option, as typed; absent where the option was not given.
struct ChooseArguments {
  std::string machine;
  std::string count;
  std::optional<std::string> free;
  std::optional<std::string> shared;
  std::optional<std::string> policy;
  std::optional<std::string> prefer_ids;
  std::optional<std::string> topology;
  std::optional<std::string> min_bandwidth;
  std::optional<std::string> exclusivity;
  std::optional<std::string> share_cap;
  std::optional<std::string> must_include;
  std::optional<std::string> output;
};

enum class OutputFormat : std::uint8_t { kText, kJson };

struct ChooseOptions {
  std::string machine_file;
  std::optional<std::vector<GpuId>> free;  // absent: what the machine file does not show in use
  std::map<GpuId, std::int32_t> shared;    // the pods that share a GPU already
  devices::Request request;
  OutputFormat output = OutputFormat::kText;
};

// Refuses words that mean nothing and options that contradict each other; the error begins with the
// option.
[[nodiscard]] Result<ChooseOptions> ReadChooseOptions(const ChooseArguments& args);

}  // namespace gs::kubectl_gpu
