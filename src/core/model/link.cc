#include "core/model/link.h"

#include <algorithm>
#include <array>
#include <ostream>
#include <utility>

#include "base/check.h"
#include "base/text.h"

namespace gs::model {
namespace {

constexpr std::array kLinkKinds{
    std::pair{LinkKind::kNone, std::string_view("PCIe")},
    std::pair{LinkKind::kNvLink, std::string_view("NVLink")},
    std::pair{LinkKind::kNvSwitch, std::string_view("NVSwitch")},
    std::pair{LinkKind::kXgmi, std::string_view("xGMI")},
};

constexpr std::array kPcieClasses{
    std::pair{PcieClass::kSys, std::string_view("SYS")},
    std::pair{PcieClass::kNode, std::string_view("NODE")},
    std::pair{PcieClass::kPhb, std::string_view("PHB")},
    std::pair{PcieClass::kPxb, std::string_view("PXB")},
    std::pair{PcieClass::kPix, std::string_view("PIX")},
    std::pair{PcieClass::kBoard, std::string_view("BOARD")},
};

}  // namespace

void LinkMatrix::Set(std::size_t a, std::size_t b, const Link& link) {
  GS_CHECK(a < size_ && b < size_ && a != b);
  if (links_.use_count() > 1) links_ = std::make_shared<std::vector<Link>>(*links_);
  (*links_)[a * size_ + b] = link;
  (*links_)[b * size_ + a] = link;
}

std::string_view ToString(LinkKind kind) { return text::NameOf(kLinkKinds, kind); }
std::string_view ToString(PcieClass pcie) { return text::NameOf(kPcieClasses, pcie); }

std::optional<LinkKind> ParseLinkKind(std::string_view text) {
  if (text.empty()) return LinkKind::kNone;
  return text::ValueOf(kLinkKinds, text);
}

std::optional<PcieClass> ParsePcieClass(std::string_view text) {
  return text::ValueOf(kPcieClasses, text);
}

std::ostream& operator<<(std::ostream& out, const Link& link) {
  if (link.kind != LinkKind::kNone) out << link.count << "x" << ToString(link.kind) << " ";
  out << ToString(link.pcie);
  if (link.bandwidth_gbps > 0) out << " " << link.bandwidth_gbps << " GB/s";
  return out;
}

}  // namespace gs::model
