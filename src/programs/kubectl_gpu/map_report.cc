#include "programs/kubectl_gpu/map_report.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "adapters/answers/api_json.h"
#include "base/gpu_ids.h"
#include "base/text.h"
#include "core/decide/named_node.h"
#include "core/model/scheduling_map.h"
#include "programs/kubectl_gpu/table.h"

namespace gs::kubectl_gpu {
namespace {

// One line of the map, and what is to be said of it.
struct MapLine {
  PodIndex index;
  const model::MapEntry* entry = nullptr;
  NodeName node;                        // that is meant; empty: none
  std::vector<std::string> problems{};  // why it can never be
  std::vector<std::string> remarks{};   // why it may have to wait, or is perhaps not meant

  [[nodiscard]] std::string verdict() const {
    if (!problems.empty()) return "wrong";
    return remarks.empty() ? "good" : "note";
  }
  [[nodiscard]] std::vector<std::string> words() const {
    std::vector<std::string> all = problems;
    all.insert(all.end(), remarks.begin(), remarks.end());
    return all;
  }
};

void LookAtGpu(GpuId id, const cache::NodeView& view, MapLine& line) {
  const std::string gpu = "GPU " + std::to_string(id.number()) + " of " + view.node.name.text();
  const auto ids = view.gpu_ids();
  if (std::find(ids.begin(), ids.end(), id) == ids.end()) {
    line.problems.push_back("there is no " + gpu +
                            (ids.empty() ? ", which has none" : "; it has " + PrintGpuIds(ids)));
    return;
  }
  if (!view.is_healthy(id)) line.remarks.push_back(gpu + " is unhealthy");
  const auto holders = view.holders.Of(id);
  if (holders.empty()) return;
  line.remarks.push_back(gpu + " is held by " + text::Join(holders, ", ", [](const auto& holder) {
                           return ToString(holder.pod);
                         }));
}

MapLine LookAtLine(PodIndex index, const model::MapEntry& entry, const cache::Cache& cache) {
  MapLine line{.index = index, .entry = &entry, .node = {}};
  const auto named = decide::NamedNode(entry.node, cache);
  if (const auto* reason = std::get_if<model::Reason>(&named)) {
    line.problems.push_back(reason->message);
    return line;
  }
  line.node = std::get<NodeName>(named);
  const cache::NodeView& view = *cache.FindNode(line.node);
  if (view.node.is_unschedulable) line.remarks.push_back(line.node.text() + " is cordoned");
  for (const GpuId id : entry.ids) LookAtGpu(id, view, line);
  return line;
}

// Pods of one controller may share what several lines name, which is seldom meant.
void NoteMeetings(std::vector<MapLine>& lines) {
  std::map<std::pair<NodeName, GpuId>, PodIndex> first;
  for (MapLine& line : lines) {
    if (line.node.empty()) continue;
    for (const GpuId id : line.entry->ids) {
      const auto [other, is_new] = first.emplace(std::pair(line.node, id), line.index);
      if (is_new) continue;
      line.remarks.push_back("line " + std::to_string(other->second.number()) + " names GPU " +
                             std::to_string(id.number()) + " of " + line.node.text() +
                             " too: both pods share it");
    }
  }
}

std::string MapText(const std::vector<MapLine>& lines, const Picture& picture) {
  Table table({"INDEX", "NODE", "GPUS", "VERDICT", "WHY"});
  for (const MapLine& line : lines) {
    const std::string verdict = line.verdict();
    const Colour colour = verdict == "wrong"  ? Colour::kRed
                          : verdict == "note" ? Colour::kYellow
                                              : Colour::kGreen;
    table.Add({std::to_string(line.index.number()), line.entry->node.text(),
               PrintGpuIds(line.entry->ids), Cell(verdict, picture.paint(colour, verdict)),
               text::Join(line.words(), "; ", [](const std::string& word) { return word; })});
  }
  return table.Print();
}

boost::json::array Words(const std::vector<std::string>& words) {
  boost::json::array array;
  for (const std::string& word : words) array.emplace_back(word);
  return array;
}

boost::json::object MapJson(const std::vector<MapLine>& lines, const Picture& picture) {
  boost::json::array items;
  for (const MapLine& line : lines) {
    boost::json::array ids;
    for (const GpuId id : line.entry->ids) ids.push_back(id.number());
    items.push_back(boost::json::object{{"index", line.index.number()},
                                        {"written", line.entry->node.text()},
                                        {"node", line.node.text()},
                                        {"gpuIds", std::move(ids)},
                                        {"verdict", line.verdict()},
                                        {"problems", Words(line.problems)},
                                        {"remarks", Words(line.remarks)}});
  }
  boost::json::object object = answers::ApiHead("MapCheck", {.time = picture.now});
  object["items"] = std::move(items);
  return object;
}

}  // namespace

Answer ReportMap(const MapQuestion& question, const Picture& picture) {
  std::vector<MapLine> lines;
  lines.reserve(question.map.entries.size());
  for (const auto& [index, entry] : question.map.entries) {
    lines.push_back(LookAtLine(index, entry, picture.cycle.cache()));
  }
  NoteMeetings(lines);
  const bool is_wrong = std::any_of(lines.begin(), lines.end(),
                                    [](const MapLine& line) { return !line.problems.empty(); });
  const int code = is_wrong ? kExitNo : kExitDone;
  if (IsForPeople(picture.form)) return {.text = MapText(lines, picture), .code = code};
  return {.text = PrintObject(MapJson(lines, picture), picture.form), .code = code};
}

}  // namespace gs::kubectl_gpu
