#include "core/machinesets/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gs::machinesets {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Cluster kCluster{"c-x1", Platform::kAws, "eu-west-1"};

PresentSet Worker(const std::string& name, const std::string& zone, std::int64_t replicas = 1) {
  return {
      .name = name, .infrastructure = "c-x1", .role = "worker", .zone = zone, .replicas = replicas};
}

Settings Wanting(TypeWish wish) {
  Settings settings;
  settings.types = {std::move(wish)};
  return settings;
}

TypeWish Type(const std::string& type) {
  TypeWish wish;
  wish.type = type;
  return wish;
}

std::vector<std::string> NamesOf(const Result<std::vector<PlannedSet>>& plan) {
  std::vector<std::string> names;
  if (!plan) return {ToString(plan.error())};
  for (const PlannedSet& set : *plan) names.push_back(set.name);
  return names;
}

std::string Refusal(const Cluster& cluster, const std::vector<PresentSet>& present,
                    const Settings& settings) {
  const auto plan = Plan(cluster, present, settings);
  return plan ? "planned" : ToString(plan.error());
}

const std::vector<PresentSet> kThree{Worker("c-x1-worker-eu-west-1a", "eu-west-1a", 0),
                                     Worker("c-x1-worker-eu-west-1c", "eu-west-1c"),
                                     Worker("c-x1-worker-eu-west-1b", "eu-west-1b")};

TEST(Plan, DefaultIsTwoTypesInTheFirstZoneThatHasMachines) {
  const auto plan = Plan(kCluster, kThree, DefaultSettings());
  EXPECT_THAT(NamesOf(plan),
              ElementsAre("c-x1-gpu-g6-4xlarge-eu-west-1b", "c-x1-gpu-g6-12xlarge-eu-west-1b"));
  const PlannedSet& set = plan->front();
  EXPECT_EQ(set.based_on, "c-x1-worker-eu-west-1b");
  EXPECT_EQ(set.replicas, 1);
  EXPECT_EQ(set.gpus, 1);
  EXPECT_EQ(set.labels,
            (std::map<std::string, std::string>{{"cluster-api/accelerator", "nvidia-l4"},
                                                {"node-role.kubernetes.io/gpu", ""},
                                                {"nvidia.com/gpu.present", "true"}}));
  ASSERT_EQ(set.taints.size(), 1U);
  EXPECT_EQ(ToString(set.taints[0]), "nvidia.com/gpu=true:NoSchedule");
  EXPECT_EQ(set.capacities.at("machine.openshift.io/memoryMb"), "65536");
  EXPECT_EQ(set.capacities.at("capacity.cluster-autoscaler.kubernetes.io/gpu-count"), "1");
}

TEST(Plan, WithoutMachinesAnywhereTheFirstByNameIsTaken) {
  const std::vector<PresentSet> idle{Worker("w-b", "b", 0), Worker("w-a", "a", 0)};
  EXPECT_THAT(NamesOf(Plan(kCluster, idle, Wanting(Type("p5.48xlarge")))),
              ElementsAre("c-x1-gpu-p5-48xlarge-a"));
}

TEST(Plan, AllZonesAndListedZones) {
  TypeWish wish = Type("g5.xlarge");
  wish.zones.rule = ZoneRule::kAll;
  EXPECT_THAT(NamesOf(Plan(kCluster, kThree, Wanting(wish))),
              ElementsAre("c-x1-gpu-g5-xlarge-eu-west-1a", "c-x1-gpu-g5-xlarge-eu-west-1b",
                          "c-x1-gpu-g5-xlarge-eu-west-1c"));
  wish.zones = {ZoneRule::kListed, {"eu-west-1c"}};
  EXPECT_THAT(NamesOf(Plan(kCluster, kThree, Wanting(wish))),
              ElementsAre("c-x1-gpu-g5-xlarge-eu-west-1c"));
  wish.zones.listed = {"eu-west-1x"};
  EXPECT_THAT(Refusal(kCluster, kThree, Wanting(wish)),
              HasSubstr("zone eu-west-1x has no worker MachineSet; there are workers in "
                        "eu-west-1a, eu-west-1b, eu-west-1c"));
}

TEST(Plan, LocalZonesAreTakenOnlyWhereTheyAreNamed) {
  auto present = kThree;
  present.push_back(Worker("c-x1-edge", "us-east-1-bos-1a"));
  present.back().role = "edge";
  TypeWish wish = Type("g4dn.2xlarge");
  wish.zones.rule = ZoneRule::kAll;
  EXPECT_EQ(NamesOf(Plan(kCluster, present, Wanting(wish))).size(), 3U);
  wish.zones = {ZoneRule::kListed, {"us-east-1-bos-1a"}};
  EXPECT_THAT(NamesOf(Plan(kCluster, present, Wanting(wish))),
              ElementsAre("c-x1-gpu-g4dn-2xlarge-us-east-1-bos-1a"));
}

TEST(Plan, GpuSetsInfraSetsWindowsAndThoseOfOtherClustersAreNoTemplates) {
  std::vector<PresentSet> present{Worker("a", "z"), Worker("b", "z"), Worker("c", "z"),
                                  Worker("d", "z"), Worker("e", "z")};
  present[0].has_accelerator = true;
  present[1].role = "infra";
  present[2].infrastructure = "other";
  present[3].is_ours = true;
  present[4].is_windows = true;
  EXPECT_THAT(Refusal(kCluster, present, DefaultSettings()),
              HasSubstr("there is no worker MachineSet without GPUs for c-x1"));
  present.push_back(Worker("f", "z"));
  EXPECT_EQ(Plan(kCluster, present, DefaultSettings())->front().based_on, "f");
}

