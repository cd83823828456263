#include "programs/kubectl_gpu/choose_report.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "base/gpu_ids.h"
#include "base/text.h"

namespace gs::kubectl_gpu {
namespace {

using devices::Choice;
using devices::GpuSet;
using devices::Miss;

// Wider matrices no longer fit on a screen.
constexpr std::size_t kMaxMatrixGpus = 16;
constexpr std::size_t kLabelWidth = 17;

std::string Line(std::string label, const std::string& value) {
  label.resize(kLabelWidth, ' ');
  return label + value + "\n";
}

std::string ListOf(const std::vector<GpuId>& ids) {
  return ids.empty() ? "none" : PrintGpuIds(ids);
}

std::string RightAligned(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

// Text from the machine file must not move the cursor of a terminal.
std::string Printable(std::string text) {
  const auto is_control = [](unsigned char letter) { return letter < 0x20 || letter == 0x7F; };
  std::replace_if(text.begin(), text.end(), is_control, '?');
  return text;
}

std::string SlowestPair(const Choice& choice) {
  if (choice.ids.size() < 2) return "";
  if (choice.min_bandwidth_gbps == 0) return ", slowest pair not reported";
  return ", slowest pair " + std::to_string(choice.min_bandwidth_gbps) + " GB/s";
}

// "GPUs 0,1  (1 island, link score 150, slowest pair 50 GB/s)"
std::string Headline(const Choice& choice) {
  return (choice.ids.size() == 1 ? "GPU " : "GPUs ") + PrintGpuIds(choice.ids) + "  (" +
         std::to_string(choice.islands) + (choice.islands == 1 ? " island" : " islands") +
         ", link score " + std::to_string(choice.set_score) + SlowestPair(choice) + ")\n";
}

std::string UuidLine(const Situation& situation, GpuSet set) {
  std::vector<std::string> uuids;
  for (const std::size_t i : set) {
    const auto& uuid = situation.machine.devices[i].uuid;
    if (!uuid.empty()) uuids.push_back(Printable(uuid.text()));
  }
  if (uuids.empty()) return "";
  return Line("UUIDs", text::Join(uuids, ", ", [](const std::string& uuid) { return uuid; }));
}

// Preferred never blocks, so whoever gave a bandwidth wants to know whether they got it.
std::string BandwidthLine(const Situation& situation, const Choice& choice) {
  const std::int32_t asked = situation.request.min_bandwidth_gbps;
  if (asked == 0 || choice.ids.size() < 2) return "";
  const bool is_met = choice.min_bandwidth_gbps >= asked;
  return Line("asked bandwidth", std::to_string(asked) + " GB/s, " + (is_met ? "met" : "not met"));
}

std::string PodsLine(const Situation& situation, GpuSet set) {
  if (situation.request.exclusivity != model::Exclusivity::kShared) return "";
  return Line("pods per GPU", text::Join(set, ", ", [&](std::size_t i) {
                return std::to_string(situation.topology.id(i).number()) + ": " +
                       std::to_string(situation.availability.sharers.at(i) + 1);
              }));
}

std::string UnhealthyLine(const Situation& situation) {
  const GpuSet unhealthy = situation.availability.unhealthy;
  if (unhealthy.empty()) return "";
  return Line("unhealthy", text::Join(unhealthy, ", ", [&](std::size_t i) {
                const auto& device = situation.machine.devices[i];
                std::string id = std::to_string(device.id.number());
                if (device.health_reason.empty()) return id;
                return id + " (" + Printable(device.health_reason) + ")";
              }));
}

std::string Figures(const Situation& situation, const Choice& choice) {
  return UuidLine(situation, choice.set) + BandwidthLine(situation, choice) +
         Line("partition score", std::to_string(choice.partition_score) +
                                     "  this set and the best split of the GPUs left") +
         Line("runs of ids",
              std::to_string(choice.runs) + ", span " + std::to_string(choice.span)) +
         Line("search", choice.is_exact ? "exact" : "bounded: a better set may exist") +
         PodsLine(situation, choice.set) + UnhealthyLine(situation) +
         Line("left free", ListOf(LeftFree(situation, choice)));
}

// "NV2/PIX": two NVLinks, and one PCIe switch between the two.
std::string Cell(const model::Link& link) {
  std::string pcie(model::ToString(link.pcie));
  if (link.kind == model::LinkKind::kNone) return pcie;
  const std::string kind = link.kind == model::LinkKind::kXgmi ? "XGMI" : "NV";
  return kind + std::to_string(link.count) + "/" + pcie;
}

// How the chosen GPUs are linked to each other: where the link score comes from. Row 0 and column 0
// are the ids.
std::vector<std::vector<std::string>> MatrixCells(const Situation& situation, GpuSet set) {
  const auto id = [&](std::size_t i) { return std::to_string(situation.topology.id(i).number()); };
  std::vector<std::vector<std::string>> rows(1, {""});
  for (const std::size_t column : set) rows[0].push_back(id(column));
  for (const std::size_t row : set) {
    auto& cells = rows.emplace_back(1, id(row));
    for (const std::size_t column : set) {
      cells.push_back(row == column ? "-" : Cell(situation.machine.links.At(row, column)));
    }
  }
  return rows;
}

std::string Matrix(const Situation& situation, GpuSet set) {
  if (set.size() < 2 || set.size() > kMaxMatrixGpus) return "";
  const auto rows = MatrixCells(situation, set);
  std::size_t width = 0;
  for (const auto& row : rows) {
    for (const auto& cell : row) width = std::max(width, cell.size());
  }
  std::string text = "\n";
  for (const auto& row : rows) {
    for (const auto& cell : row) text += RightAligned(cell, &cell == &row[0] ? 5 : width + 2);
    text += "\n";
  }
  return text;
}

}  // namespace

std::vector<GpuId> LeftFree(const Situation& situation, const Choice& choice) {
  const auto& [unused, sharers, unhealthy] = situation.availability;
  return situation.topology.IdsOf(unused - unhealthy - choice.set);
}

std::string TextReport(const Situation& situation, const devices::Outcome& outcome) {
  if (const auto* miss = std::get_if<Miss>(&outcome)) return "no set: " + ToString(*miss) + "\n";
  const auto& choice = std::get<Choice>(outcome);
  return Headline(choice) + "\n" + Figures(situation, choice) + Matrix(situation, choice.set);
}

}  // namespace gs::kubectl_gpu
