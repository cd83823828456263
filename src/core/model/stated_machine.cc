#include "core/model/stated_machine.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>

#include "base/quoted.h"

namespace gs::model {
namespace {

PcieClass DefaultPcie(const GpuDevice& a, const GpuDevice& b) {
  return a.numa_node && a.numa_node == b.numa_node ? PcieClass::kNode : PcieClass::kSys;
}

std::string Printed(const Link& link) {
  std::ostringstream out;
  out << link;
  return out.str();
}

Error Refusal(std::string message, std::string advice = "") {
  return Error(ErrorKind::kInvalid, std::move(message)).Advise(std::move(advice));
}

// Ids say which GPU is meant and UUIDs which one it is, so neither may be given twice.
Result<void> CheckUnique(const std::vector<StatedDevice>& stated, const std::string& path) {
  const auto path_of = [&](std::size_t i) { return path + "[" + std::to_string(i) + "]"; };
  for (std::size_t i = 0; i < stated.size(); ++i) {
    const GpuDevice& device = stated[i].device;
    for (std::size_t before = 0; before < i; ++before) {
      const GpuDevice& other = stated[before].device;
      if (other.id == device.id) {
        return Refusal("GPU " + std::to_string(device.id.number()) + " is given already by " +
                       path_of(before))
            .Within(path_of(i) + ".id");
      }
      if (!device.uuid.empty() && other.uuid == device.uuid) {
        return Refusal(text::Quoted(device.uuid.text()) + " is given already by " + path_of(before))
            .Within(path_of(i) + ".uuid");
      }
    }
  }
  return {};
}

// The links of devices whose ids are unique. Positions are those of the machine, in the order of
// the ids; numbers those of the text.
class WiringReader {
 public:
  WiringReader(const std::vector<StatedDevice>& stated, const std::string& path)
      : stated_(stated),
        path_(path),
        numbers_(stated.size()),
        pairs_(stated.size() * stated.size()) {
    for (std::size_t i = 0; i < numbers_.size(); ++i) numbers_[i] = i;
    std::sort(numbers_.begin(), numbers_.end(), [&](std::size_t a, std::size_t b) {
      return stated_[a].device.id < stated_[b].device.id;
    });
  }

  Result<LinkMatrix> Read() {
    for (std::size_t from = 0; from < numbers_.size(); ++from) {
      const auto& links = At(from).links;
      for (std::size_t i = 0; i < links.size(); ++i) {
        if (auto taken = Take(links[i], {.from = from, .number = i}); !taken) {
          return std::move(taken).error();
        }
      }
    }
    return Matrix();
  }

  // Of the text, by position.
  [[nodiscard]] const std::vector<std::size_t>& numbers() const { return numbers_; }

 private:
  // Which of whose links it is.
  struct Place {
    std::size_t from = 0;
    std::size_t number = 0;
  };
  // What is known of two GPUs, by whoever stated it first.
  struct Pair {
    bool is_stated = false;
    Link link{};
    Place place{};
  };

  [[nodiscard]] const StatedDevice& At(std::size_t position) const {
    return stated_[numbers_[position]];
  }
  [[nodiscard]] std::string PathOf(const Place& place) const {
    return path_ + "[" + std::to_string(numbers_[place.from]) + "].links[" +
           std::to_string(place.number) + "]";
  }
  [[nodiscard]] Pair& PairOf(std::size_t a, std::size_t b) {
    return pairs_[std::min(a, b) * numbers_.size() + std::max(a, b)];
  }

  [[nodiscard]] std::string Ids() const {
    std::vector<GpuId> ids;
    ids.reserve(numbers_.size());
    for (const std::size_t number : numbers_) ids.push_back(stated_[number].device.id);
    return PrintGpuIds(ids);
  }

