#include "core/model/storage.h"

namespace gs::model {
namespace {

struct Title {
  std::string operator()(const VolumeClaim& claim) const {
    return "volume claim " + InNamespace(claim.ns, claim.name);
  }
  std::string operator()(const Volume& volume) const { return "volume " + volume.name; }
  std::string operator()(const StorageClass& kind) const { return "storage class " + kind.name; }
  std::string operator()(const NodeDrivers& drivers) const {
    return "drivers of " + drivers.node.text();
  }
  std::string operator()(const StorageDriver& driver) const {
    return "storage driver " + driver.name;
  }
  std::string operator()(const StorageCapacity& capacity) const {
    return "storage capacity " + InNamespace(capacity.ns, capacity.name);
  }
  std::string operator()(const VolumeAttachment& attachment) const {
    return "volume attachment " + attachment.name;
  }
};

}  // namespace

std::string ToString(const StorageObject& object) { return std::visit(Title{}, object); }

std::string InNamespace(const Namespace& ns, const std::string& name) {
  return ns.empty() ? name : ns.text() + "/" + name;
}

}  // namespace gs::model
