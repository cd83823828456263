#include "programs/machinesets/generate.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <map>
#include <memory>
#include <ostream>
#include <set>
#include <utility>

#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/objects/metadata.h"
#include "adapters/machinesets/cluster_objects.h"
#include "adapters/machinesets/documents.h"
#include "adapters/yaml/print.h"
#include "base/text.h"
#include "programs/machinesets/cluster_api.h"
#include "programs/machinesets/columns.h"
#include "programs/machinesets/narration.h"

namespace gs::machinesets {
namespace {

using boost::json::object;
using boost::json::value;
using ByName = std::map<std::string, value>;

constexpr int kAttempts = 5;  // where others write at the same time

bool IsOurs(const value& live) { return localcluster::LabelOf(live, kOwnLabel) == kOwnLabelValue; }

// Versions and bookkeeping aside. A dry run answers with the version that is there.
bool IsSame(const value& a, const value& b) {
  for (const std::string_view field : {"labels", "annotations"}) {
    if (localcluster::Members(a, {"metadata", field}) !=
        localcluster::Members(b, {"metadata", field})) {
      return false;
    }
  }
  return localcluster::Members(a, {"spec"}) == localcluster::Members(b, {"spec"});
}

// Whether everything that is wanted is there; what else is there does not matter.
bool IsIn(const value& live, const value& wanted) {
  const object* members = wanted.if_object();
  if (members == nullptr) return live == wanted;
  return live.is_object() && std::all_of(members->begin(), members->end(), [&](const auto& each) {
           const value* there = live.get_object().if_contains(each.key());
           return there != nullptr && IsIn(*there, each.value());
         });
}

ByName Named(std::vector<value> objects) {
  ByName named;
  for (value& each : objects) named[std::string(localcluster::NameOf(each))] = std::move(each);
  return named;
}

class Generator {
 public:
  Generator(const Options& options, ClusterObjects objects, std::vector<PlannedSet> plan,
            ClusterApi* api, Narration narration)
      : options_(options),
        objects_(std::move(objects)),
        plan_(std::move(plan)),
        api_(api),
        say_(narration) {}

  Result<void> Run() {
    say_.Begin(objects_.cluster, plan_);
    if (auto fine = ReadAutoscalers(); !fine) return fine;
    for (const PlannedSet& set : plan_) {
      MakeSet(set);
      if (set.autoscale) MakeAutoscaler(set);
    }
    MakeClusterWide();
    HandleUnwanted();
    say_.End(done_);
    return {};
  }

  [[nodiscard]] const std::vector<object>& documents() const { return documents_; }
  [[nodiscard]] const std::vector<Done>& done() const { return done_; }

 private:
  [[nodiscard]] bool IsAutoscaled() const {
    for (const PlannedSet& set : plan_) {
      if (set.autoscale) return true;
    }
    return false;
  }

  void Finish(Done done, std::string_view why = "") {
    say_.Tell(done, why);
    done_.push_back(std::move(done));
  }

  // Clusters without the operator for autoscaling do not have the kind.
  Result<void> ReadAutoscalers() {
    if (api_ == nullptr || (!IsAutoscaled() && !options_.is_pruning)) return {};
    auto listed = api_->List(kMachineAutoscalers, kNamespace);
    if (listed) {
      autoscalers_ = Named(*std::move(listed));
    } else if (IsAutoscaled() || listed.error().kind() != ErrorKind::kNotFound) {
      return std::move(listed).error().Within("autoscale");
    }
    return {};
  }

  void MakeSet(const PlannedSet& set) {
    const auto live = objects_.machine_sets.find(set.name);
    const bool is_new = live == objects_.machine_sets.end();
    const auto replicas =
        is_new ? set.replicas : localcluster::Int(live->second, {"spec", "replicas"}, 1);
    say_.Present(set, is_new, replicas);
    const value& worker = objects_.machine_sets.at(set.based_on);
    ApplyOver(kMachineSets, "MachineSet", MakeMachineSet(objects_.cluster, set, worker),
              objects_.machine_sets);
  }

  void MakeAutoscaler(const PlannedSet& set) {
    ApplyOver(kMachineAutoscalers, "MachineAutoscaler", MakeMachineAutoscaler(set), autoscalers_);
  }

