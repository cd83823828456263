#include "core/machinesets/plan.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "core/machinesets/catalogue.h"
#include "core/machinesets/set_name.h"

namespace gs::machinesets {
namespace {

using Templates = std::vector<const PresentSet*>;

Error Refused(std::string message) { return {ErrorKind::kInvalid, std::move(message)}; }

// --- which worker sets
// -----------------------------------------------------------------------------

bool IsTemplate(const Cluster& cluster, const PresentSet& set) {
  const bool is_worker = set.role == "worker" || set.role == "edge";
  return is_worker && !set.is_ours && !set.has_accelerator && !set.is_windows &&
         set.infrastructure == cluster.infrastructure;
}

// Sets that have machines are known to work, so they come first; then by name.
Templates TemplatesOf(const Cluster& cluster, const std::vector<PresentSet>& present) {
  Templates templates;
  for (const PresentSet& set : present) {
    if (IsTemplate(cluster, set)) templates.push_back(&set);
  }
  std::sort(templates.begin(), templates.end(), [](const PresentSet* a, const PresentSet* b) {
    if ((a->replicas > 0) != (b->replicas > 0)) return a->replicas > 0;
    return a->name < b->name;
  });
  return templates;
}

Result<void> CheckTemplates(const Cluster& cluster, const Templates& templates) {
  const bool has_worker = std::any_of(templates.begin(), templates.end(),
                                      [](const auto* set) { return set->role == "worker"; });
  if (!has_worker) {
    return Error(ErrorKind::kNotFound,
                 "there is no worker MachineSet without GPUs for " + cluster.infrastructure)
        .Advise(
            "GPU sets inherit network, image and rights from one: keep one, perhaps with 0 "
            "replicas");
  }
  for (const PresentSet* set : templates) {
    if (!set->is_cluster_api) continue;
    return Error(ErrorKind::kUnsupported,
                 "MachineSet " + set->name + " has authoritativeAPI: ClusterAPI")
        .Advise(
            "its Machine API copy is read-only: set authoritativeAPI to MachineAPI, or make GPU "
            "sets with Cluster API");
  }
  return {};
}

std::string ZonesOf(const Templates& templates) {
  std::set<std::string> zones;
  for (const PresentSet* set : templates) zones.insert(set->zone);
  return text::Join(zones, ", ", [](const std::string& zone) { return zone; });
}

const PresentSet* FirstIn(const Templates& templates, const std::string& zone) {
  const auto found = std::find_if(templates.begin(), templates.end(),
                                  [&](const auto* set) { return set->zone == zone; });
  return found == templates.end() ? nullptr : *found;
}

Result<Templates> ListedZones(const Templates& templates, const std::vector<std::string>& zones) {
  Templates chosen;
  for (const std::string& zone : zones) {
    const PresentSet* set = FirstIn(templates, zone);
    if (set == nullptr) {
      return Error(ErrorKind::kNotFound, "zone " + zone + " has no worker MachineSet")
          .Advise("there are workers in " + ZonesOf(templates));
    }
    chosen.push_back(set);
  }
  return chosen;
}

// Local zones have workers of the role edge. They cost more and have few types, so they are taken
// only where somebody names them.
Result<Templates> InZones(const Templates& templates, const Zones& zones) {
  if (zones.rule == ZoneRule::kListed) return ListedZones(templates, zones.listed);
  Templates chosen;
  std::set<std::string> seen;
  for (const PresentSet* set : templates) {
    if (set->role == "worker" && seen.insert(set->zone).second) chosen.push_back(set);
  }
  if (zones.rule == ZoneRule::kFirst) chosen.resize(1);
  std::sort(chosen.begin(), chosen.end(), [](const auto* a, const auto* b) {
    return std::pair(a->zone, a->name) < std::pair(b->zone, b->name);
  });
  return chosen;
}

// --- which type
// ------------------------------------------------------------------------------------

// A type as it will be used; from the catalogue, from what the settings say, or from both.
struct Shape {
  std::string api_name;
  int gpus = 0;
  Vendor vendor = Vendor::kNvidia;
  std::string model;  // empty: not known
  int vcpus = 0;      // 0: not known, and so is the memory
  std::int64_t memory_mib = 0;
  std::optional<Arch> arch;
  std::string note;
};

// Fractions of a GPU are no GPU that a pod could be given.
bool IsFraction(Platform platform, std::string_view type) {
  return platform == Platform::kAws && (type.starts_with("g6f.") || type.starts_with("gr6f."));
}

Error UnknownType(Platform platform, const std::string& type) {
  for (const Platform other : {Platform::kAws, Platform::kAzure, Platform::kGcp}) {
    if (other == platform || FindInstanceType(other, type) == nullptr) continue;
    return Refused("is a type of " + std::string(ToString(other)) + ", and this cluster runs on " +
                   std::string(ToString(platform)))
        .Advise("gpu-machinesets types lists those of " + std::string(ToString(platform)));
  }
  return Refused("is not in the catalogue of " + std::string(ToString(platform)))
      .Advise(
          "gpu-machinesets types lists what is; for others, say gpus (and vcpus and memoryMiB "
          "so that it can grow from no machine)");
}

Result<void> Attach(Platform platform, const Attached& attached, Shape& shape) {
  const AttachedGpu* gpu = FindAttachedGpu(attached.type);
  if (platform != Platform::kGcp || shape.gpus > 0) {
    return Refused("attached goes with GCP's N1 machines only");
  }
  if (gpu == nullptr) {
    return Refused(attached.type + " cannot be attached")
        .Advise("write one of " + AttachedGpuNames());
  }
  shape.gpus = attached.count;
  shape.model = gpu->model;
  return {};
}

void AddCounts(const Counts& counts, Shape& shape) {
  if (counts.gpus > 0) shape.gpus = counts.gpus;
  if (counts.vcpus > 0) shape.vcpus = counts.vcpus;
  if (counts.memory_mib > 0) shape.memory_mib = counts.memory_mib;
}

Result<Shape> ShapeOf(Platform platform, const TypeWish& wish) {
  const InstanceType* known = FindInstanceType(platform, wish.type);
  if (IsFraction(platform, wish.type)) {
    return Error(ErrorKind::kUnsupported, "has a fraction of a GPU").Advise("choose g6 or gr6");
  }
  Shape shape;
  shape.api_name = ApiNameOf(platform, wish.type);
  if (known != nullptr) {
    shape = {.api_name = std::string(known->name),
             .gpus = known->gpus,
             .vendor = known->vendor,
             .model = std::string(known->model),
             .vcpus = known->vcpus,
             .memory_mib = known->memory_mib,
             .arch = known->arch,
             .note = std::string(known->note)};
  } else if (wish.counts.gpus == 0) {
    return UnknownType(platform, wish.type);
  }
  if (wish.attached) {
    if (auto fine = Attach(platform, *wish.attached, shape); !fine) return std::move(fine).error();
  }
  AddCounts(wish.counts, shape);
  if (shape.gpus == 0) {
    return Refused("has no GPU of its own")
        .Advise(
            "say which to attach: attached: {type: "
            "nvidia-tesla-t4, count: 1}");
  }
  return shape;
}

// --- what a set is made of
// -------------------------------------------------------------------------

std::string PrefixOf(Vendor vendor) { return std::string(ToString(vendor)) + ".com/"; }

std::map<std::string, std::string> LabelsOf(const Settings& settings, const Shape& shape,
                                            const std::string& accelerator) {
  auto labels = settings.labels.value_or(std::map<std::string, std::string>{
      {"node-role.kubernetes.io/gpu", ""}, {PrefixOf(shape.vendor) + "gpu.present", "true"}});
  if (!accelerator.empty()) labels["cluster-api/accelerator"] = accelerator;
  return labels;
}

std::vector<model::Taint> TaintsOf(const Settings& settings, Vendor vendor) {
  return settings.taints.value_or(std::vector<model::Taint>{
      {PrefixOf(vendor) + "gpu", "true", model::TaintEffect::kNoSchedule}});
}

// The cluster autoscaler reads those of the second group; the operator that runs it copies the
// first ones there, but only for types that it knows itself.
std::map<std::string, std::string> CapacitiesOf(const Shape& shape, const PlannedSet& set,
                                                Arch arch) {
  if (shape.vcpus == 0 || shape.memory_mib == 0) return {};
  const std::string gpus = std::to_string(set.gpus);
  const std::string vcpus = std::to_string(shape.vcpus);
  const std::string memory = std::to_string(shape.memory_mib);
  const std::string capacity = "capacity.cluster-autoscaler.kubernetes.io/";
  std::string labels = "kubernetes.io/arch=" + std::string(ToString(arch));
  for (const auto& [key, value] : set.labels) labels += "," + key + "=" + value;
  std::map<std::string, std::string> capacities{
      {"machine.openshift.io/vCPU", vcpus},
      {"machine.openshift.io/memoryMb", memory},
      {"machine.openshift.io/GPU", gpus},
      {capacity + "cpu", vcpus},
      {capacity + "memory", memory + "Mi"},
      {capacity + "gpu-count", gpus},
      {capacity + "gpu-type", PrefixOf(shape.vendor) + "gpu"},
      {std::string(kCapacityLabels), labels},
  };
  if (!set.taints.empty()) {
    capacities[capacity + "taints"] =
        text::Join(set.taints, ",", [](const model::Taint& taint) { return ToString(taint); });
  }
  return capacities;
}

int ReplicasOf(const TypeWish& wish) {
  if (!wish.autoscale) return wish.replicas.value_or(1);
  return std::clamp(wish.replicas.value_or(wish.autoscale->min), wish.autoscale->min,
                    wish.autoscale->max);
}

Result<void> CheckArch(const Shape& shape, const PresentSet& base) {
  if (!shape.arch || *shape.arch == base.arch) return {};
  return Refused("is " + std::string(ToString(*shape.arch)) + ", and MachineSet " + base.name +
                 " boots images for " + std::string(ToString(base.arch)))
      .Advise("add a worker set of that architecture, or choose another type");
}

// GCP's field for spot machines came with OpenShift 4.21; where it is not known, nobody complains.
std::string NoteOn(const Cluster& cluster, const TypeWish& wish, const Shape& shape) {
  if (!wish.spot || cluster.platform != Platform::kGcp) return shape.note;
  return shape.note + (shape.note.empty() ? "" : "; ") +
         "before OpenShift 4.21 these are no spot machines";
}

PlannedSet Assemble(const Cluster& cluster, const Settings& settings, const TypeWish& wish,
                    const Shape& shape, const PresentSet& base) {
  PlannedSet set;
  set.name = SetNameOf(cluster.infrastructure, shape.api_name, base.zone);
  set.based_on = base.name;
  set.role = base.role;
  set.zone = base.zone;
  set.type = shape.api_name;
  set.gpus = shape.gpus;
  set.vendor = shape.vendor;
  set.replicas = ReplicasOf(wish);
  set.spot = wish.spot;
  set.autoscale = wish.autoscale;
  set.attached = wish.attached;
  set.disk_gib = wish.disk_gib;
  const std::string by_model = shape.model.empty() ? "" : AcceleratorOf(shape.vendor, shape.model);
  set.accelerator = settings.accelerator.value_or(by_model);
  set.labels = LabelsOf(settings, shape, set.accelerator);
  set.taints = TaintsOf(settings, shape.vendor);
  set.capacities = CapacitiesOf(shape, set, base.arch);
  set.note = NoteOn(cluster, wish, shape);
  return set;
}

Result<std::vector<PlannedSet>> PlanType(const Cluster& cluster, const Templates& templates,
                                         const Settings& settings, const TypeWish& wish) {
  auto shape = ShapeOf(cluster.platform, wish);
  if (!shape) return std::move(shape).error();
  if (wish.spot && !wish.spot->max_price.empty() && cluster.platform == Platform::kGcp) {
    return Refused("GCP has no highest price for spot machines").Advise("leave maxPrice out");
  }
  auto chosen = InZones(templates, wish.zones);
  if (!chosen) return std::move(chosen).error();
  std::vector<PlannedSet> planned;
  for (const PresentSet* base : *chosen) {
    if (auto fine = CheckArch(*shape, *base); !fine) return std::move(fine).error();
    planned.push_back(Assemble(cluster, settings, wish, *shape, *base));
  }
  return planned;
}

}  // namespace

Result<std::vector<PlannedSet>> Plan(const Cluster& cluster, const std::vector<PresentSet>& present,
                                     const Settings& settings) {
  const Templates templates = TemplatesOf(cluster, present);
  if (auto fine = CheckTemplates(cluster, templates); !fine) return std::move(fine).error();
  std::vector<PlannedSet> planned;
  std::set<std::string> names;
  for (const TypeWish& wish : settings.types) {
    const std::string what = "instance type " + wish.type;
    auto sets = PlanType(cluster, templates, settings, wish);
    if (!sets) return std::move(sets).error().Within(what);
    for (PlannedSet& set : *sets) {
      if (!names.insert(set.name).second) {
        return Refused("a second MachineSet would be called " + set.name).Within(what);
      }
      planned.push_back(std::move(set));
    }
  }
  return planned;
}

}  // namespace gs::machinesets
