#include "programs/kubectl_gpu/link_matrix.h"

#include <algorithm>
#include <vector>

#include "core/model/link.h"

namespace gs::kubectl_gpu {
namespace {

std::string RightAligned(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

// "NV2/PIX": two NVLinks, and one PCIe switch between the two.
std::string LinkCell(const model::Link& link) {
  std::string pcie(model::ToString(link.pcie));
  if (link.kind == model::LinkKind::kNone) return pcie;
  const std::string kind = link.kind == model::LinkKind::kXgmi ? "XGMI" : "NV";
  return kind + std::to_string(link.count) + "/" + pcie;
}

// Row 0 and column 0 are the ids.
std::vector<std::vector<std::string>> LinkCells(const model::Machine& machine,
                                                const devices::Topology& topology,
                                                devices::GpuSet set) {
  const auto id = [&](std::size_t i) { return std::to_string(topology.id(i).number()); };
  std::vector<std::vector<std::string>> rows(1, {""});
  for (const std::size_t column : set) rows[0].push_back(id(column));
  for (const std::size_t row : set) {
    auto& cells = rows.emplace_back(1, id(row));
    for (const std::size_t column : set) {
      cells.push_back(row == column ? "-" : LinkCell(machine.links.At(row, column)));
    }
  }
  return rows;
}

}  // namespace

std::string PrintLinks(const model::Machine& machine, const devices::Topology& topology,
                       devices::GpuSet set) {
  const auto rows = LinkCells(machine, topology, set);
  std::size_t width = 0;
  for (const auto& row : rows) {
    for (const auto& cell : row) width = std::max(width, cell.size());
  }
  std::string text;
  for (const auto& row : rows) {
    for (const auto& cell : row) text += RightAligned(cell, &cell == &row[0] ? 5 : width + 2);
    text += "\n";
  }
  return text;
}

}  // namespace gs::kubectl_gpu
