#include "programs/kubectl_gpu/choose_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "adapters/gpu/machine_file.h"

namespace gs::kubectl_gpu {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

ChooseOptions On(const std::string& machine, devices::Request request) {
  ChooseOptions options;
  options.machine_file = std::string(GS_SOURCE_DIR) + "/examples/machines/" + machine;
  options.request = std::move(request);
  return options;
}

std::string AnswerTo(const ChooseOptions& options) {
  const auto answer = AnswerChoose(options);
  return answer ? answer->text : "refused: " + ToString(answer.error());
}

TEST(Choose, TakesOneQuadOfAnEmptyDgx1) {
  EXPECT_EQ(AnswerTo(On("dgx-1v.yaml", {.count = 4})),
            "GPUs 0,1,2,3  (1 island, link score 1120, slowest pair 50 GB/s)\n"
            "\n"
            "partition score  2240  this set and the best split of the GPUs left\n"
            "runs of ids      1, span 3\n"
            "search           exact\n"
            "left free        4,5,6,7\n"
            "\n"
            "             0        1        2        3\n"
            "    0        -  NV1/PIX  NV1/PHB  NV2/PHB\n"
            "    1  NV1/PIX        -  NV2/PHB  NV1/PHB\n"
            "    2  NV1/PHB  NV2/PHB        -  NV2/PIX\n"
            "    3  NV2/PHB  NV1/PHB  NV2/PIX        -\n");
}

TEST(Choose, KeepsABridgedPairTogether) {
  ChooseOptions options = On("pcie-2socket.yaml", {.count = 2});
  options.free = {GpuId(1), GpuId(2), GpuId(3), GpuId(4)};
  EXPECT_EQ(AnswerTo(options),
            "GPUs 2,3  (1 island, link score 450, slowest pair 112 GB/s)\n"
            "\n"
            "partition score  460  this set and the best split of the GPUs left\n"
            "runs of ids      1, span 1\n"
            "search           exact\n"
            "left free        1,4\n"
            "\n"
            "             2        3\n"
            "    2        -  NV4/PIX\n"
            "    3  NV4/PIX        -\n");
}

TEST(Choose, ExplainsWhyRequiredHasNoSet) {
  ChooseOptions options =
      On("mi210-hives.yaml", {.count = 4, .mode = model::TopologyMode::kRequired});
  options.free = {GpuId(2), GpuId(3), GpuId(4), GpuId(5)};
  const auto answer = AnswerChoose(options);
  ASSERT_TRUE(answer.ok()) << answer.error();
  EXPECT_FALSE(answer->is_found);
  EXPECT_THAT(answer->text, StartsWith("no set: asked for 4 GPUs in one NVLink or xGMI island; "));
  EXPECT_THAT(answer->text, HasSubstr("Preferred would give GPUs 2,3,4,5"));
}

TEST(Choose, GivesAWholeHiveWhereOneIsRequired) {
  ChooseOptions options =
      On("mi210-hives.yaml",
         {.count = 4, .mode = model::TopologyMode::kRequired, .min_bandwidth_gbps = 100});
  options.free = {GpuId(1), GpuId(2), GpuId(4), GpuId(5), GpuId(6), GpuId(7)};
  EXPECT_EQ(AnswerTo(options).substr(0, 65),
            "GPUs 4,5,6,7  (1 island, link score 720, slowest pair 100 GB/s)\n\n");
}

TEST(Choose, AnswersInJson) {
  ChooseOptions options = On("hgx-a100.yaml", {.count = 2});
  options.output = OutputFormat::kJson;
  EXPECT_EQ(AnswerTo(options),
            "{\n"
            "  \"found\": true,\n"
            "  \"gpuIds\": [0, 1],\n"
            "  \"uuids\": [\"\", \"\"],\n"
            "  \"islands\": 1,\n"
            "  \"linkScore\": 1240,\n"
            "  \"partitionScore\": 4960,\n"
            "  \"slowestPairGBps\": 600,\n"
            "  \"idRuns\": 1,\n"
            "  \"idSpan\": 1,\n"
            "  \"exact\": true,\n"
            "  \"leftFree\": [2, 3, 4, 5, 6, 7]\n"
            "}\n");
}

TEST(Choose, RefusesIdsTheMachineDoesNotHave) {
  ChooseOptions options = On("dgx-1v.yaml", {.count = 1});
  options.free = {GpuId(0), GpuId(9)};
  EXPECT_EQ(AnswerTo(options), "refused: --free: the machine has no GPU 9; it has 0,1,2,3,4,5,6,7");
  options.free.reset();
  options.shared = {{GpuId(8), 1}};
  EXPECT_EQ(AnswerTo(options),
            "refused: --shared: the machine has no GPU 8; it has 0,1,2,3,4,5,6,7");
}

TEST(Choose, RefusesAMachineItCannotRead) {
  ChooseOptions options;
  options.machine_file = "/nowhere/m.yaml";
  EXPECT_EQ(AnswerTo(options),
            "refused: --machine: /nowhere/m.yaml: cannot be opened: No such file or directory");
}

// Six GPUs in every state a machine file can show.
class AvailabilityTest : public testing::Test {
 protected:
  Result<devices::Availability> Of(const ChooseOptions& options) const {
    return AvailabilityOf(machine_, *devices::Topology::Of(machine_), options);
  }

  const model::Machine machine_ = *gpu::ReadMachine(
      "[{id: 2}, {id: 3, health: Unhealthy}, {id: 5, inUseBy: [ns/pod]},"
      " {id: 6, residue: [uid]}, {id: 8}, {id: 9}]");
};

TEST_F(AvailabilityTest, TakesWhatTheFileDoesNotShowInUse) {
  const auto availability = Of({});
  ASSERT_TRUE(availability.ok());
  EXPECT_EQ(availability->unused, devices::GpuSet(0b110001));
  EXPECT_EQ(availability->unhealthy, devices::GpuSet(0b000010));
}

TEST_F(AvailabilityTest, TakesTheOptionsWordOverTheFile) {
  ChooseOptions options;
  options.free = {GpuId(5), GpuId(3)};
  const auto availability = Of(options);
  ASSERT_TRUE(availability.ok());
  EXPECT_EQ(availability->unused, devices::GpuSet(0b000110));
  EXPECT_EQ(availability->unhealthy, devices::GpuSet(0b000010));  // health is no matter of opinion
}

TEST_F(AvailabilityTest, DoesNotCountSharedGpusAsFree) {
  ChooseOptions options;
  options.shared = {{GpuId(8), 2}};
  const auto availability = Of(options);
  ASSERT_TRUE(availability.ok());
  EXPECT_EQ(availability->unused, devices::GpuSet(0b100001));
  EXPECT_EQ(availability->sharers[4], 2);
}

}  // namespace
}  // namespace gs::kubectl_gpu
