#include "adapters/localcluster/controllers/model_cluster.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <utility>

#include "adapters/localcluster/controllers/daemon_set.h"
#include "adapters/localcluster/controllers/deployment.h"
#include "adapters/localcluster/controllers/job.h"
#include "adapters/localcluster/controllers/replica_set.h"
#include "adapters/localcluster/controllers/stateful_set.h"
#include "adapters/localcluster/objects/conditions.h"
#include "adapters/localcluster/objects/metadata.h"
#include "adapters/localcluster/objects/pod_facts.h"
#include "adapters/yaml/parse.h"

namespace gs::localcluster {

ModelCluster::Key ModelCluster::KeyOf(const Json& object) {
  return {std::string(KindOf(object)), std::string(NamespaceOf(object)),
          std::string(NameOf(object))};
}

Json ModelCluster::Add(std::string_view yaml) {
  Json object = *yaml::ParseYaml(yaml);
  Make(object, {"metadata"})["namespace"] = "team";
  const Key key = KeyOf(object);
  EXPECT_TRUE(CreateObject(std::move(object)));
  return objects_.at(key);
}

bool ModelCluster::CreateObject(Json object) {
  auto& metadata = Make(object, {"metadata"});
  const std::string number = std::to_string(++revision_);
  if (NameOf(object).empty()) {
    metadata["name"] = std::string(Text(object, {"metadata", "generateName"})) + number;
  }
  const Key key = KeyOf(object);
  if (objects_.contains(key)) return false;
  metadata["uid"] = "uid-" + number;
  metadata["resourceVersion"] = number;
  metadata["generation"] = 1;
  metadata["creationTimestamp"] = PrintTime(now_);
  return objects_.emplace(key, std::move(object)).second;
}

bool ModelCluster::Replace(const Write& write) {
  const auto found = objects_.find(KeyOf(write.object));
  if (found == objects_.end()) return false;
  Json& stored = found->second;
  if (Text(stored, {"metadata", "resourceVersion"}) !=
      Text(write.object, {"metadata", "resourceVersion"})) {
    return false;
  }
  Json next = write.verb == Verb::kUpdateStatus ? stored : write.object;
  const Json& kept = write.verb == Verb::kUpdateStatus ? write.object : stored;
  if (const Json* status = Find(kept, {"status"})) Make(next, {})["status"] = *status;
  if (next == stored) return true;
  if (Members(next, {"spec"}) != Members(stored, {"spec"})) {
    Make(next, {"metadata"})["generation"] = GenerationOf(stored) + 1;
  }
  Make(next, {"metadata"})["resourceVersion"] = std::to_string(++revision_);
  stored = std::move(next);
  const bool is_gone = IsBeingDeleted(stored) && Items(stored, {"metadata", "finalizers"}).empty();
  if (is_gone && KindOf(stored) != "Pod") objects_.erase(found);
  return true;
}

bool ModelCluster::Remove(const Write& write) {
  const auto found = objects_.find(KeyOf(write.object));
  if (found == objects_.end() || UidOf(found->second) != UidOf(write.object)) return false;
  const bool stays =
      KindOf(write.object) == "Pod" || !Items(found->second, {"metadata", "finalizers"}).empty();
  if (!stays) {
    objects_.erase(found);
    return true;
  }
  auto& metadata = Make(found->second, {"metadata"});
  if (!metadata.contains("deletionTimestamp")) {
    metadata["deletionTimestamp"] = PrintTime(now_);
    metadata["resourceVersion"] = std::to_string(++revision_);
  }
  return true;
}

bool ModelCluster::Apply(const Write& write) {
  if (KindOf(write.object) == "Event") return ++event_count_ > 0;
  if (write.verb == Verb::kCreate) return CreateObject(write.object);
  if (write.verb == Verb::kDelete) return Remove(write);
  return Replace(write);
}

std::vector<Json> ModelCluster::All(std::string_view kind) const {
  std::vector<Json> all;
  for (const auto& [key, object] : objects_) {
    if (std::get<0>(key) == kind) all.push_back(object);
  }
  return all;
}

std::vector<Json> ModelCluster::Owned(std::string_view kind, const Json& owner) const {
  std::vector<Json> owned = All(kind);
  std::erase_if(owned, [&](const Json& each) { return !IsControlledBy(each, owner); });
  return owned;
}

Json ModelCluster::Get(std::string_view kind, std::string_view name) const {
  return objects_.at({std::string(kind), "team", std::string(name)});
}

bool ModelCluster::Has(std::string_view kind, std::string_view name) const {
  return objects_.contains({std::string(kind), "team", std::string(name)});
}

void ModelCluster::Change(const Json& object) { ASSERT_TRUE(Apply(Update(object))); }
void ModelCluster::ChangeStatus(const Json& object) { ASSERT_TRUE(Apply(UpdateStatus(object))); }
void ModelCluster::DeleteNow(const Json& object) { objects_.erase(KeyOf(object)); }

Reconciled ModelCluster::Reconcile(const Json& object) const {
  const auto kind = KindOf(object);
  if (kind == "ReplicaSet") return ReconcileReplicaSet(object, Owned("Pod", object), now_);
  if (kind == "Job") return ReconcileJob(object, Owned("Pod", object), now_);
  if (kind == "Deployment") {
    const auto sets = Owned("ReplicaSet", object);
    std::size_t pods_left = 0;
    for (const Json& set : sets) {
      for (const Json& pod : Owned("Pod", set)) pods_left += IsFinished(pod) ? 0 : 1;
    }
    return ReconcileDeployment(object, sets, pods_left, now_);
  }
  if (kind == "DaemonSet") {
    return ReconcileDaemonSet(object,
                              {.pods = Owned("Pod", object),
                               .revisions = Owned("ControllerRevision", object),
                               .nodes = All("Node")},
                              now_);
  }
  if (kind == "StatefulSet") {
    return ReconcileStatefulSet(object,
                                {.pods = Owned("Pod", object),
                                 .revisions = Owned("ControllerRevision", object),
                                 .claims = All("PersistentVolumeClaim")},
                                now_);
  }
  return {};
}

std::size_t ModelCluster::Step() {
  std::vector<Key> keys;
  keys.reserve(objects_.size());
  for (const auto& [key, object] : objects_) keys.push_back(key);
  std::size_t done = 0;
  look_again_.reset();
  now_ += std::chrono::microseconds(1);  // no two calls see the same moment
  for (const Key& key : keys) {
    const auto found = objects_.find(key);
    if (found == objects_.end()) continue;
    const Reconciled wanted = Reconcile(found->second);
    if (wanted.look_again) {
      look_again_ = std::min(*wanted.look_again, look_again_.value_or(*wanted.look_again));
    }
    for (const Write& write : wanted.writes) {
      ++done;
      if (!Apply(write)) break;
    }
  }
  return done;
}

void ModelCluster::Settle() {
  for (int i = 0; i < 1000; ++i) {
    if (Step() == 0) return;
  }
  ADD_FAILURE() << "the controllers never come to rest";
}

void ModelCluster::RunPods() {
  for (Json pod : All("Pod")) {
    if (IsBeingDeleted(pod)) {
      DeleteNow(pod);
    } else if (!IsFinished(pod) && !IsReady(pod)) {
      Make(pod, {"status"})["phase"] = "Running";
      SetCondition(Make(pod, {})["status"], {"Ready", "True", "", ""}, now_);
      ChangeStatus(pod);
    }
  }
}

void ModelCluster::SettleAndRun() {
  for (int i = 0; i < 1000; ++i) {
    const auto before = revision_;
    Settle();
    RunPods();
    if (revision_ == before && Step() == 0) return;
  }
  ADD_FAILURE() << "the cluster never comes to rest";
}

void ModelCluster::SetPhase(std::string_view pod, std::string_view phase) {
  Json changed = Get("Pod", pod);
  Make(changed, {"status"})["phase"] = phase;
  RemoveCondition(changed.at("status"), "Ready");
  ChangeStatus(changed);
}

}  // namespace gs::localcluster
