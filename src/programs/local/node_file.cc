#include "programs/local/node_file.h"

#include <boost/json/object.hpp>
#include <utility>

#include "adapters/gpu/machine_file.h"
#include "adapters/json/object_reader.h"
#include "adapters/localcluster/select/label_rules.h"
#include "adapters/runtime/read_file.h"
#include "adapters/yaml/parse.h"
#include "base/dns_name.h"
#include "base/quantity.h"
#include "base/text.h"
#include "core/model/taint_text.h"
#include "programs/local/embedded_files.h"

namespace gs::local {
namespace {

constexpr std::int64_t kMaxPods = 10'000;

std::string TextOf(const boost::json::value& value) { return std::string(value.get_string()); }

class NodeReader {
 public:
  NodeReader(const boost::json::value& value, const std::string& path, const std::string& file)
      : fields_(value, path), path_(path), file_(file) {}

  Result<localcluster::NodeDescription> Read(std::string name) {
    localcluster::NodeDescription node;
    if (const auto fine = CheckDnsSubdomain(name); !fine) {
      return Error(ErrorKind::kInvalid, ToString(fine.error())).Within(path_);
    }
    node.name = std::move(name);
    node.cpu = ReadQuantity("cpu", node.cpu);
    node.memory = ReadQuantity("memory", node.memory);
    node.pods = fields_.Int("pods", {1, kMaxPods}, node.pods);
    ReadLabels(node);
    ReadTaints(node);
    ReadGpus(node);
    if (auto fine = fields_.Finish(); !fine) return std::move(fine).error();
    return node;
  }

 private:
  // A number without quotes is fine, as it is for kubectl.
  std::string ReadQuantity(std::string_view field, const std::string& fallback) {
    const boost::json::value* value = fields_.Raw(field);
    if (value == nullptr) return fallback;
    std::string text = value->is_string() ? TextOf(*value) : json::Describe(*value);
    const auto quantity = Quantity::Parse(text);
    if (!quantity || quantity->MilliValue() <= 0) {
      fields_.Fail(field, "expected an amount above zero, got " + json::Quoted(text),
                   "write it like 16, 500m or 64Gi");
    }
    return text;
  }

  void ReadLabels(localcluster::NodeDescription& node) {
    const boost::json::value* labels = fields_.Raw("labels");
    if (labels == nullptr) return;
    if (!labels->is_object()) return fields_.Fail("labels", "expected an object");
    for (const auto& [key, value] : labels->get_object()) {
      const std::string field = "labels." + std::string(key);
      if (!value.is_string()) {
        return fields_.Fail(field, "expected text, got " + json::Describe(value),
                            "write it in quotes");
      }
      auto faults = localcluster::LabelNameFaults(key);
      if (faults.empty()) faults = localcluster::LabelValueFaults(TextOf(value));
      if (!faults.empty()) return fields_.Fail(field, faults.front());
      node.labels[std::string(key)] = TextOf(value);
    }
  }

  void ReadTaints(localcluster::NodeDescription& node) {
    for (const std::string& text : fields_.Texts("taints")) {
      const auto taint = model::ParseTaint(text);
      if (!taint) {
        return fields_.Fail("taints", json::Quoted(text) + " is no taint",
                            "write key=value:NoSchedule, or PreferNoSchedule or NoExecute");
      }
      node.taints.push_back(*taint);
    }
  }

  void ReadGpus(localcluster::NodeDescription& node) {
    const auto count = fields_.Int("gpus", {0, gpu::kMaxDevices}, 0);
    const std::string machine = fields_.Text("machine");
    if (machine.empty()) {
      node.machine = PlainMachine(static_cast<std::size_t>(count));
      return;
    }
    if (count > 0) return fields_.Fail("gpus", "goes without machine");
    auto read = FindMachine(machine);
    if (!read) return fields_.Fail("machine", ToString(read.error()));
    node.machine = *std::move(read);
  }

  [[nodiscard]] Result<model::Machine> FindMachine(const std::string& name) const {
    if (const auto text = FindEmbedded("examples/machines/" + name + ".yaml")) {
      return gpu::ReadMachine(*text);
    }
    if (name.find('/') == std::string::npos && name.find('.') == std::string::npos) {
      return Error(ErrorKind::kNotFound, "there is no machine " + json::Quoted(name))
          .Advise("write the name of a file, or one of " +
                  text::Join(EmbeddedNames("examples/machines"), ", ",
                             [](std::string_view each) { return each; }));
    }
    return gpu::LoadMachineFile(std::filesystem::path(file_).parent_path() / name);
  }

  json::ObjectReader fields_;
  const std::string path_;
  const std::string& file_;
};

Result<Nodes> ReadAll(const boost::json::value& document, const std::string& file) {
  json::ObjectReader top(document, "");
  const boost::json::value* listed = top.Raw("nodes");
  if (listed == nullptr || !listed->is_object() || listed->get_object().empty()) {
    top.Fail("nodes", "expected nodes by their names", "write nodes: {node1: {gpus: 4}}");
  }
  if (auto fine = top.Finish(); !fine) return std::move(fine).error();
  if (listed->get_object().size() > kMaxNodes) {
    return Error(ErrorKind::kInvalid, "more than " + std::to_string(kMaxNodes)).Within("nodes");
  }
  Nodes nodes;
  for (const auto& [name, value] : listed->get_object()) {
    const boost::json::value fields = value.is_null() ? boost::json::object{} : value;
    auto node = NodeReader(fields, "nodes." + std::string(name), file).Read(std::string(name));
    if (!node) return std::move(node).error();
    GiveAddresses(nodes.size(), *node);
    nodes.push_back(*std::move(node));
  }
  return nodes;
}

}  // namespace

Result<Nodes> ReadNodeFile(std::string_view text, const std::string& file) {
  const auto document = yaml::ParseYamlWithPlaces(text);
  if (!document) return Error(document.error()).Within(file);
  auto nodes = ReadAll(document->value, file);
  if (nodes) return nodes;
  const auto& keys = nodes.error().context();
  const TextPlace place = yaml::FindPlace(document->places, keys.empty() ? "" : keys.front());
  return Error(nodes.error()).At(place).Within(file);
}

void GiveAddresses(std::size_t index, localcluster::NodeDescription& node) {
  constexpr std::size_t kHosts = 250;
  constexpr std::size_t kRanges = 256;
  node.address =
      "10.0." + std::to_string(index / kHosts) + "." + std::to_string(1 + index % kHosts);
  node.pod_range =
      "10." + std::to_string(64 + index / kRanges) + "." + std::to_string(index % kRanges);
}

model::Machine PlainMachine(std::size_t gpus) {
  model::Machine machine;
  for (std::size_t i = 0; i < gpus; ++i) {
    machine.devices.push_back({.id = GpuId(static_cast<std::int32_t>(i))});
  }
  machine.links = model::LinkMatrix(gpus);
  return machine;
}

}  // namespace gs::local
