// The node file: the nodes of a simulated cluster in YAML. docs/gpu-local.md describes it. Every
// refusal says where in the file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/localcluster/kubelet/node_description.h"
#include "base/result.h"

namespace gs::local {

using Nodes = std::vector<localcluster::NodeDescription>;

inline constexpr std::size_t kMaxNodes = 10'000;

// `file` is how refusals name it; machine files are found from its folder.
[[nodiscard]] Result<Nodes> ReadNodeFile(std::string_view text, const std::string& file);

// Addresses for the node and its pods that no other node of the cluster has. Requires: below
// kMaxNodes.
void GiveAddresses(std::size_t index, localcluster::NodeDescription& node);

// GPUs that nothing but PCIe connects.
[[nodiscard]] model::Machine PlainMachine(std::size_t gpus);

}  // namespace gs::local
