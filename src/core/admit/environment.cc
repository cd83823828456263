#include "core/admit/environment.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "base/gpu_ids.h"
#include "core/admit/variables.h"
#include "core/model/names.h"

namespace gs::admit {
namespace {

namespace names = model::names;

bool RequestsGpus(const Container& container) {
  return container.gpus > 0 || container.has_gpu_parts;
}

EnvVariable Text(std::string_view name, std::string value) {
  return {std::string(name), ValueSource::kText, std::move(value)};
}

EnvVariable FromAnnotation(std::string_view name, std::string_view annotation) {
  return {std::string(name), ValueSource::kAnnotation, std::string(annotation)};
}

// "0,1,2". Refusals limit the count.
std::string FirstIds(std::int64_t count) {
  std::vector<GpuId> ids;
  ids.reserve(static_cast<std::size_t>(count));
  for (std::int32_t id = 0; id < count; ++id) ids.emplace_back(id);
  return PrintGpuIds(ids);
}

Environment Direct(Handover handover) {
  if (handover == Handover::kUuid) {
    return {.set = {FromAnnotation(kRuntimeDevicesVariable, names::kUuids)},
            .unset = {names::kVisibleDevicesVariable}};
  }
  // NVIDIA_VISIBLE_DEVICES stays: it may be what brings the GPUs into the container at all.
  return {.set = {FromAnnotation(names::kVisibleDevicesVariable, names::kVisibleDevices),
                  Text(kDeviceOrderVariable, "PCI_BUS_ID")},
          .unset = {}};
}

// The user's value of NVIDIA_VISIBLE_DEVICES would win over the device plugin's. What parts are
// called inside a container is for the plugin to say.
Environment Counted(std::int64_t gpus) {
  if (gpus == 0) return {.set = {}, .unset = {kRuntimeDevicesVariable}};
  return {.set = {Text(names::kVisibleDevicesVariable, FirstIds(gpus))},
          .unset = {kRuntimeDevicesVariable}};
}

// Many images say NVIDIA_VISIBLE_DEVICES=all, so leaving it out would not be enough.
Environment Nothing() {
  return {.set = {Text(names::kVisibleDevicesVariable, ""), Text(kRuntimeDevicesVariable, "void")},
          .unset = {}};
}

// What is to become of one variable that is there.
class Sorter {
 public:
  explicit Sorter(const Environment& wanted) : wanted_(wanted), is_found_(wanted.set.size()) {}

  // The variable that stands in its place afterwards; null: none, it is to go.
  const EnvVariable* Replacement(const EnvVariable& present) {
    if (std::find(wanted_.unset.begin(), wanted_.unset.end(), present.name) !=
        wanted_.unset.end()) {
      return nullptr;
    }
    for (std::size_t i = 0; i < wanted_.set.size(); ++i) {
      if (wanted_.set[i].name != present.name) continue;
      if (is_found_[i]) return nullptr;
      is_found_[i] = true;
      return &wanted_.set[i];
    }
    return &present;
  }

  [[nodiscard]] std::vector<EnvVariable> Missing() const {
    std::vector<EnvVariable> missing;
    for (std::size_t i = 0; i < wanted_.set.size(); ++i) {
      if (!is_found_[i]) missing.push_back(wanted_.set[i]);
    }
    return missing;
  }

 private:
  const Environment& wanted_;
  std::vector<bool> is_found_;
};

}  // namespace

GpuKind GpuKindOf(const Review& review) {
  const bool is_counted =
      std::any_of(review.containers.begin(), review.containers.end(), RequestsGpus) ||
      std::any_of(review.init_containers.begin(), review.init_containers.end(), RequestsGpus);
  if (is_counted) return GpuKind::kCounted;
  const bool names_gpus = review.annotations.Find(names::kMap) != nullptr ||
                          review.annotations.Find(names::kClaim) != nullptr;
  return names_gpus ? GpuKind::kDirect : GpuKind::kNone;
}

Environment EnvironmentFor(const Container& container, GpuKind kind, Handover handover) {
  if (kind == GpuKind::kDirect) return Direct(handover);
  if (kind == GpuKind::kCounted && RequestsGpus(container)) return Counted(container.gpus);
  return Nothing();
}

void AppendChanges(const std::string& path, const std::vector<EnvVariable>& env,
                   const Environment& wanted, Patch& patch) {
  const std::string list = path + "/env";
  if (env.empty()) {
    if (!wanted.set.empty()) patch.push_back({PatchVerb::kAdd, list, wanted.set});
    return;
  }
  Sorter sorter(wanted);
  std::vector<std::size_t> leaving;
  for (std::size_t i = 0; i < env.size(); ++i) {
    const EnvVariable* after = sorter.Replacement(env[i]);
    if (after == nullptr) leaving.push_back(i);
    if (after == nullptr || *after == env[i]) continue;
    patch.push_back({PatchVerb::kReplace, list + "/" + std::to_string(i), *after});
  }
  // From the end, so that the positions of the others stay what they are.
  for (auto i = leaving.rbegin(); i != leaving.rend(); ++i) {
    patch.push_back({PatchVerb::kRemove, list + "/" + std::to_string(*i), {}});
  }
  const auto missing = sorter.Missing();
  for (auto variable = missing.rbegin(); variable != missing.rend(); ++variable) {
    patch.push_back({PatchVerb::kAdd, list + "/0", *variable});
  }
}

}  // namespace gs::admit