  void ApplyOver(const kube::Resource& resource, const char* kind, object document,
                 ByName& present) {
    const std::string name(document.at("metadata").at("name").get_string());
    if (api_ == nullptr) return Foresee(resource, kind, std::move(document), present);
    auto change = TryToApply(resource, document, present);
    for (int i = 1; i < kAttempts && !change && change.error().kind() == ErrorKind::kConflict;
         ++i) {
      auto again = api_->List(resource, kNamespace);
      if (!again) return Finish({kind, name, Change::kFailed}, ToString(again.error()));
      present = Named(*std::move(again));
      change = TryToApply(resource, document, present);
    }
    if (!change) return Finish({kind, name, Change::kFailed}, ToString(change.error()));
    Finish({kind, name, *change});
  }

  // Offline: what a run would do to what the files say is there.
  void Foresee(const kube::Resource& resource, const char* kind, object document,
               const ByName& present) {
    const std::string name(document.at("metadata").at("name").get_string());
    const auto live = present.find(name);
    if (live == present.end()) {
      documents_.push_back(std::move(document));
      return Finish({kind, name, Change::kCreated});
    }
    if (!IsOurs(live->second)) {
      return Finish({kind, name, Change::kFailed}, ToString(NotOurs(resource, name)));
    }
    KeepWhatOthersOwn(live->second, kFieldManager, document);
    localcluster::Make(document, {"metadata"}).erase("resourceVersion");
    const bool is_there = IsIn(live->second, value(document));
    documents_.push_back(std::move(document));
    Finish({kind, name, is_there ? Change::kUnchanged : Change::kUpdated});
  }

  // Without force where nothing is there: who makes it in the meantime keeps it.
  Result<Change> TryToApply(const kube::Resource& resource, object document,
                            const ByName& present) {
    const std::string name(document.at("metadata").at("name").get_string());
    const auto live = present.find(name);
    const bool is_new = live == present.end();
    if (!is_new) {
      if (!IsOurs(live->second)) return NotOurs(resource, name);
      KeepWhatOthersOwn(live->second, kFieldManager, document);
    }
    auto applied = api_->Apply(resource, document, is_new ? Force::kNo : Force::kYes);
    if (!applied) return std::move(applied).error();
    documents_.push_back(std::move(document));
    if (is_new) return Change::kCreated;
    return IsSame(live->second, *applied) ? Change::kUnchanged : Change::kUpdated;
  }

  static Error NotOurs(const kube::Resource& resource, const std::string& name) {
    const std::string label = std::string(kOwnLabel) + "=" + std::string(kOwnLabelValue);
    return Error(ErrorKind::kInvalid, "there is one that gpu-machinesets did not make")
        .Advise("rename or delete it, or hand it over: oc label -n " + std::string(kNamespace) +
                " " + kube::TitleOf(resource) + " " + name + " " + label);
  }

  // There can be only one, and people may have made it with limits of their own.
  void MakeClusterWide() {
    auto wanted = MakeClusterAutoscaler(plan_);
    if (!wanted) return;
    if (api_ == nullptr) {
      documents_.push_back(*std::move(wanted));
      return Finish({"ClusterAutoscaler", "default", Change::kCreated});
    }
    const auto live = api_->Get(kClusterAutoscalers, "", "default");
    if (live) {
      for (const std::string& type : MissingGpuLimits(*live, plan_)) {
        say_.Warn("ClusterAutoscaler default has no limit for GPUs of type " + type +
                  ": only the maximum of each set holds; add one to spec.resourceLimits.gpus");
      }
      return;
    }
    Done done{"ClusterAutoscaler", "default", Change::kFailed};
    if (live.error().kind() != ErrorKind::kNotFound) return Finish(done, ToString(live.error()));
    const auto created = api_->Create(kClusterAutoscalers, *wanted);
    if (!created) return Finish(done, ToString(created.error()));
    done.change = Change::kCreated;
    Finish(done);
    documents_.push_back(*std::move(wanted));
  }

  [[nodiscard]] std::vector<std::string> UnwantedSets() const {
    std::set<std::string> wanted;
    for (const PlannedSet& set : plan_) wanted.insert(set.name);
    std::vector<std::string> unwanted;
    for (const PresentSet& set : objects_.present) {
      const bool is_ours = set.is_ours && set.infrastructure == objects_.cluster.infrastructure;
      if (is_ours && !wanted.contains(set.name)) unwanted.push_back(set.name);
    }
    return unwanted;
  }

  [[nodiscard]] std::vector<std::string> UnwantedAutoscalers() const {
    std::set<std::string> wanted;
    for (const PlannedSet& set : plan_) {
      if (set.autoscale) wanted.insert(set.name);
    }
    std::vector<std::string> unwanted;
    for (const auto& [name, autoscaler] : autoscalers_) {
      if (IsOurs(autoscaler) && !wanted.contains(name)) unwanted.push_back(name);
    }
    return unwanted;
  }

