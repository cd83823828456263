// Claims, volumes, classes and drivers of storage as JSON text to the values of core/model; as
// decode.h does it for the other kinds.
#pragma once

#include "adapters/kube/objects/json_source.h"
#include "base/result.h"
#include "core/model/storage.h"

namespace gs::kube {

[[nodiscard]] Result<model::VolumeClaim> DecodeVolumeClaim(const JsonSource& json);
[[nodiscard]] Result<model::Volume> DecodeVolume(const JsonSource& json);
[[nodiscard]] Result<model::StorageClass> DecodeStorageClass(const JsonSource& json);
// A CSINode.
[[nodiscard]] Result<model::NodeDrivers> DecodeNodeDrivers(const JsonSource& json);
// A CSIDriver.
[[nodiscard]] Result<model::StorageDriver> DecodeStorageDriver(const JsonSource& json);
// A CSIStorageCapacity.
[[nodiscard]] Result<model::StorageCapacity> DecodeStorageCapacity(const JsonSource& json);
[[nodiscard]] Result<model::VolumeAttachment> DecodeVolumeAttachment(const JsonSource& json);

}  // namespace gs::kube
