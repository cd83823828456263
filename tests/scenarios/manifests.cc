#include "tests/scenarios/manifests.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <utility>

#include "adapters/gpu/machine_file.h"
#include "adapters/json/object_reader.h"
#include "adapters/kube/objects/decode.h"
#include "adapters/kube/objects/decode_storage.h"
#include "base/gpu_ids.h"
#include "core/model/names.h"

namespace gs::scenarios {
namespace {

namespace bj = boost::json;
using json::ObjectReader;

// More than a node can have: it is to be seen what becomes of one that says so.
constexpr std::int64_t kMostGpus = 5'000'000'000;

bj::object ObjectOf(ObjectReader& reader, std::string_view field) {
  const bj::value* value = reader.Raw(field);
  if (value == nullptr) return {};
  if (value->is_object()) return value->get_object();
  reader.Fail(field, "expected a map");
  return {};
}

void SetIfGiven(bj::object& object, std::string_view key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}

// "StatefulSet/web": the UID follows from it, so that pods of one owner agree.
bj::array OwnersOf(const std::string& owner) {
  const std::string kind = owner.substr(0, owner.find('/'));
  return {bj::object{{"kind", kind}, {"uid", "uid-" + owner}, {"controller", true}}};
}

bj::object MetadataOf(ObjectReader& reader) {
  bj::object metadata{{"name", reader.RequiredText("name")},
                      {"namespace", reader.Text("namespace", kNamespace)},
                      {"uid", "not-stored-yet"}};
  metadata["labels"] = ObjectOf(reader, "labels");
  return metadata;
}

bj::object PodMetadata(ObjectReader& reader, TimePoint created) {
  bj::object metadata = MetadataOf(reader);
  metadata["creationTimestamp"] = PrintTime(created);
  bj::object annotations = ObjectOf(reader, "annotations");
  SetIfGiven(annotations, model::names::kMap, reader.Text("map"));
  SetIfGiven(annotations, model::names::kClaim, reader.Text("claim"));
  metadata["annotations"] = std::move(annotations);
  const std::string owner = reader.Text("owner");
  if (!owner.empty()) metadata["ownerReferences"] = OwnersOf(owner);
  return metadata;
}

bj::object AmountsOf(ObjectReader& reader, std::string_view cpu, std::string_view memory) {
  bj::object amounts;
  SetIfGiven(amounts, "cpu", reader.Text("cpu", cpu));
  SetIfGiven(amounts, "memory", reader.Text("memory", memory));
  const std::int64_t gpus = reader.Int("gpus", {.min = 0, .max = kMostGpus}, 0);
  if (gpus > 0) amounts[model::names::kGpuResource] = gpus;
  for (const auto& [name, amount] : ObjectOf(reader, "resources")) amounts[name] = amount;
  return amounts;
}

bj::object PodSpec(ObjectReader& reader) {
  bj::object spec = ObjectOf(reader, "spec");
  spec["schedulerName"] = reader.Text("scheduler", "gpu-scheduler");
  SetIfGiven(spec, "nodeName", reader.Text("node"));
  spec["containers"] =
      bj::array{bj::object{{"name", "main"},
                           {"ports", reader.Array("ports")},
                           {"resources", {{"requests", AmountsOf(reader, "", "")}}}}};
  return spec;
}

model::GpuDevice DeviceOf(std::int32_t id) {
  model::GpuDevice device;
  device.id = GpuId(id);
  device.uuid = GpuUuid("GPU-" + std::to_string(id));
  return device;
}

Result<model::Machine> BaseMachine(const std::string& file, std::int64_t gpus,
                                   const std::filesystem::path& root) {
  if (!file.empty()) return gpu::LoadMachineFile(root / file);
  model::Machine machine;
  for (std::int32_t id = 0; id < gpus; ++id) machine.devices.push_back(DeviceOf(id));
  machine.links = model::LinkMatrix(machine.devices.size());
  return machine;
}

}  // namespace

Result<model::Pod> ReadPod(const bj::value& value, const std::string& path, TimePoint created) {
  ObjectReader reader(value, path);
  bj::object manifest;
  manifest["metadata"] = PodMetadata(reader, created);
  manifest["spec"] = PodSpec(reader);
  if (auto done = reader.Finish(); !done) return std::move(done).error();
  return kube::DecodePod(bj::serialize(manifest)).Within(path);
}

Result<model::Node> ReadNode(const bj::value& value, const std::string& path) {
  ObjectReader reader(value, path);
  bj::object manifest;
  manifest["metadata"] = MetadataOf(reader);
  bj::object spec{{"unschedulable", reader.Bool("unschedulable", false)}};
  spec["taints"] = reader.Array("taints");
  manifest["spec"] = std::move(spec);
  bj::object capacity = AmountsOf(reader, "64", "256Gi");
  capacity["pods"] = reader.Int("pods", {.min = 0, .max = 1000}, 110);
  bj::object allocatable = capacity;
  const std::int64_t gpus = reader.Int("allocatableGpus", {.min = -1, .max = kMostGpus}, -1);
  if (gpus >= 0) allocatable[model::names::kGpuResource] = gpus;
  manifest["status"] = bj::object{{"capacity", capacity}, {"allocatable", allocatable}};
  if (auto done = reader.Finish(); !done) return std::move(done).error();
  return kube::DecodeNode(bj::serialize(manifest)).Within(path);
}

Result<model::Claim> ReadClaim(const bj::value& value, const std::string& path) {
  ObjectReader reader(value, path);
  bj::object manifest;
  manifest["metadata"] = MetadataOf(reader);
  bj::object spec{{"devices", ObjectOf(reader, "devices")}};
  for (const char* part : {"topology", "selector"}) {
    if (reader.Raw(part) != nullptr) spec[part] = ObjectOf(reader, part);
  }
  manifest["spec"] = std::move(spec);
  if (auto done = reader.Finish(); !done) return std::move(done).error();
  return kube::DecodeClaim(bj::serialize(manifest)).Within(path);
}

Result<model::StorageObject> ReadStorage(const bj::value& value, const std::string& path) {
  if (!value.is_object()) return Error(ErrorKind::kInvalid, path + ": expected a map");
  bj::object manifest = value.get_object();
  bj::object metadata{{"namespace", kNamespace}};
  for (const char* field :
       {"name", "namespace", "labels", "annotations", "ownerReferences", "deletionTimestamp"}) {
    if (const bj::value* given = manifest.if_contains(field)) metadata[field] = *given;
    manifest.erase(field);
  }
  const bj::value* kind_field = manifest.if_contains("kind");
  const std::string kind =
      kind_field != nullptr && kind_field->is_string() ? kind_field->get_string().c_str() : "";
  manifest["metadata"] = std::move(metadata);
  if (kind == "PersistentVolume" && !manifest.contains("status")) {
    manifest["status"] = bj::object{{"phase", "Available"}};
  }
  const std::string text = bj::serialize(manifest);
  const auto as_storage = [&path](auto decoded) -> Result<model::StorageObject> {
    if (!decoded) return std::move(decoded).error().Within(path);
    return model::StorageObject(*std::move(decoded));
  };
  if (kind == "PersistentVolumeClaim") return as_storage(kube::DecodeVolumeClaim(text));
  if (kind == "PersistentVolume") return as_storage(kube::DecodeVolume(text));
  if (kind == "StorageClass") return as_storage(kube::DecodeStorageClass(text));
  if (kind == "CSINode") return as_storage(kube::DecodeNodeDrivers(text));
  if (kind == "CSIDriver") return as_storage(kube::DecodeStorageDriver(text));
  if (kind == "CSIStorageCapacity") return as_storage(kube::DecodeStorageCapacity(text));
  if (kind == "VolumeAttachment") return as_storage(kube::DecodeVolumeAttachment(text));
  return Error(ErrorKind::kInvalid, path + ".kind: is no kind of storage");
}

Result<LabelledNamespace> ReadNamespace(const bj::value& value, const std::string& path) {
  ObjectReader reader(value, path);
  LabelledNamespace result{Namespace(reader.RequiredText("name")), {}};
  for (const auto& [name, label] : ObjectOf(reader, "labels")) {
    if (label.is_string()) result.labels.Set(name, std::string(label.get_string()));
  }
  if (auto done = reader.Finish(); !done) return std::move(done).error();
  return result;
}

Result<ReportedMachine> ReadMachine(const bj::value& value, const std::string& path,
                                    const std::filesystem::path& root) {
  ObjectReader reader(value, path);
  const NodeName node(reader.RequiredText("node"));
  const std::string file = reader.Text("file");
  const std::int64_t gpus = reader.Int("gpus", {.min = 0, .max = 64}, 0);
  const std::string unhealthy = reader.Text("unhealthy");
  const std::vector<std::string> uuids = reader.Texts("uuids");
  const bj::object residue = ObjectOf(reader, "residue");
  if (auto done = reader.Finish(); !done) return std::move(done).error();
  auto machine = BaseMachine(file, gpus, root);
  if (!machine) return std::move(machine).error();
  auto ill =
      unhealthy.empty() ? Result<std::vector<GpuId>>(std::vector<GpuId>()) : ParseGpuIds(unhealthy);
  if (!ill) return std::move(ill).error().Within(path);
  for (std::size_t i = 0; i < machine->devices.size(); ++i) {
    model::GpuDevice& device = machine->devices[i];
    if (std::count(ill->begin(), ill->end(), device.id) > 0) {
      device.health = model::Health::kUnhealthy;
    }
    if (i < uuids.size()) device.uuid = GpuUuid(uuids[i]);
  }
  for (const auto& [pod, ids] : residue) {
    const auto left_on = ParseGpuIds(ids.is_string() ? std::string(ids.get_string()) : "");
    if (!left_on) return Error(left_on.error()).Within(path + ".residue");
    for (model::GpuDevice& device : machine->devices) {
      if (std::count(left_on->begin(), left_on->end(), device.id) == 0) continue;
      device.residue.push_back(PodUid(std::string(pod)));
    }
  }
  return ReportedMachine{node, *std::move(machine)};
}

}  // namespace gs::scenarios
