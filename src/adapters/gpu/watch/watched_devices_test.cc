#include "adapters/gpu/watch/watched_devices.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <semaphore>
#include <thread>

namespace gs::gpu {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

constexpr Duration kAges = minutes(5);

// Hangs when told to, until it is let go.
class HangingDevices final : public DeviceSource {
 public:
  [[nodiscard]] std::string name() const override { return "test"; }
  [[nodiscard]] Result<model::DeviceReport> Read() override {
    if (hangs) go.acquire();
    model::DeviceReport report;
    report.driver_version = std::to_string(++readings);
    return report;
  }
  [[nodiscard]] bool has_faults() const override { return true; }
  [[nodiscard]] Result<std::vector<model::GpuFault>> WaitFaults(Duration) override {
    if (hangs) go.acquire();
    return std::vector{model::GpuFault{.uuid = GpuUuid("GPU-a"), .xid = 79, .message = "Xid 79"}};
  }

  std::atomic<bool> hangs = false;
  std::atomic<int> readings = 0;
  std::counting_semaphore<> go{0};
};

// Readings until one is answered.
Result<model::DeviceReport> Eventually(WatchedDevices& devices) {
  const auto end = std::chrono::steady_clock::now() + kAges;
  for (;;) {
    auto report = devices.Read();
    if (report || std::chrono::steady_clock::now() > end) return report;
  }
}

TEST(WatchedDevices, PassesOnWhatTheSourceSays) {
  WatchedDevices devices(std::make_shared<HangingDevices>(), kAges, nullptr);
  EXPECT_EQ(devices.name(), "test");
  EXPECT_EQ(devices.Read()->driver_version, "1");
  EXPECT_EQ(devices.Read()->driver_version, "2");
  EXPECT_EQ(devices.WaitFaults(Duration(0))->at(0).message, "Xid 79");
}

TEST(WatchedDevices, AnswersWhileACallHangsAndAfterIt) {
  const auto source = std::make_shared<HangingDevices>();
  WatchedDevices devices(source, milliseconds(20), [] { return "nvmlInit_v2"; });
  source->hangs = true;
  for (int i = 0; i < 3; ++i) {
    const auto report = devices.Read();
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.error().kind(), ErrorKind::kUnavailable);
    EXPECT_EQ(report.error().message(), "nvmlInit_v2 does not return");
  }
  source->hangs = false;
  source->go.release();
  const auto report = Eventually(devices);
  ASSERT_TRUE(report.ok()) << report.error();
  EXPECT_GE(std::stoi(report->driver_version), 2) << "what was read while it hung is old";
}

TEST(WatchedDevices, ReadsWhileTheWaitForFaultsHangs) {
  const auto source = std::make_shared<HangingDevices>();
  WatchedDevices devices(source, milliseconds(20), nullptr);
  source->hangs = true;
  EXPECT_EQ(ToString(devices.WaitFaults(Duration(0)).error()),
            "test: waiting for faults does not return");
  source->hangs = false;
  EXPECT_TRUE(Eventually(devices).ok());
  source->go.release();
}

TEST(WatchedDevices, CanBeGivenUpWhileACallHangs) {
  const auto source = std::make_shared<HangingDevices>();
  source->hangs = true;
  {
    WatchedDevices devices(source, milliseconds(20), nullptr);
    EXPECT_FALSE(devices.Read().ok());
  }
  source->go.release();
  while (source->readings == 0) std::this_thread::yield();  // the abandoned call ends by itself
}

}  // namespace
}  // namespace gs::gpu
