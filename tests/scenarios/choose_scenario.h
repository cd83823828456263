// One case of a chooser scenario file: a machine, what is free, what is asked, what is expected.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/decide/devices/choice.h"
#include "core/model/device.h"

namespace gs::scenarios {

struct ChooseExpectation {
  std::optional<std::string> gpus;     // "0,1"
  std::optional<std::string> refused;  // a part of the reason
  std::map<std::string, std::int64_t>
      figures;  // islands, setScore, partitionScore, runs, minBandwidthGBps
};

struct ChooseCase {
  std::string file;
  std::string name;
  model::Machine machine;
  std::vector<GpuId> free;
  std::map<GpuId, std::int32_t> shared;
  devices::Request request;
  ChooseExpectation expected;
};

// All cases of a file. Machine paths are relative to `root`.
[[nodiscard]] Result<std::vector<ChooseCase>> LoadChooseScenario(const std::filesystem::path& file,
                                                                 const std::filesystem::path& root);

}  // namespace gs::scenarios
