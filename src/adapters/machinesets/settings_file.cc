#include "adapters/machinesets/settings_file.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <utility>

#include "adapters/json/object_reader.h"
#include "adapters/yaml/parse.h"

namespace gs::machinesets {
namespace {

constexpr std::string_view kApiVersion = "gpu-machinesets/v1";
constexpr std::string_view kKind = "MachineSetSettings";
constexpr std::size_t kMaxSettingsBytes = std::size_t{1} << 20;
constexpr std::int64_t kMaxGpus = 1024;
constexpr std::int64_t kMaxVcpus = 4096;
constexpr std::int64_t kMaxMemoryMib = std::int64_t{1} << 30;
constexpr std::int64_t kMaxDiskGib = 65536;

std::string_view ViewOf(const boost::json::value& value) {
  return {value.get_string().data(), value.get_string().size()};
}

// What can be said for all types and again for one: the latter counts.
class ChoiceReader {
 public:
  ChoiceReader(json::ObjectReader& fields, TypeWish& wish) : fields_(fields), wish_(wish) {}

  void Read() {
    if (fields_.Raw("replicas") != nullptr) {
      wish_.replicas = static_cast<int>(fields_.Int("replicas", {0, kMaxReplicas}, 0));
    }
    wish_.disk_gib = fields_.Int("diskGiB", {1, kMaxDiskGib}, wish_.disk_gib);
    if (const auto* value = fields_.Raw("zones")) ReadZones(*value);
    if (const auto* value = fields_.Raw("spot")) ReadSpot(*value);
    if (const auto* value = fields_.Raw("autoscale")) ReadAutoscale(*value);
  }

 private:
  void ReadZones(const boost::json::value& value) {
    if (value.is_string() && (ViewOf(value) == "all" || ViewOf(value) == "first")) {
      wish_.zones = ParseZones(ViewOf(value));
      return;
    }
    Zones zones{ZoneRule::kListed, {}};
    if (value.is_array()) zones.listed = fields_.Texts("zones");
    if (zones.listed.empty()) {
      return fields_.Fail("zones", "expected zones, got " + json::Describe(value),
                          "write first, all, or a list of zones");
    }
    wish_.zones = std::move(zones);
  }

  void ReadSpot(const boost::json::value& value) {
    if (value.is_bool()) {
      wish_.spot = value.get_bool() ? std::optional<Spot>(Spot{}) : std::nullopt;
      return;
    }
    json::ObjectReader spot(value, fields_.PathOf("spot"));
    const std::string price = spot.RequiredText("maxPrice");
    if (const auto fine = spot.Finish(); !fine) {
      return fields_.Fail("spot", "expected true, false or {maxPrice: \"1.25\"}");
    }
    const auto checked = CheckPrice(price);
    if (!checked) return fields_.Fail("spot.maxPrice", ToString(checked.error()));
    wish_.spot = Spot{*checked};
  }

  void ReadAutoscale(const boost::json::value& value) {
    if (value.is_bool() && !value.get_bool()) {
      wish_.autoscale.reset();
      return;
    }
    json::ObjectReader range(value, fields_.PathOf("autoscale"));
    const auto min = range.Int("min", {0, kMaxReplicas}, 0);
    const auto max = range.RequiredInt("max", {1, kMaxReplicas});
    if (const auto fine = range.Finish(); !fine || min > max) {
      return fields_.Fail("autoscale",
                          "expected false or {min: 0, max: 4}, with at least 1 as max");
    }
    wish_.autoscale = Autoscale{static_cast<int>(min), static_cast<int>(max)};
  }

