#include "programs/agent/reading.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <deque>

#include "adapters/runtime/mutex.h"
#include "core/agent/values_for_test.h"

namespace gs::agent {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HeldBy;
using testing::MachineWith;
using testing::ReportOf;

const NodeName kNode("node-a");

// What a source of devices does next, told from the test.
struct Script {
  runtime::Mutex mutex;
  bool fails GS_GUARDED_BY(mutex) = false;
  std::deque<model::GpuFault> faults GS_GUARDED_BY(mutex);
  bool has_faults = false;
};

class ScriptedDevices final : public gpu::DeviceSource {
 public:
  explicit ScriptedDevices(Script& script) : script_(script) {}
  [[nodiscard]] std::string name() const override { return "script"; }
  [[nodiscard]] Result<model::DeviceReport> Read() override {
    const runtime::MutexLock lock(script_.mutex);
    if (script_.fails) return Error(ErrorKind::kUnavailable, "no answer");
    return ReportOf(MachineWith({"A"}));
  }
  [[nodiscard]] bool has_faults() const override { return script_.has_faults; }
  [[nodiscard]] Result<std::vector<model::GpuFault>> WaitFaults(Duration) override {
    std::vector<model::GpuFault> faults;
    {
      const runtime::MutexLock lock(script_.mutex);
      faults.assign(script_.faults.begin(), script_.faults.end());
      script_.faults.clear();
    }
    if (faults.empty()) std::this_thread::sleep_for(milliseconds(5));
    return faults;
  }

 private:
  Script& script_;
};

class ReadingTest : public ::testing::Test {
 protected:
  void Start(Duration every, AskKubelet ask = nullptr, bool is_found = true) {
    OpenSource open = [this, is_found]() -> Result<std::unique_ptr<gpu::DeviceSource>> {
      ++opened_;
      if (!is_found) return std::unique_ptr<gpu::DeviceSource>();
      return std::unique_ptr<gpu::DeviceSource>(std::make_unique<ScriptedDevices>(script_));
    };
    reading_.emplace(
        std::vector<NodeDevices>{{kNode, std::move(open), std::move(ask)}}, every,
        [this](const NodeName& node, Event event) {
          EXPECT_EQ(node, kNode);
          (void)told_.Push(std::move(event));
        },
        runtime::Logger({.write = [](std::string_view) {}}));
  }
  // The next event of that kind; others are dropped.
  template <class Kind>
  Kind Next() {
    const auto deadline = std::chrono::steady_clock::now() + seconds(60);
    while (const auto event = told_.Pop(deadline)) {
      if (const auto* found = std::get_if<Kind>(&*event)) return *found;
    }
    ADD_FAILURE() << "nothing came";
    return Kind{};
  }
  void Set(bool Script::*what, bool value) {
    const runtime::MutexLock lock(script_.mutex);
    script_.*what = value;
  }

  Script script_;
  std::atomic<int> opened_ = 0;
  runtime::Mailbox<Event> told_;
  std::optional<Reading> reading_;
};

TEST_F(ReadingTest, ReadsAtOnceAndAgain) {
  Start(milliseconds(20));
  EXPECT_EQ(Next<DevicesRead>().report.machine, MachineWith({"A"}));
  (void)Next<DevicesRead>();
  EXPECT_EQ(opened_, 1);
}

TEST_F(ReadingTest, ALookThatIsWantedDoesNotWaitAndCarriesItsNumber) {
  Start(hours(1));
  EXPECT_EQ(Next<DevicesRead>().look, 0U);
  reading_->LookAgain(kNode, 7);
  EXPECT_EQ(Next<DevicesRead>().look, 7U);
  reading_->LookAgain(NodeName("elsewhere"), 9);
}

TEST_F(ReadingTest, WhatFailsIsToldAndTriedAgain) {
  Set(&Script::fails, true);
  Start(milliseconds(20));
  EXPECT_THAT(Next<DevicesUnreadable>().why, ::testing::HasSubstr("no answer"));
  Set(&Script::fails, false);
  (void)Next<DevicesRead>();
  EXPECT_EQ(opened_, 1);
}

TEST_F(ReadingTest, ADriverThatIsNotThereIsLookedForAgain) {
  Start(milliseconds(20), nullptr, false);
  EXPECT_THAT(Next<DevicesUnreadable>().why, ::testing::HasSubstr("no driver"));
  (void)Next<DevicesUnreadable>();
  EXPECT_GE(opened_, 2);
}

TEST_F(ReadingTest, TheKubeletIsAskedWithEveryLook) {
  std::atomic<bool> is_there = true;
  Start(milliseconds(20), [&is_there]() -> Result<std::vector<Held>> {
    if (!is_there) return Error(ErrorKind::kUnavailable, "no kubelet");
    return std::vector<Held>{HeldBy("a", {"A"})};
  });
  EXPECT_THAT(Next<HeldRead>().held, ::testing::ElementsAre(HeldBy("a", {"A"})));
  is_there = false;
  (void)Next<HeldUnreadable>();
  reading_.reset();
}

TEST_F(ReadingTest, FaultsAreToldAtOnceAndFollowedByALook) {
  script_.has_faults = true;
  Start(hours(1));
  (void)Next<DevicesRead>();
  {
    const runtime::MutexLock lock(script_.mutex);
    script_.faults.push_back({GpuUuid("A"), 79, "Xid 79"});
  }
  EXPECT_EQ(Next<FaultSeen>().fault.xid, 79);
  (void)Next<DevicesRead>();
}

}  // namespace
}  // namespace gs::agent
