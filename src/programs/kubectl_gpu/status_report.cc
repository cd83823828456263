#include "programs/kubectl_gpu/status_report.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "adapters/answers/api_json.h"
#include "base/text.h"
#include "core/decide/decide.h"
#include "core/decide/devices/topology.h"
#include "core/explain/gpu_report.h"
#include "core/explain/placeable_sets.h"
#include "core/pending/ask_class.h"
#include "programs/kubectl_gpu/table.h"

namespace gs::kubectl_gpu {
namespace {

using explain::GpuCounts;
using explain::GpuState;

constexpr std::string_view kLegend =
    ". free   # held   = shared   ~ releasing   ? others'   ! unhealthy   | another island\n";

// In the order of GpuState.
constexpr std::string_view kLetters = ".#=~?!";
constexpr std::array kColours{Colour::kGreen,  Colour::kBlue,    Colour::kMagenta,
                              Colour::kYellow, Colour::kMagenta, Colour::kRed};

GpuCounts SumOf(const std::map<NodeName, GpuCounts>& nodes) {
  GpuCounts sum;
  for (std::size_t i = 0; i < std::size(explain::kGpuStates); ++i)
    sum[static_cast<GpuState>(i)] = 0;
  for (const auto& [node, counts] : nodes) {
    for (const auto& [state, count] : counts) sum[state] += count;
  }
  return sum;
}

std::int64_t TotalOf(const GpuCounts& counts) {
  std::int64_t total = 0;
  for (const auto& [state, count] : counts) total += count;
  return total;
}

devices::Topology TopologyOf(const cache::NodeView& view) {
  if (view.node.machine) {
    if (auto topology = devices::Topology::Of(*view.node.machine)) return *std::move(topology);
  }
  return devices::Topology::Counted(std::min(view.gpu_ids().size(), devices::kMaxGpus));
}

// States by position; which GPUs others have is not known, so the last free ones stand for them.
std::vector<GpuState> StatesOf(const explain::NodeReport& report, std::int64_t foreign) {
  std::vector<GpuState> states;
  states.reserve(report.devices.size());
  for (const auto& device : report.devices) states.push_back(device.state);
  for (auto state = states.rbegin(); state != states.rend() && foreign > 0; ++state) {
    if (*state != GpuState::kFree) continue;
    *state = GpuState::kForeign;
    --foreign;
  }
  return states;
}

Cell GridOf(const std::vector<GpuState>& states, const devices::Topology& topology,
            const Paint& paint) {
  Cell cell("");
  for (std::size_t i = 0; i < states.size(); ++i) {
    const bool has_island = topology.size() == states.size() && i > 0 &&
                            topology.IslandOf(i).size() > 1 &&
                            topology.IslandOf(i) != topology.IslandOf(i - 1);
    const auto state = static_cast<std::size_t>(states[i]);
    const std::string letter(1, kLetters.at(state));
    cell.text += (has_island ? "|" : "") + letter;
    cell.painted += (has_island ? "|" : "") + paint(kColours.at(state), letter);
  }
  return cell;
}

std::string ModelsOf(const explain::NodeReport& report) {
  std::set<std::string> models;
  for (const auto& device : report.devices) {
    if (!device.device.model.empty()) models.emplace(device.device.model.text());
  }
  return models.empty() ? "<unknown>"
                        : text::Join(models, ", ", [](const std::string& name) { return name; });
}

std::string PrintNodes(const Picture& picture, const std::map<NodeName, GpuCounts>& counts) {
  const auto& cache = picture.cycle.cache();
  Table::Row header{"NODE", "GPUS", "FREE", "OF"};
  if (picture.is_wide()) header.insert(header.end(), {"AGENT", "HANDOVER", "MODEL"});
  Table table(std::move(header));
  for (const auto& report : explain::ReportGpus(cache)) {
    const GpuCounts& of_node = counts.at(report.node);
    const auto states = StatesOf(report, of_node.at(GpuState::kForeign));
    Table::Row row{report.node.text(),
                   GridOf(states, TopologyOf(*cache.FindNode(report.node)), picture.paint),
                   std::to_string(of_node.at(GpuState::kFree)), std::to_string(states.size())};
    if (picture.is_wide()) {
      row.insert(row.end(), {report.has_agent ? "yes" : "no",
                             std::string(explain::ToString(report.handover)), ModelsOf(report)});
    }
    table.Add(std::move(row));
  }
  return table.empty() ? "no node has GPUs\n" : table.Print() + std::string(kLegend);
}

std::string PrintCounts(const GpuCounts& counts) {
  std::string text;
  for (const auto& [state, count] : counts) {
    if (count > 0) text += ", " + std::to_string(count) + " " + std::string(ToString(state));
  }
  return text.empty() ? "" : " (" + text.substr(2) + ")";
}

std::string PrintWaiting(const WaitingPods& waiting) {
  std::string text = std::to_string(waiting.total()) + (waiting.total() == 1 ? " pod" : " pods");
  std::string parts;
  for (const auto& [token, count] : waiting.reasons) {
    parts += ", " + std::to_string(count) + " " + std::string(ToString(token));
  }
  if (waiting.next > 0) parts += ", " + std::to_string(waiting.next) + " whose turn is to come";
  if (waiting.gated > 0) parts += ", " + std::to_string(waiting.gated) + " held back by gates";
  return parts.empty() ? text : text + " (" + parts.substr(2) + ")";
}

std::string PrintPlaceable(const score::SetCounts& sets) {
  Table table({"SETS OF", "ON A NODE", "IN AN ISLAND"});
  for (std::size_t i = 0; i < score::kSetSizes.size(); ++i) {
    table.Add({std::to_string(score::kSetSizes.at(i)), std::to_string(sets.anywhere.at(i)),
               std::to_string(sets.in_islands.at(i))});
  }
  return table.Print();
}

boost::json::object CountsJson(const GpuCounts& counts) {
  boost::json::object object{{"total", TotalOf(counts)}};
  for (const auto& [state, count] : counts) object[ToString(state)] = count;
  return object;
}

boost::json::object WaitingJson(const WaitingPods& waiting) {
  boost::json::object reasons;
  for (const auto& [token, count] : waiting.reasons) reasons[ToString(token)] = count;
  return {{"total", waiting.total()},
          {"next", waiting.next},
          {"gated", waiting.gated},
          {"reasons", std::move(reasons)}};
}

boost::json::object StatusJson(const Picture& picture) {
  const auto counts = explain::CountGpus(picture.cycle.cache());
  boost::json::object object = answers::ApiHead("Status", {.time = picture.now});
  object["gpus"] = CountsJson(SumOf(counts));
  boost::json::array placeable;
  const score::SetCounts sets = explain::PlaceableSets().Update(picture.cycle.cache());
  for (std::size_t i = 0; i < score::kSetSizes.size(); ++i) {
    placeable.push_back(boost::json::object{{"size", score::kSetSizes.at(i)},
                                            {"any", sets.anywhere.at(i)},
                                            {"island", sets.in_islands.at(i)}});
  }
  object["placeableSets"] = std::move(placeable);
  object["waitingPods"] = WaitingJson(CountWaiting(picture.cycle));
  boost::json::array nodes;
  for (const auto& [node, of_node] : counts) {
    nodes.push_back(boost::json::object{{"node", node.text()}, {"gpus", CountsJson(of_node)}});
  }
  object["nodes"] = std::move(nodes);
  return object;
}

// Why none of its kind has a place; nothing: one would have.
std::optional<model::ReasonToken> WhyItWaits(const model::Pod& pod, const explain::Scene& scene) {
  const auto ask = decide::AskOf(pod, scene.cache, scene.ask);
  if (const auto* reason = std::get_if<model::Reason>(&ask)) return reason->token;
  const auto decision = decide::Decide(pod, std::get<decide::Ask>(ask), scene.cache, scene.context);
  const auto* none = std::get_if<decide::NoPlace>(&decision);
  return none == nullptr ? std::nullopt : std::optional(none->reason.token);
}

}  // namespace

std::size_t WaitingPods::total() const {
  std::size_t sum = gated + next;
  for (const auto& [token, count] : reasons) sum += count;
  return sum;
}

WaitingPods CountWaiting(const cycle::Cycle& cycle) {
  return cycle.Look([&](const explain::Scene& scene) {
    WaitingPods waiting;
    std::map<std::string, std::optional<model::ReasonToken>> known;
    for (const auto& [uid, record] : scene.cache.pods()) {
      const model::Pod& pod = record.pod;
      if (pod.scheduler != cycle.scheduler() || pod.is_bound() || pod.is_terminal()) continue;
      if (!pod.rules->gates.empty()) {
        ++waiting.gated;
        continue;
      }
      const std::string key = pending::ClassOf(pod).key;
      auto found = known.find(key);
      if (found == known.end()) found = known.emplace(key, WhyItWaits(pod, scene)).first;
      found->second ? ++waiting.reasons[*found->second] : ++waiting.next;
    }
    return waiting;
  });
}

Answer ReportStatus(const Picture& picture) {
  if (!IsForPeople(picture.form)) return {PrintObject(StatusJson(picture), picture.form)};
  const auto counts = explain::CountGpus(picture.cycle.cache());
  const GpuCounts sum = SumOf(counts);
  return {"GPUs      " + std::to_string(TotalOf(sum)) + " on " + std::to_string(counts.size()) +
          " nodes" + PrintCounts(sum) + "\nwaiting   " + PrintWaiting(CountWaiting(picture.cycle)) +
          "\n\n" + PrintNodes(picture, counts) + "\n" +
          PrintPlaceable(explain::PlaceableSets().Update(picture.cycle.cache()))};
}

}  // namespace gs::kubectl_gpu