  json::ObjectReader& fields_;
  TypeWish& wish_;
};

Result<TypeWish> ReadType(const std::string& name, const boost::json::value& value,
                          const TypeWish& common) {
  const std::string path = "instanceTypes." + name;
  const boost::json::value read = value.is_null() ? boost::json::object{} : value;
  json::ObjectReader fields(read, path);
  TypeWish wish = common;
  wish.type = name;
  ChoiceReader(fields, wish).Read();
  wish.counts.gpus = static_cast<int>(fields.Int("gpus", {1, kMaxGpus}, 0));
  wish.counts.vcpus = static_cast<int>(fields.Int("vcpus", {1, kMaxVcpus}, 0));
  wish.counts.memory_mib = fields.Int("memoryMiB", {1, kMaxMemoryMib}, 0);
  if (const auto* attached = fields.Raw("attached")) {
    json::ObjectReader gpus(*attached, fields.PathOf("attached"));
    wish.attached =
        Attached{gpus.RequiredText("type"), static_cast<int>(gpus.Int("count", {1, kMaxGpus}, 1))};
    if (auto fine = gpus.Finish(); !fine) return std::move(fine).error();
  }
  if (auto fine = fields.Finish(); !fine) return std::move(fine).error();
  return wish;
}

Result<std::vector<TypeWish>> ReadTypes(const boost::json::value* value, const TypeWish& common) {
  std::vector<TypeWish> types;
  if (value == nullptr) {
    for (const TypeWish& by_default : DefaultSettings().types) {
      types.push_back(common);
      types.back().type = by_default.type;
    }
    return types;
  }
  for (const auto& [name, choices] : value->get_object()) {
    auto type = ReadType(std::string(name), choices, common);
    if (!type) return std::move(type).error();
    types.push_back(*std::move(type));
  }
  return types;
}

void ReadLabels(json::ObjectReader& top, Settings& settings) {
  const boost::json::value* value = top.Raw("labels");
  if (value == nullptr) return;
  if (!value->is_object()) return top.Fail("labels", "expected an object");
  settings.labels.emplace();
  for (const auto& [key, label] : value->get_object()) {
    const std::string field = "labels." + std::string(key);
    if (!label.is_string()) {
      return top.Fail(field, "expected text, got " + json::Describe(label), "write it in quotes");
    }
    if (const auto fine = CheckLabel(key, ViewOf(label)); !fine) {
      return top.Fail(field, ToString(fine.error()));
    }
    (*settings.labels)[std::string(key)] = std::string(ViewOf(label));
  }
}

void ReadTaints(json::ObjectReader& top, Settings& settings) {
  if (top.Raw("taints") == nullptr) return;
  settings.taints.emplace();
  for (const std::string& text : top.Texts("taints")) {
    auto taint = ReadTaint(text);
    if (!taint) return top.Fail("taints", taint.error().message(), taint.error().advice());
    settings.taints->push_back(*std::move(taint));
  }
}

void ReadAccelerator(json::ObjectReader& top, Settings& settings) {
  if (top.Raw("accelerator") == nullptr) return;
  settings.accelerator = top.Text("accelerator");
  if (const auto fine = CheckLabel("cluster-api/accelerator", *settings.accelerator); !fine) {
    top.Fail("accelerator", ToString(fine.error()));
  }
}

void CheckHeader(json::ObjectReader& top) {
  if (const std::string version = top.Text("apiVersion", kApiVersion); version != kApiVersion) {
    top.Fail("apiVersion",
             "expected " + std::string(kApiVersion) + ", got " + json::Quoted(version));
  }
  if (const std::string kind = top.Text("kind", kKind); kind != kKind) {
    top.Fail("kind", "expected " + std::string(kKind) + ", got " + json::Quoted(kind));
  }
}

Result<Settings> ReadDocument(const boost::json::value& document) {
  Settings settings;
  json::ObjectReader top(document, "");
  CheckHeader(top);
  TypeWish common;
  ChoiceReader(top, common).Read();
  ReadLabels(top, settings);
  ReadTaints(top, settings);
  ReadAccelerator(top, settings);
  const boost::json::value* types = top.Raw("instanceTypes");
  if (types != nullptr && (!types->is_object() || types->get_object().empty())) {
    top.Fail("instanceTypes", "expected types by their names",
             "write instanceTypes: {g6.4xlarge: {replicas: 1}}");
  }
  if (auto fine = top.Finish(); !fine) return std::move(fine).error();
  auto read = ReadTypes(types, common);
  if (!read) return std::move(read).error();
  settings.types = *std::move(read);
  return settings;
}

}  // namespace

Result<Settings> ReadSettings(std::string_view text, const std::string& file) {
  const auto document = yaml::ParseYamlWithPlaces(text, {.max_bytes = kMaxSettingsBytes});
  if (!document) return Error(document.error()).Within(file);
  auto settings = ReadDocument(document->value);
  if (settings) return settings;
  const auto& keys = settings.error().context();
  const TextPlace place = yaml::FindPlace(document->places, keys.empty() ? "" : keys.front());
  return Error(settings.error()).At(place).Within(file);
}

}  // namespace gs::machinesets