TEST(Plan, ClusterApiIsRefusedWithAdvice) {
  auto present = kThree;
  present[1].is_cluster_api = true;
  EXPECT_THAT(Refusal(kCluster, present, DefaultSettings()),
              HasSubstr("has authoritativeAPI: ClusterAPI"));
}

TEST(Plan, UnknownTypesNeedTheirCounts) {
  EXPECT_THAT(Refusal(kCluster, kThree, Wanting(Type("x9.huge"))),
              HasSubstr("instance type x9.huge: is not in the catalogue of AWS"));
  TypeWish wish = Type("x9.huge");
  wish.counts.gpus = 16;
  auto plan = Plan(kCluster, kThree, Wanting(wish));
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->front().gpus, 16);
  EXPECT_TRUE(plan->front().capacities.empty());
  wish.counts = {.gpus = 16, .vcpus = 64, .memory_mib = 1024};
  plan = Plan(kCluster, kThree, Wanting(wish));
  EXPECT_EQ(plan->front().capacities.at("machine.openshift.io/GPU"), "16");
}

TEST(Plan, TypesOfOtherCloudsFractionsAndOtherArchitecturesAreRefused) {
  EXPECT_THAT(Refusal(kCluster, kThree, Wanting(Type("a2-highgpu-1g"))),
              HasSubstr("is a type of GCP, and this cluster runs on AWS"));
  EXPECT_THAT(Refusal(kCluster, kThree, Wanting(Type("g6f.large"))), HasSubstr("a fraction"));
  EXPECT_THAT(Refusal(kCluster, kThree, Wanting(Type("g5g.xlarge"))),
              HasSubstr("is arm64, and MachineSet c-x1-worker-eu-west-1b boots images for amd64"));
}

TEST(Plan, AttachedGpusGoWithN1Only) {
  const Cluster gcp{"c-x1", Platform::kGcp, "us-central1"};
  TypeWish wish = Type("n1-standard-8");
  EXPECT_THAT(Refusal(gcp, kThree, Wanting(wish)), HasSubstr("has no GPU of its own"));
  wish.attached = Attached{"nvidia-tesla-t4", 2};
  const auto plan = Plan(gcp, kThree, Wanting(wish));
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->front().gpus, 2);
  EXPECT_EQ(plan->front().accelerator, "nvidia-t4");
  wish.attached->type = "nvidia-l4";
  EXPECT_THAT(Refusal(gcp, kThree, Wanting(wish)), HasSubstr("nvidia-l4 cannot be attached"));
  wish = Type("a2-highgpu-1g");
  wish.attached = Attached{"nvidia-tesla-t4", 1};
  EXPECT_THAT(Refusal(gcp, kThree, Wanting(wish)), HasSubstr("goes with GCP's N1"));
}

TEST(Plan, SpotHasNoHighestPriceOnGcp) {
  TypeWish wish = Type("a2-highgpu-1g");
  wish.spot = Spot{"2.5"};
  EXPECT_THAT(Refusal({"c-x1", Platform::kGcp, ""}, kThree, Wanting(wish)),
              HasSubstr("GCP has no highest price"));
}

TEST(Plan, SpotOnGcpSaysWhichVersionsKnowIt) {
  TypeWish wish = Type("a2-highgpu-1g");
  wish.spot = Spot{};
  const auto plan = Plan({"c-x1", Platform::kGcp, ""}, kThree, Wanting(wish));
  EXPECT_THAT(plan->front().note, HasSubstr("before OpenShift 4.21"));
  wish.type = "g6.xlarge";
  EXPECT_EQ(Plan(kCluster, kThree, Wanting(wish))->front().note, "");
}

TEST(Plan, AutoscaledSetsBeginAtTheirMinimum) {
  TypeWish wish = Type("g6.xlarge");
  wish.autoscale = Autoscale{0, 4};
  EXPECT_EQ(Plan(kCluster, kThree, Wanting(wish))->front().replicas, 0);
  wish.replicas = 9;
  EXPECT_EQ(Plan(kCluster, kThree, Wanting(wish))->front().replicas, 4);
}

TEST(Plan, AmdTypesHaveTheirVendorsNames) {
  const auto plan = Plan(kCluster, kThree, Wanting(Type("g4ad.xlarge")));
  EXPECT_EQ(ToString(plan->front().taints[0]), "amd.com/gpu=true:NoSchedule");
  EXPECT_EQ(plan->front().labels.at("amd.com/gpu.present"), "true");
}

TEST(Plan, OwnLabelsTaintsAndAcceleratorReplaceTheDefaults) {
  Settings settings = Wanting(Type("g6.xlarge"));
  settings.labels = std::map<std::string, std::string>{{"team", "ml"}};
  settings.taints = std::vector<model::Taint>{};
  settings.accelerator = "";
  const auto plan = Plan(kCluster, kThree, settings);
  EXPECT_EQ(plan->front().labels, (std::map<std::string, std::string>{{"team", "ml"}}));
  EXPECT_TRUE(plan->front().taints.empty());
}

TEST(Plan, TwoSetsOfOneNameAreRefused) {
  Settings settings = Wanting(Type("a.b"));
  settings.types.push_back(Type("a_b"));
  settings.types[0].counts.gpus = settings.types[1].counts.gpus = 1;
  EXPECT_THAT(Refusal(kCluster, kThree, settings),
              HasSubstr("a second MachineSet would be called"));
}

}  // namespace
}  // namespace gs::machinesets
