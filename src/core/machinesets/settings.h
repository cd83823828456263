// Settings: which GPU machines somebody wants, whatever the cloud. Without any they are two types
// of one and of four L4s on AWS, one machine each, in the first zone that has workers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/taint.h"

namespace gs::machinesets {

// Sets of ours carry it; no other is ever changed or deleted.
inline constexpr std::string_view kOwnLabel = "gpu.scheduling/generated-by";
inline constexpr std::string_view kOwnLabelValue = "gpu-machinesets";

inline constexpr int kMaxReplicas = 1000;

enum class ZoneRule : std::uint8_t { kFirst, kAll, kListed };

struct Zones {
  ZoneRule rule = ZoneRule::kFirst;
  std::vector<std::string> listed;

  friend bool operator==(const Zones&, const Zones&) = default;
};

struct Spot {
  std::string max_price;  // per hour; empty: up to what the machine costs otherwise

  friend bool operator==(const Spot&, const Spot&) = default;
};

struct Autoscale {
  int min = 0;
  int max = 1;

  friend bool operator==(const Autoscale&, const Autoscale&) = default;
};

// GPUs that the cloud attaches to a machine without any: GCP's N1.
struct Attached {
  std::string type;
  int count = 1;

  friend bool operator==(const Attached&, const Attached&) = default;
};

// What is said of a type that the catalogue does not have. 0: nothing.
struct Counts {
  int gpus = 0;
  int vcpus = 0;
  std::int64_t memory_mib = 0;

  friend bool operator==(const Counts&, const Counts&) = default;
};

struct TypeWish {
  std::string type;
  std::optional<int> replicas;  // default: 1, or what autoscaling begins with
  Zones zones;
  std::optional<Spot> spot;
  std::optional<Autoscale> autoscale;
  std::int64_t disk_gib = 0;  // 0: as large as the workers'
  Counts counts;
  std::optional<Attached> attached;

  friend bool operator==(const TypeWish&, const TypeWish&) = default;
};

struct Settings {
  std::vector<TypeWish> types;
  std::optional<std::vector<model::Taint>> taints;           // default: the vendor's
  std::optional<std::map<std::string, std::string>> labels;  // of the nodes; default: the vendor's
  std::optional<std::string> accelerator;  // label's value; default: by the model; empty: no label

  friend bool operator==(const Settings&, const Settings&) = default;
};

[[nodiscard]] Settings DefaultSettings();

}  // namespace gs::machinesets