  // All are shown before the first is deleted. What grows a set goes first.
  void HandleUnwanted() {
    const auto autoscalers = UnwantedAutoscalers();
    const auto sets = UnwantedSets();
    const char* fate = options_.is_pruning ? "" : " (kept; --prune deletes it)";
    for (const auto& name : autoscalers) {
      say_.Note("No longer wanted: MachineAutoscaler " + name + fate);
    }
    for (const auto& name : sets) say_.Note("No longer wanted: MachineSet " + name + fate);
    if (!options_.is_pruning || api_ == nullptr) return;
    for (const auto& name : autoscalers) Remove(kMachineAutoscalers, "MachineAutoscaler", name);
    for (const auto& name : sets) Remove(kMachineSets, "MachineSet", name);
  }

  void Remove(const kube::Resource& resource, const char* kind, const std::string& name) {
    const auto removed = api_->Delete(resource, kNamespace, name);
    const bool is_gone = removed || removed.error().kind() == ErrorKind::kNotFound;
    if (is_gone) return Finish({kind, name, Change::kDeleted});
    Finish({kind, name, Change::kFailed}, ToString(removed.error()));
  }

  const Options& options_;
  ClusterObjects objects_;
  const std::vector<PlannedSet> plan_;
  ClusterApi* const api_;  // null: offline
  Narration say_;
  ByName autoscalers_;
  std::vector<object> documents_;
  std::vector<Done> done_;
};

Result<ClusterObjects> ReadLive(ClusterApi& api) {
  const auto infrastructure = api.Get(kInfrastructures, "", "cluster");
  if (!infrastructure) return infrastructure.error();
  auto sets = api.List(kMachineSets, kNamespace);
  if (!sets) return std::move(sets).error();
  return ReadClusterObjects(*infrastructure, *std::move(sets));
}

Rows TableOf(const std::vector<PlannedSet>& plan, const std::vector<Done>& all) {
  std::map<std::string, std::string> changes;
  for (const Done& done : all) {
    if (done.kind == "MachineSet") changes[done.name] = ToString(done.change);
  }
  Rows rows{{"NAME", "TYPE", "GPUS", "ZONE", "REPLICAS", "AUTOSCALE", "SPOT", "CHANGE"}};
  for (const PlannedSet& set : plan) {
    const std::string range = set.autoscale ? std::to_string(set.autoscale->min) + ":" +
                                                  std::to_string(set.autoscale->max)
                                            : "-";
    rows.push_back({set.name, set.type, std::to_string(set.gpus), set.zone.empty() ? "-" : set.zone,
                    std::to_string(set.replicas), range, set.spot ? "yes" : "no",
                    changes[set.name]});
  }
  return rows;
}

std::string YamlOf(const std::vector<object>& documents) {
  return text::Join(documents, "---\n",
                    [](const object& document) { return yaml::PrintYaml(document); });
}

}  // namespace

Result<bool> Generate(const Options& options, const Settings& settings, std::string_view version,
                      std::ostream& out, std::ostream& err) {
  const bool is_offline = !options.offline.empty();
  std::unique_ptr<ClusterApi> api;
  if (!is_offline) {
    auto connected = ClusterApi::Connect(options.cluster, version,
                                         options.is_dry_run ? Writing::kDry : Writing::kKept);
    if (!connected) return std::move(connected).error();
    api = *std::move(connected);
  }
  auto objects = is_offline ? ReadClusterFolder(options.offline) : ReadLive(*api);
  if (!objects) return std::move(objects).error();
  auto plan = Plan(objects->cluster, objects->present, settings);
  if (!plan) return std::move(plan).error();

  std::ostream silence(nullptr);
  std::ostream& said = options.output == Output::kLog    ? out
                       : options.output == Output::kYaml ? err
                                                         : silence;
  const auto mood =
      options.is_dry_run || is_offline ? Narration::Mood::kDry : Narration::Mood::kDoing;
  Generator generator(options, *std::move(objects), *plan, api.get(), Narration(said, mood));
  if (auto fine = generator.Run(); !fine) return std::move(fine).error();
  if (options.output == Output::kYaml) out << YamlOf(generator.documents());
  if (options.output == Output::kTable) out << PrintColumns(TableOf(*plan, generator.done()));
  for (const Done& done : generator.done()) {
    if (done.change == Change::kFailed) return false;
  }
  return true;
}

}  // namespace gs::machinesets
