#include "adapters/gpu/wiring.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "adapters/json/object_reader.h"
#include "base/gpu_ids.h"

namespace gs::gpu {
namespace {

using model::Link;
using model::LinkKind;
using model::PcieClass;

// Above every machine that exists, and small enough that sums of link scores stay far from their
// limits.
constexpr IntegerRange kLinkCounts{.min = 0, .max = 100};
constexpr IntegerRange kBandwidths{.min = 0, .max = 1'000'000};

struct StatedLink {
  Link link;
  std::size_t from = 0;  // position of the device that states it
  std::size_t to = 0;
  std::string path;
};

// By positions, the lower one first.
using Pairs = std::map<std::pair<std::size_t, std::size_t>, StatedLink>;

PcieClass DefaultPcie(const model::GpuDevice& a, const model::GpuDevice& b) {
  return a.numa_node && a.numa_node == b.numa_node ? PcieClass::kNode : PcieClass::kSys;
}

std::string Printed(const Link& link) {
  std::ostringstream out;
  out << link;
  return out.str();
}

std::string IdsOf(const std::vector<StatedDevice>& devices) {
  std::vector<GpuId> ids;
  ids.reserve(devices.size());
  for (const auto& stated : devices) ids.push_back(stated.device.id);
  return PrintGpuIds(ids);
}

// The position of the GPU that field `peer` names; a complaint to the reader and nothing otherwise.
std::optional<std::size_t> ReadPeer(json::ObjectReader& reader,
                                    const std::vector<StatedDevice>& devices, std::size_t from) {
  const GpuId id(
      static_cast<std::int32_t>(reader.RequiredInt("peer", {.min = 0, .max = kMaxGpuId})));
  const auto found = std::find_if(devices.begin(), devices.end(), [id](const StatedDevice& other) {
    return other.device.id == id;
  });
  if (found == devices.end()) {
    reader.Fail("peer", "there is no GPU " + std::to_string(id.number()),
                "the machine has " + IdsOf(devices));
    return std::nullopt;
  }
  const auto to = static_cast<std::size_t>(found - devices.begin());
  if (to != from) return to;
  reader.Fail("peer", "a GPU has no link to itself");
  return std::nullopt;
}

Link ReadLink(json::ObjectReader& reader, PcieClass default_pcie) {
  Link link;
  link.kind =
      reader.Word("type", model::ParseLinkKind, "NVLink, NVSwitch, xGMI, PCIe", LinkKind::kNone);
  const bool is_pcie_only = link.kind == LinkKind::kNone;
  link.count = static_cast<std::int32_t>(reader.Int("count", kLinkCounts, is_pcie_only ? 0 : 1));
  link.pcie =
      reader.Word("pcie", model::ParsePcieClass, "SYS, NODE, PHB, PXB, PIX, BOARD", default_pcie);
  link.bandwidth_gbps = static_cast<std::int32_t>(reader.Int("bandwidthGBps", kBandwidths, 0));
  if (is_pcie_only && link.count > 0) {
    reader.Fail("count", "counts NVLink or xGMI links, and the type is PCIe",
                "add type: NVLink, NVSwitch or xGMI");
  }
  if (!is_pcie_only && link.count == 0) {
    reader.Fail("count", "a pair of that type has at least one link",
                "leave the link out if there is none");
  }
  return link;
}

Result<StatedLink> ReadStatedLink(const boost::json::value& value, std::string path,
                                  const std::vector<StatedDevice>& devices, std::size_t from) {
  json::ObjectReader reader(value, path);
  const auto to = ReadPeer(reader, devices, from);
  const PcieClass pcie = DefaultPcie(devices[from].device, devices[to.value_or(from)].device);
  const Link link = ReadLink(reader, pcie);
  if (auto done = reader.Finish(); !done) return std::move(done).error();
  return StatedLink{.link = link, .from = from, .to = *to, .path = std::move(path)};
}

Result<void> Add(Pairs& pairs, StatedLink stated) {
  const auto [found, is_new] = pairs.try_emplace(std::minmax({stated.from, stated.to}), stated);
  const StatedLink& other = found->second;
  if (is_new) return {};
  if (other.from == stated.from) {
    return Error(ErrorKind::kInvalid, "names the same peer as " + other.path).Within(stated.path);
  }
  if (other.link == stated.link) return {};
  return Error(ErrorKind::kInvalid, "says " + Printed(stated.link) + ", but " + other.path +
                                        " says " + Printed(other.link) + " for the same pair")
      .Advise("state a link on one side only, or alike on both")
      .Within(stated.path);
}

Result<Pairs> ReadPairs(const std::vector<StatedDevice>& devices) {
  Pairs pairs;
  for (std::size_t from = 0; from < devices.size(); ++from) {
    const auto& links = *devices[from].links;
    for (std::size_t i = 0; i < links.size(); ++i) {
      std::string path = devices[from].path + ".links[" + std::to_string(i) + "]";
      auto stated = ReadStatedLink(links[i], std::move(path), devices, from);
      if (!stated) return std::move(stated).error();
      if (auto added = Add(pairs, *std::move(stated)); !added) return std::move(added).error();
    }
  }
  return pairs;
}

}  // namespace

Result<model::LinkMatrix> ReadWiring(const std::vector<StatedDevice>& devices) {
  const auto pairs = ReadPairs(devices);
  if (!pairs) return pairs.error();
  model::LinkMatrix matrix(devices.size());
  for (std::size_t a = 0; a < devices.size(); ++a) {
    for (std::size_t b = a + 1; b < devices.size(); ++b) {
      const auto stated = pairs->find({a, b});
      const PcieClass pcie = DefaultPcie(devices[a].device, devices[b].device);
      matrix.Set(a, b, stated == pairs->end() ? Link{.pcie = pcie} : stated->second.link);
    }
  }
  return matrix;
}

}  // namespace gs::gpu
