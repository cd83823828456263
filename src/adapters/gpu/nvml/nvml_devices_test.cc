#include "adapters/gpu/nvml/nvml_devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "adapters/gpu/nvml/fake_node.h"
#include "adapters/gpu/watch/watched_devices.h"

namespace gs::gpu {
namespace {

using model::DeviceReport;
using model::RecoveryNeed;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kFirst = "GPU-e4000000-0000-0000-0000-000000000000";

DeviceReport MustRead(DeviceSource& devices) {
  auto report = devices.Read();
  EXPECT_TRUE(report.ok()) << report.error();
  return report.ok() ? *std::move(report) : DeviceReport{};
}

std::string RefusalOf(DeviceSource& devices) {
  const auto report = devices.Read();
  return report ? "accepted" : ToString(report.error());
}

// Four L4, of which GPU 1 can be changed by what its line says.
class NvmlDevicesTest : public testing::Test {
 protected:
  // As the file has it, behind the second GPU's bus.
  void Change(const std::string& fields) {
    node_.Replace("bus: \"00000000:4B:00.0\"", "bus: \"00000000:4B:00.0\", " + fields);
  }

  FakeNode node_{"4xl4"};
  NvmlDevices devices_{node_.options()};
};

TEST_F(NvmlDevicesTest, IsNotThereWithoutTheLibrary) {
  NvmlDevices devices({.library = "/nowhere/libnvidia-ml.so.1"});
  EXPECT_EQ(devices.Read().error().kind(), ErrorKind::kNotFound);
  NvmlDevices by_name({.library = "libnvidia-ml-that-nobody-has.so.1"});
  EXPECT_EQ(by_name.Read().error().kind(), ErrorKind::kNotFound);
}

TEST_F(NvmlDevicesTest, RefusesAFileThatIsNoLibrary) {
  node_.Write("lib/libnvidia-ml.so.1", "not a library");
  auto options = node_.options();
  options.library = options.sysfs.parent_path() / "lib/libnvidia-ml.so.1";
  NvmlDevices devices(options);
  EXPECT_EQ(devices.Read().error().kind(), ErrorKind::kUnavailable);
  EXPECT_THAT(RefusalOf(devices), HasSubstr("file too short"));
}

TEST_F(NvmlDevicesTest, RefusesALibraryThatLacksWhatItMustHave) {
  NvmlDevices devices({.library = "libm.so.6"});
  EXPECT_EQ(RefusalOf(devices),
            "NVML: libm.so.6: has no function nvmlInit_v2; a driver of release 390 or later is "
            "needed");
}

TEST_F(NvmlDevicesTest, IsNotThereWithoutADriverAndComesWithIt) {
  const std::string text = node_.text();
  node_.Append("errors: {nvmlInit_v2: 9}");
  EXPECT_EQ(devices_.Read().error().kind(), ErrorKind::kNotFound);
  node_.Serve(text);
  EXPECT_EQ(MustRead(devices_).machine.devices.size(), 4U);
}

TEST_F(NvmlDevicesTest, SaysWhatToDoAboutAnotherDriverThanTheLibraryIsFor) {
  node_.Append("errors: {nvmlInit_v2: 18}");
  EXPECT_EQ(RefusalOf(devices_),
            "NVML: nvmlInit_v2: Driver/library version mismatch (18); the library and the kernel's "
            "driver are of different versions: finish the driver's upgrade, then restart this "
            "program or the node");
}

TEST_F(NvmlDevicesTest, ReadsFactsAboutHealth) {
  Change("mig: true, ecc: 3, recovery: 4");
  node_.Replace("numa: 0, remap: 0", "numa: 0, remap: 3");
  const auto facts = MustRead(devices_).facts.at(1);
  EXPECT_TRUE(facts.has_mig);
  EXPECT_EQ(facts.uncorrected_ecc, 3);
  EXPECT_TRUE(facts.has_remap_pending);
  EXPECT_TRUE(facts.has_remap_failed);
  EXPECT_EQ(facts.recovery, RecoveryNeed::kDrain);
  EXPECT_EQ(MustRead(devices_).facts.at(2), model::GpuFacts{});
}

TEST_F(NvmlDevicesTest, ReadsTheRetiredPagesOfOldGpus) {
  NvmlDevices devices(node_.options(true));
  EXPECT_FALSE(MustRead(devices).facts.at(1).has_remap_pending);
  node_.Replace("remap: 0", "remap: 1");
  EXPECT_TRUE(MustRead(devices).facts.at(1).has_remap_pending);
}

TEST_F(NvmlDevicesTest, NamesTheProcessesOfAGpuAndTheirPods) {
  Change("processes: [4711, 12]");
  node_.Write("proc/4711/cgroup", "0::/kubepods/pod0f2c5d1a-9f3b-4c55-8a6e-2f1de1d4a001/ab\n");
  const auto report = MustRead(devices_);
  EXPECT_TRUE(report.processes.at(0).empty());
  EXPECT_THAT(report.processes.at(1),
              ElementsAre(model::GpuProcess{.pid = 12, .pod = {}},
                          model::GpuProcess{
                              .pid = 4711, .pod = PodUid("0f2c5d1a-9f3b-4c55-8a6e-2f1de1d4a001")}));
}

TEST_F(NvmlDevicesTest, ReadsMoreProcessesThanItExpects) {
  std::string pids = "1";
  for (int pid = 2; pid <= 100; ++pid) pids += ", " + std::to_string(pid);
  Change("processes: [" + pids + "]");
  EXPECT_EQ(MustRead(devices_).processes.at(1).size(), 100U);
}

TEST_F(NvmlDevicesTest, AsksTheKernelForNumaNodesTheDriverDoesNotKnow) {
  node_.Replace(", numa: 0", "");
  node_.Write("sys/bus/pci/devices/0000:31:00.0/numa_node", "1\n");
  node_.Write("sys/bus/pci/devices/0000:4b:00.0/numa_node", "one\n");
  const auto report = MustRead(devices_);
  EXPECT_EQ(report.machine.devices.at(0).numa_node, 1);
  EXPECT_EQ(report.machine.devices.at(1).numa_node, std::nullopt);
  EXPECT_THAT(report.warnings, ElementsAre(HasSubstr("4b:00.0/numa_node")));
}

TEST_F(NvmlDevicesTest, KeepsAGpuThatIsLostInItsPlaceUntilItIsBack) {
  const auto before = MustRead(devices_);
  const std::string text = node_.text();
  Change("lost: true");
  for (int i = 0; i < 2; ++i) {
    const auto lost = MustRead(devices_);
    EXPECT_EQ(lost.machine, before.machine);
    EXPECT_TRUE(lost.facts.at(1).is_lost);
    EXPECT_FALSE(lost.facts.at(0).is_lost);
  }
  node_.Serve(text);
  EXPECT_EQ(MustRead(devices_), before);
}

TEST_F(NvmlDevicesTest, KeepsAGpuThatIsLostWhileItIsRead) {
  const auto before = MustRead(devices_);
  for (const auto* function : {"nvmlDeviceGetUUID", "nvmlDeviceGetName", "nvmlDeviceGetMigMode"}) {
    const std::string text = node_.text();
    Change("errors: {" + std::string(function) + ": 15}");
    const auto lost = MustRead(devices_);
    EXPECT_EQ(lost.machine, before.machine) << function;
    EXPECT_TRUE(lost.facts.at(1).is_lost) << function;
    node_.Serve(text);
  }
}

TEST_F(NvmlDevicesTest, LeavesOutALostGpuThatItNeverSaw) {
  Change("lost: true");
  const auto report = MustRead(devices_);
  EXPECT_EQ(report.machine.devices.size(), 3U);
  EXPECT_THAT(report.warnings, ElementsAre("1 lost GPUs that were never seen are left out"));
}

TEST_F(NvmlDevicesTest, DropsAGpuThatTheDriverNoLongerCounts) {
  EXPECT_EQ(MustRead(devices_).machine.devices.size(), 4U);
  node_.Append("order: [0, 2, 3]");
  EXPECT_EQ(MustRead(devices_).machine.devices.size(), 3U);
}

TEST_F(NvmlDevicesTest, ReportsTheSameWhateverTheOrderOfTheDriver) {
  const auto before = MustRead(devices_);
  node_.Append("order: [3, 1, 0, 2]");
  EXPECT_EQ(MustRead(devices_), before);
}

TEST_F(NvmlDevicesTest, DoesNotReportWhatItCannotIdentify) {
  for (const auto* function : {"nvmlDeviceGetUUID", "nvmlDeviceGetPciInfo_v3"}) {
    const std::string text = node_.text();
    Change("errors: {" + std::string(function) + ": 999}");
    EXPECT_EQ(RefusalOf(devices_), "NVML: a GPU does not tell which one it is: Fake Error (999)");
    node_.Serve(text);
  }
}

TEST_F(NvmlDevicesTest, WarnsAboutTheRestAndGoesOn) {
  Change("errors: {nvmlDeviceGetName: 4}");
  const auto report = MustRead(devices_);
  EXPECT_EQ(report.machine.devices.at(1).model, "");
  EXPECT_THAT(report.warnings,
              ElementsAre("GPU-e4000000-0000-0000-0000-000000000001: nvmlDeviceGetName: Fake Error "
                          "(4)"));
}

TEST_F(NvmlDevicesTest, SurvivesEveryErrorOfEveryFunction) {
  const auto before = MustRead(devices_);
  const std::string text = node_.text();
  for (const auto* function : {"nvmlInit_v2",
                               "nvmlSystemGetDriverVersion",
                               "nvmlDeviceGetCount_v2",
                               "nvmlDeviceGetHandleByIndex_v2",
                               "nvmlDeviceGetUUID",
                               "nvmlDeviceGetName",
                               "nvmlDeviceGetPciInfo_v3",
                               "nvmlDeviceGetMemoryInfo_v2",
                               "nvmlDeviceGetNumaNodeId",
                               "nvmlDeviceGetMaxPcieLinkGeneration",
                               "nvmlDeviceGetMaxPcieLinkWidth",
                               "nvmlDeviceGetTopologyCommonAncestor",
                               "nvmlDeviceGetNvLinkState",
                               "nvmlDeviceGetMigMode",
                               "nvmlDeviceGetTotalEccErrors",
                               "nvmlDeviceGetRemappedRows",
                               "nvmlDeviceGetFieldValues",
                               "nvmlDeviceGetComputeRunningProcesses_v3",
                               "nvmlDeviceGetMPSComputeRunningProcesses_v3",
                               "nvmlEventSetCreate",
                               "nvmlDeviceGetSupportedEventTypes",
                               "nvmlDeviceRegisterEvents"}) {
    for (const int error : {1, 2, 3, 4, 6, 7, 9, 10, 13, 15, 16, 18, 19, 23, 25, 27, 999}) {
      node_.Serve(text);
      node_.Append("errors: {" + std::string(function) + ": " + std::to_string(error) + "}");
      NvmlDevices devices(node_.options());
      const auto report = devices.Read();
      if (!report) continue;
      EXPECT_EQ(report->facts.size(), report->machine.devices.size());
      EXPECT_EQ(report->processes.size(), report->machine.devices.size());
      for (const auto& device : report->machine.devices) EXPECT_FALSE(device.uuid.empty());
    }
  }
  node_.Serve(text);
  EXPECT_EQ(MustRead(devices_), before);
}

TEST_F(NvmlDevicesTest, TellsXidsAndMemoryErrorsOnce) {
  EXPECT_EQ(MustRead(devices_).machine.devices.size(), 4U);
  node_.Append("events: [{number: 1, gpu: 0, xid: 79}, {number: 2, gpu: 0}]");
  const auto faults = devices_.WaitFaults(minutes(5));
  ASSERT_TRUE(faults.ok()) << faults.error();
  EXPECT_THAT(*faults, ElementsAre(model::GpuFault{GpuUuid(kFirst), 79, "Xid 79"},
                                   model::GpuFault{GpuUuid(kFirst), std::nullopt,
                                                   "double bit memory error"}));
  EXPECT_TRUE(devices_.WaitFaults(milliseconds(1))->empty());
}

TEST_F(NvmlDevicesTest, TellsFaultsOfOldDrivers) {
  NvmlDevices devices(node_.options(true));
  node_.Append("events: [{number: 1, gpu: 0, xid: 48}]");
  EXPECT_EQ(devices.WaitFaults(minutes(5))->at(0).xid, 48);
}

TEST_F(NvmlDevicesTest, SaysWhyFaultsAreNotTold) {
  const std::string text = node_.text();
  node_.Append("errors: {nvmlEventSetCreate: 3}");
  EXPECT_EQ(devices_.WaitFaults(milliseconds(1)).error().kind(), ErrorKind::kUnsupported);
  EXPECT_THAT(MustRead(devices_).warnings, ElementsAre("faults are not told: Fake Error (3)"));
  node_.Serve(text);
  node_.Append("errors: {nvmlEventSetWait: 15}");
  NvmlDevices devices(node_.options());
  EXPECT_EQ(ToString(devices.WaitFaults(milliseconds(1)).error()),
            "NVML: nvmlEventSetWait_v2: GPU is lost (15)");
}

TEST(NvmlSwitches, JoinNothingWhileTheyDoNotWork) {
  FakeNode node("dgx-h100");
  node.Append("workingSwitches: false");
  NvmlDevices devices(node.options());
  const auto report = MustRead(devices);
  EXPECT_EQ(report.machine.links.At(0, 1).kind, model::LinkKind::kNone);
  EXPECT_TRUE(report.machine.devices.at(0).island.empty());
}

TEST(NvmlSwitches, CountTheLinksThatAreUp) {
  FakeNode node("dgx-h100");
  NvmlDevices devices(node.options());
  node.Replace(
      "bus: \"00000000:1B:00.0\", memoryMiB: 81559,\n   pcieGeneration: 5, numa: 0, "
      "remap: 0, recovery: 0,\n   links: [{to: switch, count: 18",
      "bus: \"00000000:1B:00.0\", memoryMiB: 81559,\n   pcieGeneration: 5, numa: 0, "
      "remap: 0, recovery: 0,\n   links: [{to: switch, active: 17, count: 18");
  const auto report = MustRead(devices);
  EXPECT_EQ(report.facts.at(0).links_up, 17);
  EXPECT_EQ(report.facts.at(1).links_up, 18);
  EXPECT_EQ(report.machine.links.At(0, 1).bandwidth_gbps, 850);
  EXPECT_EQ(report.machine.links.At(1, 2).bandwidth_gbps, 900);
}

// A source whose driver hangs, as the agent uses it.
class HangingNvmlTest : public testing::Test {
 protected:
  // Until it answers.
  Result<DeviceReport> Eventually() {
    const auto end = std::chrono::steady_clock::now() + minutes(5);
    for (;;) {
      auto report = watched_.Read();
      if (report || std::chrono::steady_clock::now() > end) return report;
    }
  }

