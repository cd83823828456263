#include "adapters/machinesets/documents.h"

#include <gtest/gtest.h>

#include "adapters/json/parse.h"
#include "adapters/localcluster/objects/fields.h"

namespace gs::machinesets {
namespace {

using boost::json::object;

constexpr std::string_view kManager = "gpu-machinesets";

boost::json::value Parsed(std::string_view text) {
  auto value = json::ParseJson(text);
  EXPECT_TRUE(value.ok()) << text;
  return value ? *value : boost::json::value();
}

object Document() {
  return {{"metadata", object{{"name", "a"},
                              {"annotations", object{{"machine.openshift.io/vCPU", "16"},
                                                     {"machine.openshift.io/GPU", "1"}}}}},
          {"spec", object{{"replicas", 1}, {"selector", object{}}}}};
}

TEST(KeepWhatOthersOwn, RepeatsReplicasThatAreStillOurs) {
  const auto live = Parsed(R"({"metadata": {"resourceVersion": "7", "managedFields": [
      {"manager": "gpu-machinesets", "operation": "Apply",
       "fieldsV1": {"f:spec": {"f:replicas": {}}}}]}, "spec": {"replicas": 3}})");
  object document = Document();
  KeepWhatOthersOwn(live, kManager, document);
  EXPECT_EQ(localcluster::Int(document, {"spec", "replicas"}), 3);
  EXPECT_EQ(localcluster::Text(document, {"metadata", "resourceVersion"}), "7");
}

TEST(KeepWhatOthersOwn, SaysNothingAboutReplicasThatSomebodyElseSet) {
  const auto live = Parsed(R"({"metadata": {"resourceVersion": "7", "managedFields": [
      {"manager": "gpu-machinesets", "operation": "Apply", "fieldsV1": {"f:spec": {}}},
      {"manager": "kubectl", "operation": "Update", "subresource": "scale",
       "fieldsV1": {"f:spec": {"f:replicas": {}}}}]}, "spec": {"replicas": 3}})");
  object document = Document();
  KeepWhatOthersOwn(live, kManager, document);
  EXPECT_EQ(localcluster::Find(document, {"spec", "replicas"}), nullptr);
}

TEST(KeepWhatOthersOwn, LeavesCapacitiesToWhoeverWroteThem) {
  const auto live = Parsed(R"({"metadata": {"annotations": {"machine.openshift.io/vCPU": "17",
      "machine.openshift.io/GPU": "1"}, "managedFields": [
      {"manager": "gpu-machinesets", "operation": "Apply", "fieldsV1": {"f:metadata":
       {"f:annotations": {"f:machine.openshift.io/GPU": {}}}}}]}})");
  object document = Document();
  KeepWhatOthersOwn(live, kManager, document);
  EXPECT_EQ(localcluster::Find(document, {"metadata", "annotations", "machine.openshift.io/vCPU"}),
            nullptr);
  EXPECT_EQ(localcluster::Text(document, {"metadata", "annotations", "machine.openshift.io/GPU"}),
            "1");
}

TEST(KeepWhatOthersOwn, LeavesLabelsInAnyOrderButNotOldOnes) {
  const auto live = Parsed(R"({"metadata": {"annotations": {
      "capacity.cluster-autoscaler.kubernetes.io/labels": "b=2,kubernetes.io/arch=amd64,a=1"}}})");
  for (const auto& [wanted, is_left] : {std::pair{"kubernetes.io/arch=amd64,a=1,b=2", true},
                                        std::pair{"kubernetes.io/arch=amd64,a=1,b=3", false}}) {
    object document{{"metadata", object{{"annotations", object{{kCapacityLabels, wanted}}}}}};
    KeepWhatOthersOwn(live, kManager, document);
    const auto* kept = localcluster::Find(document, {"metadata", "annotations", kCapacityLabels});
    EXPECT_EQ(kept == nullptr, is_left) << wanted;
  }
}

TEST(ClusterAutoscaler, NamesGpusThatItHasNoLimitFor) {
  PlannedSet set;
  set.gpus = 4;
  set.accelerator = "nvidia-l4";
  set.autoscale = Autoscale{0, 3};
  EXPECT_FALSE(MakeClusterAutoscaler({PlannedSet{}}));
  const auto made = MakeClusterAutoscaler({set, set});
  ASSERT_TRUE(made);
  const auto& limits = localcluster::Items(*made, {"spec", "resourceLimits", "gpus"});
  ASSERT_EQ(limits.size(), 1U);
  EXPECT_EQ(localcluster::Int(limits[0], {"max"}), 24);
  EXPECT_TRUE(MissingGpuLimits(*made, {set}).empty());
  EXPECT_EQ(MissingGpuLimits(Parsed("{}"), {set}), (std::vector<std::string>{"nvidia-l4"}));
}

}  // namespace
}  // namespace gs::machinesets
