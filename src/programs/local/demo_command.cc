#include "programs/local/demo_command.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <chrono>
#include <thread>
#include <utility>

#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/objects/metadata.h"
#include "adapters/runtime/read_file.h"
#include "adapters/yaml/parse.h"
#include "core/model/names.h"

namespace gs::local {
namespace {

using localcluster::AnnotationOf;
using localcluster::Json;
using localcluster::Text;

constexpr std::size_t kMaxBytes = std::size_t{4} << 20;
constexpr std::chrono::milliseconds kLookAgain{50};

std::string_view NodeOf(const Json& pod) { return Text(pod, {"spec", "nodeName"}); }

// What the pod asked for.
std::string Wish(const Json& pod) {
  const auto claim = AnnotationOf(pod, model::names::kClaim);
  if (!claim.empty()) return "claim " + std::string(claim);
  if (!AnnotationOf(pod, model::names::kMap).empty()) return "map";
  return "resources";
}

std::string Gpus(const Json& pod) {
  const auto ids = AnnotationOf(pod, model::names::kVisibleDevices);
  return ids.empty() ? "-" : std::string(ids);
}

using Row = std::array<std::string, 4>;

std::string PrintTable(const std::vector<Row>& rows) {
  std::array<std::size_t, 4> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string table;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] - row[i].size() + 3, ' ');
    }
    table += line + "\n";
  }
  return table;
}

Error Late(const boost::json::array& pods, std::size_t expected) {
  std::string waiting;
  for (const Json& pod : pods) {
    if (!NodeOf(pod).empty()) continue;
    waiting += (waiting.empty() ? "" : ", ") + std::string(localcluster::NameOf(pod));
    for (const Json& condition : localcluster::Items(pod, {"status", "conditions"})) {
      if (Text(condition, {"type"}) != "PodScheduled") continue;
      waiting += " (" + std::string(Text(condition, {"message"})) + ")";
    }
  }
  return {ErrorKind::kUnavailable, "of " + std::to_string(expected) + " pods " +
                                       std::to_string(pods.size()) +
                                       " exist; without a node: " + waiting};
}

}  // namespace

Result<std::vector<Json>> ReadManifests(const std::vector<std::string>& files) {
  std::vector<Json> objects;
  for (const std::string& file : files) {
    const auto text = runtime::ReadFile(file, kMaxBytes);
    if (!text) return text.error();
    auto documents = yaml::ParseYamlDocuments(*text);
    if (!documents) return std::move(documents).error().Within(file);
    for (Json& document : *documents) objects.push_back(std::move(document));
  }
  return objects;
}

std::size_t PodsOf(const std::vector<Json>& objects) {
  std::int64_t pods = 0;
  for (const Json& object : objects) {
    const auto kind = localcluster::KindOf(object);
    if (kind == "Pod") pods += 1;
    if (kind == "Deployment" || kind == "StatefulSet" || kind == "ReplicaSet") {
      pods += localcluster::Int(object, {"spec", "replicas"}, 1);
    }
    if (kind == "Job") pods += localcluster::Int(object, {"spec", "parallelism"}, 1);
  }
  return static_cast<std::size_t>(pods);
}

Result<boost::json::array> CreateAndWait(ApiConnection& api, const std::vector<Json>& objects,
                                         Duration timeout) {
  for (const Json& object : objects) {
    if (auto made = api.Create(object); !made) return std::move(made).error();
  }
  const std::size_t expected = PodsOf(objects);
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (true) {
    auto pods = api.List("/api/v1/pods");
    if (!pods) return std::move(pods).error();
    const bool are_placed = std::all_of(pods->begin(), pods->end(),
                                        [](const Json& pod) { return !NodeOf(pod).empty(); });
    if (are_placed && pods->size() >= expected) return pods;
    if (std::chrono::steady_clock::now() > deadline) return Late(*pods, expected);
    std::this_thread::sleep_for(kLookAgain);
  }
}

std::string PrintPlaces(const boost::json::array& pods) {
  std::vector<Row> rows{{"POD", "ASKED BY", "NODE", "GPUS"}};
  for (const Json& pod : pods) {
    rows.push_back(
        {std::string(localcluster::NameOf(pod)), Wish(pod), std::string(NodeOf(pod)), Gpus(pod)});
  }
  return PrintTable(rows);
}

}  // namespace gs::local
