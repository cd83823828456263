#include "programs/kubectl_gpu/choose_report.h"

#include <utility>
#include <variant>
#include <vector>

#include "base/gpu_ids.h"
#include "base/text.h"
#include "programs/kubectl_gpu/link_matrix.h"
#include "programs/kubectl_gpu/paint.h"

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
                return id + " (" + Printable(device.health_reason.text()) + ")";
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

std::string Matrix(const Situation& situation, GpuSet set) {
  if (set.size() < 2 || set.size() > kMaxMatrixGpus) return "";
  return "\n" + PrintLinks(situation.machine, situation.topology, set);
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
