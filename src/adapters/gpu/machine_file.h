// The machine file: the GPUs of one node and their wiring as people and agents write them down, in
// YAML or JSON.
//
// The form is that of GpuNodeStatus: a whole such object, an object with `devices`, or the bare
// list of devices. docs/machine-file.md describes it field by field. A machine that was read is
// consistent: ids are unique and ascending, links name GPUs that exist, and what two GPUs say about
// their link agrees.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

#include "base/result.h"
#include "core/model/device.h"

namespace gs::gpu {

using model::kMaxDevices;
inline constexpr std::size_t kMaxFileBytes = std::size_t{1} << 20;

// A function of the text alone.
[[nodiscard]] Result<model::Machine> ReadMachine(std::string_view text);

// Also reads pipes, so that `<(kubectl get gpunodestatus node-a -o yaml)` works in a shell.
[[nodiscard]] Result<model::Machine> LoadMachineFile(const std::filesystem::path& path);

}  // namespace gs::gpu
