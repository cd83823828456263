#include "adapters/gpu/pci_sysfs.h"

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "adapters/gpu/seen_machine.h"
#include "adapters/runtime/read_file.h"
#include "base/parse.h"
#include "base/text.h"

namespace gs::gpu {
namespace {

constexpr std::size_t kMaxSysfsBytes = 64 << 10;

constexpr std::array kSpeeds{
    std::pair{1U, std::string_view("2.5")},
    std::pair{2U, std::string_view("5.0")},
    std::pair{3U, std::string_view("8.0")},
    std::pair{4U, std::string_view("16.0")},
    std::pair{5U, std::string_view("32.0")},
    std::pair{6U, std::string_view("64.0")},
    std::pair{7U, std::string_view("128.0")},
    // Kernels before 5.4 left the fraction out.
    std::pair{2U, std::string_view("5")},
    std::pair{3U, std::string_view("8")},
    std::pair{4U, std::string_view("16")},
    std::pair{5U, std::string_view("32")},
};

}  // namespace

Result<std::optional<std::string>> ReadSysfs(const std::filesystem::path& file) {
  auto text = runtime::ReadFile(file, kMaxSysfsBytes);
  if (text) return std::optional(std::string(text::Trim(*text)));
  if (text.error().kind() == ErrorKind::kNotFound) return std::optional<std::string>();
  return std::move(text).error();
}

Result<std::optional<std::int32_t>> PciSysfs::NumaNode(const PciAddress& address) const {
  const auto file = FolderOf(address) / "numa_node";
  const auto text = ReadSysfs(file);
  if (!text) return text.error();
  if (!*text) return std::optional<std::int32_t>();
  auto node = ParseInt32(**text, {.min = -1, .max = 65535});
  if (!node) return std::move(node).error().Within(file.string());
  return *node < 0 ? std::nullopt : std::optional(*node);
}

Result<std::int32_t> PciSysfs::SlotGbps(const PciAddress& address) const {
  const auto speed_file = FolderOf(address) / "max_link_speed";
  const auto lanes_file = FolderOf(address) / "max_link_width";
  const auto speed = ReadSysfs(speed_file);
  if (!speed) return speed.error();
  const auto lanes = ReadSysfs(lanes_file);
  if (!lanes) return lanes.error();
  if (!*speed || !*lanes) return 0;
  // Devices inside a processor have no slot.
  if (speed->value().starts_with("Unknown")) return 0;
  auto generation = ParseLinkSpeed(**speed);
  if (!generation) return std::move(generation).error().Within(speed_file.string());
  auto width = ParseInt32(**lanes, {.min = 0, .max = 255});
  if (!width) return std::move(width).error().Within(lanes_file.string());
  return PcieGbps(*generation, static_cast<std::uint32_t>(*width));
}

std::vector<std::string> PciSysfs::PathTo(const PciAddress& address) const {
  std::error_code failed;
  const auto folder = std::filesystem::canonical(FolderOf(address), failed);
  if (failed) return {};
  std::vector<std::string> path;
  for (const auto& part : folder) {
    // Everything above the host bridge, "pci0000:40", is the same for all devices.
    if (!path.empty() || part.string().starts_with("pci")) path.push_back(part.string());
  }
  return path;
}

Result<std::uint32_t> ParseLinkSpeed(std::string_view text) {
  const std::string_view number = text.substr(0, text.find(' '));
  if (const auto generation = text::ValueOf(kSpeeds, number)) return *generation;
  return Error(ErrorKind::kInvalid, "expected a speed such as \"16.0 GT/s PCIe\", got \"" +
                                        std::string(text.substr(0, 40)) + "\"");
}

model::PcieClass ClassOf(const std::vector<std::string>& a, const std::vector<std::string>& b,
                         bool has_same_numa_node) {
  const auto split = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  const auto shared = split.first - a.begin();
  if (shared == 0) {
    return has_same_numa_node ? model::PcieClass::kNode : model::PcieClass::kSys;
  }
  if (shared == 1) return model::PcieClass::kPhb;
  // Below the port that both share: a port of its own and the device.
  constexpr auto kOneSwitch = 2;
  const auto below = std::max(a.end() - split.first, b.end() - split.second);
  return below <= kOneSwitch ? model::PcieClass::kPix : model::PcieClass::kPxb;
}

}  // namespace gs::gpu
