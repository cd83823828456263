#include "adapters/localcluster/controllers/volumes.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <utility>

#include "adapters/localcluster/objects/metadata.h"
#include "base/quantity.h"

namespace gs::localcluster {
namespace {

constexpr std::string_view kDefaultClass = "storageclass.kubernetes.io/is-default-class";
constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";

std::optional<Quantity> SizeAt(const Json& from, Path path) {
  const auto size = Quantity::Parse(Text(from, path));
  if (!size) return std::nullopt;
  return *size;
}

bool IsFor(const Json& volume, const Json& claim) {
  const auto uid = Text(volume, {"spec", "claimRef", "uid"});
  return Text(volume, {"spec", "claimRef", "name"}) == NameOf(claim) &&
         Text(volume, {"spec", "claimRef", "namespace"}) == NamespaceOf(claim) &&
         (uid.empty() || uid == UidOf(claim));
}

bool HasModes(const Json& volume, const Json& claim) {
  const auto& offered = Items(volume, {"spec", "accessModes"});
  const auto& asked = Items(claim, {"spec", "accessModes"});
  return std::all_of(asked.begin(), asked.end(), [&](const Json& mode) {
    return std::find(offered.begin(), offered.end(), mode) != offered.end();
  });
}

const Json* ClassOf(const Json& claim, const VolumeView& view) {
  const Json* named = Find(claim, {"spec", "storageClassName"});
  for (const Json& each : view.classes) {
    const bool is_it = named != nullptr ? NameOf(each) == Text(*named, {})
                                        : AnnotationOf(each, kDefaultClass) == "true";
    if (is_it) return &each;
  }
  return nullptr;
}

// The smallest that is free and large enough; one that was made for the claim before any other.
const Json* FindVolume(const Json& claim, std::string_view class_name, const VolumeView& view) {
  const auto asked = SizeAt(claim, {"spec", "resources", "requests", "storage"});
  const auto named = Text(claim, {"spec", "volumeName"});
  const Json* best = nullptr;
  for (const Json& volume : view.volumes) {
    if (IsFor(volume, claim)) return &volume;
    if (!named.empty() && NameOf(volume) != named) continue;
    const auto size = SizeAt(volume, {"spec", "capacity", "storage"});
    const bool fits = Find(volume, {"spec", "claimRef"}) == nullptr && !IsBeingDeleted(volume) &&
                      Text(volume, {"spec", "storageClassName"}) == class_name &&
                      HasModes(volume, claim) && asked && size && *size >= *asked;
    if (!fits) continue;
    if (best == nullptr || *size < *SizeAt(*best, {"spec", "capacity", "storage"})) best = &volume;
  }
  return best;
}

boost::json::object ClaimReference(const Json& claim) {
  return {{"apiVersion", "v1"},
          {"kind", "PersistentVolumeClaim"},
          {"namespace", NamespaceOf(claim)},
          {"name", NameOf(claim)},
          {"uid", UidOf(claim)}};
}

Json NewVolume(const Json& claim, const Json& storage_class) {
  Json volume{{"apiVersion", "v1"}, {"kind", "PersistentVolume"}};
  Make(volume, {"metadata"})["name"] = "pvc-" + std::string(UidOf(claim));
  Make(volume, {"metadata", "annotations"})["pv.kubernetes.io/provisioned-by"] =
      kSimulatedProvisioner;
  auto& spec = Make(volume, {"spec"});
  spec["capacity"] =
      boost::json::object{{"storage", Text(claim, {"spec", "resources", "requests", "storage"})}};
  spec["accessModes"] = Items(claim, {"spec", "accessModes"});
  spec["claimRef"] = ClaimReference(claim);
  spec["persistentVolumeReclaimPolicy"] = Text(storage_class, {"reclaimPolicy"}, "Delete");
  spec["storageClassName"] = NameOf(storage_class);
  spec["volumeMode"] = Text(claim, {"spec", "volumeMode"}, "Filesystem");
  spec["hostPath"] = boost::json::object{{"path", "/nowhere"}};
  return volume;
}

Reconciled BindTo(const Json& claim, const Json& volume) {
  Reconciled reconciled;
  if (Text(volume, {"spec", "claimRef", "uid"}) != UidOf(claim)) {
    Json taken = volume;
    Make(taken, {"spec"})["claimRef"] = ClaimReference(claim);
    reconciled.writes.push_back(Update(std::move(taken)));
  }
  if (Text(claim, {"spec", "volumeName"}) != NameOf(volume)) {
    Json bound = claim;
    Make(bound, {"spec"})["volumeName"] = NameOf(volume);
    Make(bound, {"metadata", "annotations"})["pv.kubernetes.io/bind-completed"] = "yes";
    reconciled.writes.push_back(Update(std::move(bound)));
    return reconciled;
  }
  Json status = Members(claim, {"status"});
  Make(status, {})["phase"] = "Bound";
  Make(status, {})["accessModes"] = Items(volume, {"spec", "accessModes"});
  Make(status, {})["capacity"] = Members(volume, {"spec", "capacity"});
  WriteStatusIfChanged(reconciled, claim, std::move(status));
  return reconciled;
}

Reconciled SetPhase(const Json& object, std::string_view phase) {
  Reconciled reconciled;
  Json status = Members(object, {"status"});
  Make(status, {})["phase"] = phase;
  WriteStatusIfChanged(reconciled, object, std::move(status));
  return reconciled;
}

}  // namespace

Json DefaultStorageClass() {
  return {{"apiVersion", "storage.k8s.io/v1"},
          {"kind", "StorageClass"},
          {"metadata",
           {{"name", "standard"}, {"annotations", boost::json::object{{kDefaultClass, "true"}}}}},
          {"provisioner", kSimulatedProvisioner},
          {"reclaimPolicy", "Delete"},
          {"volumeBindingMode", "Immediate"}};
}

Reconciled ReconcileClaim(const Json& claim, const VolumeView& view) {
  if (IsBeingDeleted(claim) || Text(claim, {"status", "phase"}) == "Bound") return {};
  const Json* storage_class = ClassOf(claim, view);
  const auto class_name =
      storage_class == nullptr ? Text(claim, {"spec", "storageClassName"}) : NameOf(*storage_class);
  // Until a node is selected only a volume that names the claim is its own: the scheduler chooses.
  const bool waits = storage_class != nullptr &&
                     Text(*storage_class, {"volumeBindingMode"}) == "WaitForFirstConsumer" &&
                     AnnotationOf(claim, kSelectedNode).empty() &&
                     Text(claim, {"spec", "volumeName"}).empty();
  if (const Json* volume = FindVolume(claim, class_name, view); volume != nullptr) {
    if (!waits || IsFor(*volume, claim)) return BindTo(claim, *volume);
  }
  const bool is_ours =
      storage_class != nullptr && Text(*storage_class, {"provisioner"}) == kSimulatedProvisioner;
  if (!is_ours || waits) return SetPhase(claim, "Pending");
  Reconciled reconciled;
  reconciled.writes.push_back(Create(NewVolume(claim, *storage_class)));
  return reconciled;
}

Reconciled ReconcileVolume(const Json& volume, const Json* claim) {
  if (IsBeingDeleted(volume)) return {};
  if (Find(volume, {"spec", "claimRef"}) == nullptr) return SetPhase(volume, "Available");
  if (claim != nullptr && IsFor(volume, *claim)) return SetPhase(volume, "Bound");
  const bool was_bound = !Text(volume, {"spec", "claimRef", "uid"}).empty();
  if (!was_bound) return SetPhase(volume, "Available");
  if (Text(volume, {"spec", "persistentVolumeReclaimPolicy"}) != "Delete") {
    return SetPhase(volume, "Released");
  }
  Reconciled reconciled;
  reconciled.writes.push_back(Delete(volume));
  return reconciled;
}

}  // namespace gs::localcluster