  FakeNode node_{"4xl4"};
  std::shared_ptr<NvmlDevices> devices_ = std::make_shared<NvmlDevices>(node_.options());
  WatchedDevices watched_{devices_, seconds(1), [this] { return devices_->calling(); }};
};

TEST_F(HangingNvmlTest, IsStaleWhileACallHangsAndReadsAgainAfterwards) {
  const std::string text = node_.text();
  const auto before = Eventually();
  ASSERT_TRUE(before.ok()) << before.error();
  for (const auto* function : {"nvmlDeviceGetName", "nvmlDeviceGetCount_v2"}) {
    node_.Append("hang: " + std::string(function));
    EXPECT_EQ(RefusalOf(watched_),
              "NVML: " + std::string(function) +
                  " does not return; look for errors of the driver in the kernel's log; the node "
                  "may need a reboot");
    node_.Serve(text);
    EXPECT_EQ(Eventually(), before);
  }
}

TEST_F(HangingNvmlTest, IsStaleFromTheStartIfItHangsThen) {
  const std::string text = node_.text();
  node_.Append("hang: nvmlInit_v2");
  EXPECT_THAT(RefusalOf(watched_), HasSubstr("nvmlInit_v2 does not return"));
  EXPECT_FALSE(watched_.WaitFaults(milliseconds(1)).ok());
  node_.Serve(text);
  EXPECT_TRUE(Eventually().ok());
  while (!watched_.WaitFaults(milliseconds(1)).ok()) {
  }
}

TEST_F(HangingNvmlTest, ReadsWhileItWaitsForFaults) {
  const auto before = Eventually();
  node_.Append("hang: nvmlEventSetWait");
  EXPECT_FALSE(watched_.WaitFaults(milliseconds(1)).ok());
  EXPECT_EQ(Eventually(), before);
  node_.Replace("hang: nvmlEventSetWait", "hang: ''");
  while (!watched_.WaitFaults(milliseconds(1)).ok()) {
  }
}

}  // namespace
}  // namespace gs::gpu
