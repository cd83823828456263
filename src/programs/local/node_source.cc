#include "programs/local/node_source.h"

#include <filesystem>
#include <utility>

#include "adapters/gpu/machine_file.h"
#include "adapters/runtime/read_file.h"
#include "base/parse.h"
#include "base/text.h"
#include "programs/local/embedded_files.h"

namespace gs::local {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{4} << 20;
constexpr std::string_view kBig = "big:";

std::string Presets() {
  std::string names;
  for (const std::string_view name : EmbeddedNames("examples/nodes")) {
    names += std::string(name) + ", ";
  }
  return names + "big:N, none";
}

// Many alike, for tests of size.
Result<Nodes> BigCluster(std::string_view number) {
  const auto count = ParseInt64(number, {1, kMaxNodes});
  if (!count) return Error(count.error()).Within("big:N");
  const auto machine = gpu::ReadMachine(*FindEmbedded("examples/machines/hgx-a100.yaml"));
  if (!machine) return machine.error();
  Nodes nodes;
  for (std::size_t i = 0; i < static_cast<std::size_t>(*count); ++i) {
    localcluster::NodeDescription node{.name = "gpu-" + std::to_string(i + 1),
                                       .labels = {{"gpu-type", "a100"}, {"topology", "nvlink"}},
                                       .taints = {},
                                       .cpu = "128",
                                       .memory = "1Ti",
                                       .machine = *machine};
    GiveAddresses(i, node);
    nodes.push_back(std::move(node));
  }
  return nodes;
}

}  // namespace

Result<Nodes> FindNodes(const std::string& source) {
  if (source == "none") return Nodes();
  if (source.starts_with(kBig)) return BigCluster(source.substr(kBig.size()));
  const std::string preset = "examples/nodes/" + source + ".yaml";
  if (const auto text = FindEmbedded(preset)) return ReadNodeFile(*text, preset);
  const auto text = runtime::ReadFile(source, kMaxFileBytes);
  if (text) return ReadNodeFile(*text, source);
  return Error(text.error()).Advise("presets are " + Presets());
}

}  // namespace gs::local
