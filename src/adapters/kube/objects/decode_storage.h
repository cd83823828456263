// Claims, volumes, classes and drivers of storage as JSON text to the values of core/model; as
// decode.h does it for the other kinds.
#pragma once

#include <string_view>

#include "base/result.h"
#include "core/model/storage.h"

namespace gs::kube {

[[nodiscard]] Result<model::VolumeClaim> DecodeVolumeClaim(std::string_view json);
[[nodiscard]] Result<model::Volume> DecodeVolume(std::string_view json);
[[nodiscard]] Result<model::StorageClass> DecodeStorageClass(std::string_view json);
// A CSINode.
[[nodiscard]] Result<model::NodeDrivers> DecodeNodeDrivers(std::string_view json);
// A CSIDriver.
[[nodiscard]] Result<model::StorageDriver> DecodeStorageDriver(std::string_view json);
// A CSIStorageCapacity.
[[nodiscard]] Result<model::StorageCapacity> DecodeStorageCapacity(std::string_view json);

}  // namespace gs::kube
