#include "programs/check/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace gs::check {
namespace {

using ::testing::HasSubstr;
using Variables = std::map<std::string, std::string>;

// What a pod on node1 with GPUs 0 and 1 sees when all is well.
Variables AllIsWell() {
  return {{"GPU_ALLOCATED", "node1:0,1"},
          {"GPU_UUIDS", "GPU-a,GPU-b"},
          {"GPU_SCHEDULING_MAP", "0=node2:3\n1=node1:0,1\n"},
          {"POD_INDEX", "1"},
          {"CUDA_VISIBLE_DEVICES", "0,1"}};
}

std::vector<Mismatch> Compare(const Variables& changes, const std::vector<std::string>& unset = {},
                              const std::optional<std::vector<GpuUuid>>& devices = std::nullopt) {
  Variables variables = AllIsWell();
  for (const auto& [name, value] : changes) variables[name] = value;
  for (const auto& name : unset) variables.erase(name);
  return Verify(
      "node1",
      [&](std::string_view name) -> std::optional<std::string> {
        const auto found = variables.find(std::string(name));
        if (found == variables.end()) return std::nullopt;
        return found->second;
      },
      devices);
}

void ExpectOne(const std::vector<Mismatch>& found, std::string_view aspect,
               std::string_view message) {
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].aspect, aspect);
  EXPECT_EQ(found[0].message, message);
}

TEST(Verify, FindsNothingWhereAllIsAsDecided) {
  EXPECT_TRUE(Compare({}).empty());
  EXPECT_TRUE(Compare({}, {"GPU_SCHEDULING_MAP", "POD_INDEX", "GPU_UUIDS"}).empty());
  EXPECT_TRUE(
      Compare({}, {}, std::vector{GpuUuid("GPU-b"), GpuUuid("GPU-c"), GpuUuid("GPU-a")}).empty());
}

TEST(Verify, SaysThatNobodyPlacedThePod) {
  for (const auto& found : {Compare({}, {"GPU_ALLOCATED"}), Compare({{"GPU_ALLOCATED", ""}})}) {
    ExpectOne(
        found, "allocated",
        "the pod has no annotation gpu.scheduling/allocated: gpu-scheduler has not placed it");
  }
  const auto odd = Compare({{"GPU_ALLOCATED", "node1"}});
  ASSERT_EQ(odd.size(), 1U);
  EXPECT_EQ(odd[0].aspect, "allocated");
}

TEST(Verify, SaysThatTheNodeIsAnother) {
  ExpectOne(Compare({{"GPU_ALLOCATED", "node9:0,1"}}, {"GPU_SCHEDULING_MAP"}), "node",
            "the pod runs on node1, and node9 was decided");
}

TEST(Verify, SaysThatTheVariableIsAnotherOrMissing) {
  ExpectOne(Compare({{"CUDA_VISIBLE_DEVICES", "0"}}), "variable",
            "CUDA_VISIBLE_DEVICES is \"0\", and 0,1 was decided");
  ExpectOne(Compare({}, {"CUDA_VISIBLE_DEVICES"}), "variable",
            "CUDA_VISIBLE_DEVICES is not set, and 0,1 was decided");
}

TEST(Verify, TakesUuidsForTheRuntimeAsWell) {
  EXPECT_TRUE(
      Compare({{"NVIDIA_VISIBLE_DEVICES", "GPU-a,GPU-b"}}, {"CUDA_VISIBLE_DEVICES"}).empty());
  EXPECT_EQ(Compare({{"NVIDIA_VISIBLE_DEVICES", "all"}}, {"CUDA_VISIBLE_DEVICES"}).size(), 1U);
}

TEST(Verify, SaysThatTheMapWantedSomethingElse) {
  ExpectOne(Compare({{"POD_INDEX", "0"}}), "map",
            "the map says node2:3, and node1:0,1 was decided");
  ExpectOne(Compare({{"POD_INDEX", "7"}}), "map",
            "the map says nothing about this pod, and node1:0,1 was decided");
  EXPECT_EQ(Compare({}, {"POD_INDEX"}).at(0).aspect, "map");
  EXPECT_EQ(Compare({{"GPU_SCHEDULING_MAP", "0=node1"}}).at(0).aspect, "map");
}

TEST(Verify, TakesAnotherWordOfTheMapForALabelOfTheNode) {
  EXPECT_TRUE(Compare({{"GPU_SCHEDULING_MAP", "0=west:3\n1=east:0,1\n"}}).empty());
  ExpectOne(Compare({{"GPU_SCHEDULING_MAP", "1=east:0,2"}}), "map",
            "the map says east:0,2, and node1:0,1 was decided");
}

TEST(Verify, SaysThatTheNodeIsThatOfAnotherLine) {
  ExpectOne(Compare({{"GPU_SCHEDULING_MAP", "0=node1:0,1\n1=node2:0,1\n"}}), "map",
            "the map says node2:0,1, and node1:0,1 was decided");
}

TEST(Verify, SaysWhichGpuTheDriverDoesNotShow) {
  ExpectOne(
      Compare({}, {}, std::vector{GpuUuid("GPU-a")}), "devices",
      "the driver does not show GPU GPU-b to this container; NVIDIA_VISIBLE_DEVICES has to be "
      "all or to name this GPU (docs/gpus-in-containers.md)");
}

Environment Placed(const Variables& more) {
  return [more](std::string_view name) -> std::optional<std::string> {
    if (name == "GPU_ALLOCATED") return "node1:0";
    const auto found = more.find(std::string(name));
    if (found == more.end()) return std::nullopt;
    return found->second;
  };
}

std::string AdviceWith(const Variables& more) {
  const auto missing = MissingDriver(Placed(more), std::nullopt);
  if (!missing) return "none";
  EXPECT_EQ(missing->aspect, "devices");
  return missing->message;
}

TEST(MissingDriver, SaysThatThePodLacksTheVariableThatLetsGpusIn) {
  EXPECT_EQ(AdviceWith({}),
            "no driver shows a GPU to this container: NVIDIA_VISIBLE_DEVICES is not set, so "
            "NVIDIA's container runtime lets none in; set the variable to all in the pod, or "
            "install the chart with webhook.handover=uuid (docs/gpus-in-containers.md)");
  for (const std::string value : {"", "void", "none"}) {
    EXPECT_THAT(AdviceWith({{"NVIDIA_VISIBLE_DEVICES", value}}),
                HasSubstr("NVIDIA_VISIBLE_DEVICES is \"" + value +
                          "\", so NVIDIA's container "
                          "runtime lets none in"));
  }
}

TEST(MissingDriver, SaysThatTheNodeLacksTheRuntime) {
  EXPECT_EQ(AdviceWith({{"NVIDIA_VISIBLE_DEVICES", "all"}}),
            "no driver shows a GPU to this container: NVIDIA_VISIBLE_DEVICES is \"all\", and no "
            "container runtime of NVIDIA's brought a driver in; make nvidia the default runtime "
            "of the node, or set runtimeClassName in the pod (docs/gpus-in-containers.md)");
}

TEST(MissingDriver, SaysNothingWhereADriverShowsGpusOrNobodyPlacedThePod) {
  EXPECT_FALSE(MissingDriver(Placed({}), std::vector{GpuUuid("GPU-a")}).has_value());
  EXPECT_FALSE(MissingDriver([](std::string_view) { return std::nullopt; }, std::nullopt));
}

}  // namespace
}  // namespace gs::check
