// How the GPUs of one node are wired to each other, pair by pair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace gs::model {

// What carries traffic between two GPUs besides PCIe.
enum class LinkKind : std::uint8_t {
  kNone,      // PCIe only
  kNvLink,    // point to point
  kNvSwitch,  // NVLink through switches: every GPU on the switches reaches every other
  kXgmi,      // AMD Infinity Fabric
};

// The closest common ancestor of two GPUs in the PCIe tree, nearest last. Names as in `nvidia-smi
// topo -m`.
enum class PcieClass : std::uint8_t {
  kSys,    // across CPU sockets
  kNode,   // same NUMA node, different host bridges
  kPhb,    // same host bridge
  kPxb,    // several PCIe switches
  kPix,    // one PCIe switch
  kBoard,  // one board
};

// One pair of GPUs. The default is the least that any two GPUs of a machine have.
struct Link {
  LinkKind kind = LinkKind::kNone;
  std::int32_t count = 0;  // number of NVLink or xGMI links
  PcieClass pcie = PcieClass::kSys;
  std::int32_t bandwidth_gbps = 0;  // GB/s, both directions together; 0: not reported

  friend bool operator==(const Link&, const Link&) = default;
};

// Symmetric square of Links by position (not by GPU id). The diagonal is never read. Copies share
// the links until one is changed: the machines of a cluster are wired in a few ways.
class LinkMatrix {
 public:
  LinkMatrix() = default;
  explicit LinkMatrix(std::size_t size)
      : size_(size), links_(std::make_shared<std::vector<Link>>(size * size)) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  // Requires: both positions below size().
  [[nodiscard]] const Link& At(std::size_t a, std::size_t b) const {
    return (*links_)[a * size_ + b];
  }
  void Set(std::size_t a, std::size_t b, const Link& link);

  friend bool operator==(const LinkMatrix& a, const LinkMatrix& b) {
    return a.size_ == b.size_ && (a.size_ == 0 || a.links_ == b.links_ || *a.links_ == *b.links_);
  }

 private:
  std::size_t size_ = 0;
  std::shared_ptr<std::vector<Link>> links_;  // null: none
};

[[nodiscard]] std::string_view ToString(LinkKind kind);
[[nodiscard]] std::string_view ToString(PcieClass pcie);
// Case-insensitive; "PCIe" and "" are kNone.
[[nodiscard]] std::optional<LinkKind> ParseLinkKind(std::string_view text);
[[nodiscard]] std::optional<PcieClass> ParsePcieClass(std::string_view text);

std::ostream& operator<<(std::ostream& out, const Link& link);

}  // namespace gs::model
