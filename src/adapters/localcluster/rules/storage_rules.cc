#include "adapters/localcluster/rules/storage_rules.h"

#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/rules/quantities.h"
#include "adapters/localcluster/store/object_text.h"

namespace gs::localcluster {
namespace {

namespace json = boost::json;

constexpr std::string_view kDefaultClass = "storageclass.kubernetes.io/is-default-class";

void DefaultClaimSpec(json::object& spec) {
  SetDefault(spec, "volumeMode", "Filesystem");
  auto& resources = Make(spec, {"resources"});
  CanonicalQuantities(resources, "requests");
  CanonicalQuantities(resources, "limits");
}

}  // namespace

void DefaultClaimTemplate(json::object& claim) {
  SetDefault(claim, "kind", "PersistentVolumeClaim");
  SetDefault(claim, "apiVersion", "v1");
  DefaultClaimSpec(Make(claim, {"spec"}));
  SetDefault(Make(claim, {"status"}), "phase", "Pending");
}

void DefaultNewClaim(const Store& store, json::object& claim) {
  claim["status"] = json::object{{"phase", "Pending"}};
  auto& spec = Make(claim, {"spec"});
  DefaultClaimSpec(spec);
  if (Find(spec, {"storageClassName"}) != nullptr) return;
  for (const auto& candidate : store.List("storageclasses.storage.k8s.io").objects) {
    const auto object = ParseStored(candidate->text);
    if (Text(object, {"metadata", "annotations", kDefaultClass}) == "true") {
      spec["storageClassName"] = candidate->name;
    }
  }
}

void DefaultNewVolume(json::object& volume) {
  auto& spec = Make(volume, {"spec"});
  SetDefault(spec, "persistentVolumeReclaimPolicy", "Retain");
  SetDefault(spec, "volumeMode", "Filesystem");
  CanonicalQuantities(spec, "capacity");
  volume["status"] = json::object{{"phase", "Pending"}};
}

void DefaultStorageClass(json::object& storage_class) {
  SetDefault(storage_class, "reclaimPolicy", "Delete");
  SetDefault(storage_class, "volumeBindingMode", "Immediate");
}

}  // namespace gs::localcluster