  // The position of the GPU that the link leads to.
  [[nodiscard]] Result<std::size_t> PeerOf(const StatedLink& link, const Place& place) const {
    const auto found = std::lower_bound(
        numbers_.begin(), numbers_.end(), link.peer,
        [&](std::size_t number, GpuId id) { return stated_[number].device.id < id; });
    if (found == numbers_.end() || stated_[*found].device.id != link.peer) {
      return Refusal("there is no GPU " + std::to_string(link.peer.number()),
                     "the machine has " + Ids())
          .Within(PathOf(place) + ".peer");
    }
    const auto to = static_cast<std::size_t>(found - numbers_.begin());
    if (to != place.from) return to;
    return Refusal("a GPU has no link to itself").Within(PathOf(place) + ".peer");
  }

  [[nodiscard]] Result<Link> LinkOf(const StatedLink& stated, PcieClass default_pcie,
                                    const Place& place) const {
    const bool is_pcie_only = stated.kind == LinkKind::kNone;
    const std::int32_t count = stated.count.value_or(is_pcie_only ? 0 : 1);
    if (is_pcie_only && count > 0) {
      return Refusal("counts NVLink or xGMI links, and the type is PCIe",
                     "add type: NVLink, NVSwitch or xGMI")
          .Within(PathOf(place) + ".count");
    }
    if (!is_pcie_only && count == 0) {
      return Refusal("a pair of that type has at least one link",
                     "leave the link out if there is none")
          .Within(PathOf(place) + ".count");
    }
    return Link{.kind = stated.kind,
                .count = count,
                .pcie = stated.pcie.value_or(default_pcie),
                .bandwidth_gbps = stated.bandwidth_gbps};
  }

  Result<void> Take(const StatedLink& stated, const Place& place) {
    const auto to = PeerOf(stated, place);
    if (!to) return to.error();
    const auto link = LinkOf(stated, DefaultPcie(At(place.from).device, At(*to).device), place);
    if (!link) return link.error();
    Pair& pair = PairOf(place.from, *to);
    if (!pair.is_stated) {
      pair = {.is_stated = true, .link = *link, .place = place};
      return {};
    }
    if (pair.place.from == place.from) {
      return Refusal("names the same peer as " + PathOf(pair.place)).Within(PathOf(place));
    }
    if (pair.link == *link) return {};
    return Refusal("says " + Printed(*link) + ", but " + PathOf(pair.place) + " says " +
                       Printed(pair.link) + " for the same pair",
                   "state a link on one side only, or alike on both")
        .Within(PathOf(place));
  }

  [[nodiscard]] LinkMatrix Matrix() {
    LinkMatrix matrix(numbers_.size());
    for (std::size_t a = 0; a < numbers_.size(); ++a) {
      for (std::size_t b = a + 1; b < numbers_.size(); ++b) {
        const Pair& pair = PairOf(a, b);
        const Link none{.pcie = DefaultPcie(At(a).device, At(b).device)};
        matrix.Set(a, b, pair.is_stated ? pair.link : none);
      }
    }
    return matrix;
  }

  const std::vector<StatedDevice>& stated_;
  const std::string& path_;
  std::vector<std::size_t> numbers_;
  std::vector<Pair> pairs_;  // by the lower and the higher position
};

}  // namespace

Result<Machine> MakeMachine(std::vector<StatedDevice> stated, const std::string& path) {
  if (stated.size() > kMaxDevices) {
    return Refusal(std::to_string(stated.size()) + " devices; a machine has at most " +
                   std::to_string(kMaxDevices))
        .Within(path);
  }
  if (auto unique = CheckUnique(stated, path); !unique) return std::move(unique).error();
  WiringReader wiring(stated, path);
  auto links = wiring.Read();
  if (!links) return std::move(links).error();
  Machine machine{.devices = {}, .links = *std::move(links)};
  machine.devices.reserve(stated.size());
  for (const std::size_t number : wiring.numbers()) {
    machine.devices.push_back(std::move(stated[number].device));
  }
  return machine;
}

}  // namespace gs::model
