#include "core/health/judge.h"

#include <gtest/gtest.h>

#include <string>

namespace gs::health {
namespace {

using model::DeviceReport;
using model::Link;
using model::LinkKind;
using model::RecoveryNeed;
using std::chrono::minutes;

const Verdict kWell{};

Verdict Ill(std::string reason) {
  return {.health = model::Health::kUnhealthy, .reason = std::move(reason)};
}

// GPUs GPU-0, GPU-1, … that have nothing to report.
DeviceReport Gpus(std::size_t count) {
  DeviceReport report;
  for (std::size_t i = 0; i < count; ++i) {
    report.machine.devices.push_back(
        {.id = GpuId(static_cast<std::int32_t>(i)), .uuid = GpuUuid("GPU-" + std::to_string(i))});
  }
  report.machine.links = model::LinkMatrix(count);
  report.facts.resize(count);
  report.processes.resize(count);
  return report;
}

model::GpuFault Xid(std::int64_t number, const std::string& uuid = "GPU-0") {
  return {.uuid = GpuUuid(uuid), .xid = number, .message = "Xid " + std::to_string(number)};
}

class JudgeTest : public testing::Test {
 protected:
  // The verdict on GPU 0 after some minutes.
  Verdict After(int passed, const DeviceReport& report) {
    now_ += minutes(passed);
    return judge_.See(report, now_).at(0);
  }
  Verdict Now(const DeviceReport& report) { return After(0, report); }

  Judge judge_{Rules{.quiet = minutes(5)}};
  TimePoint now_{minutes(1000)};
  DeviceReport well_ = Gpus(2);
  DeviceReport ill_ = Gpus(2);
};

TEST_F(JudgeTest, FindsNothingWrongWithAQuietGpu) {
  EXPECT_EQ(judge_.See(well_, now_), (std::vector{kWell, kWell}));
}

TEST_F(JudgeTest, CountsAnXidAtOnceAndForgetsItAfterAQuietPeriod) {
  EXPECT_EQ(Now(well_), kWell);
  EXPECT_TRUE(judge_.See(Xid(79), now_));
  EXPECT_EQ(judge_.See(well_, now_), (std::vector{Ill("Xid 79"), kWell}));
  EXPECT_EQ(After(4, well_), Ill("Xid 79"));
  EXPECT_EQ(After(1, well_), kWell);
}

TEST_F(JudgeTest, BeginsTheQuietPeriodAnewWithEveryFault) {
  judge_.See(Xid(48), now_);
  EXPECT_EQ(After(4, well_), Ill("Xid 48"));
  judge_.See(Xid(63), now_);
  EXPECT_EQ(After(4, well_), Ill("Xid 63"));
  EXPECT_EQ(After(1, well_), kWell);
}

TEST_F(JudgeTest, IgnoresErrorsOfPrograms) {
  for (const std::int64_t xid : {13, 31, 43, 45, 68, 109}) {
    EXPECT_FALSE(judge_.See(Xid(xid), now_)) << xid;
  }
  EXPECT_EQ(Now(well_), kWell);
}

TEST_F(JudgeTest, TakesAFaultOfNobodyForAFaultOfAll) {
  EXPECT_EQ(Now(well_), kWell);
  judge_.See(model::GpuFault{.uuid = {}, .xid = 79, .message = "Xid 79"}, now_);
  EXPECT_EQ(judge_.See(well_, now_), (std::vector{Ill("Xid 79"), Ill("Xid 79")}));
}

TEST_F(JudgeTest, KeepsAGpuThatComesAndGoes) {
  ill_.facts[0].is_lost = true;
  EXPECT_EQ(Now(ill_), Ill("lost"));
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(After(4, well_), Ill("lost"));
    EXPECT_EQ(After(1, ill_), Ill("lost"));
  }
  EXPECT_EQ(After(4, well_), Ill("lost"));
  EXPECT_EQ(After(1, well_), kWell);
}

TEST_F(JudgeTest, NamesTheWorstFirst) {
  ill_.facts[0] = {.is_lost = true, .has_mig = true, .has_remap_failed = true};
  EXPECT_EQ(Now(ill_), Ill("lost"));
  ill_.facts[0].is_lost = false;
  EXPECT_EQ(Now(ill_), Ill("memory that failed could not be replaced"));
}

TEST_F(JudgeTest, CountsNewMemoryErrorsAndNotThoseFromBeforeItLooked) {
  well_.facts[0].uncorrected_ecc = 2;
  EXPECT_EQ(Now(well_), kWell);
  well_.facts[0].uncorrected_ecc = 3;
  EXPECT_EQ(Now(well_), Ill("uncorrected memory errors: 3"));
  EXPECT_EQ(After(5, well_), kWell);
  well_.facts[0].uncorrected_ecc = 0;  // a reset
  EXPECT_EQ(Now(well_), kWell);
  well_.facts[0].uncorrected_ecc = 1;
  EXPECT_EQ(Now(well_), Ill("uncorrected memory errors: 1"));
}

TEST_F(JudgeTest, WaitsForTheResetThatReplacesFailedMemory) {
  ill_.facts[0] = {.uncorrected_ecc = 1, .has_remap_pending = true};
  EXPECT_EQ(Now(ill_), Ill("uncorrected memory errors: 1"));
  EXPECT_EQ(After(600, ill_), Ill("uncorrected memory errors: 1"));
  EXPECT_EQ(After(4, well_), Ill("uncorrected memory errors: 1"));
  EXPECT_EQ(After(1, well_), kWell);
}

TEST_F(JudgeTest, TakesMemoryThatWaitsForAResetAloneForNoTrouble) {
  ill_.facts[0].has_remap_pending = true;
  EXPECT_EQ(Now(ill_), kWell);
}

TEST_F(JudgeTest, DoesWhatTheDriverAsksFor) {
  ill_.facts[0].recovery = RecoveryNeed::kReset;
  EXPECT_EQ(Now(ill_), Ill("the driver asks for a reset of the GPU"));
  EXPECT_EQ(After(600, ill_), Ill("the driver asks for a reset of the GPU"));
  ill_.facts[0].recovery = RecoveryNeed::kReboot;
  EXPECT_EQ(Now(ill_), Ill("the driver asks for a reboot of the node"));
  ill_.facts[0].recovery = RecoveryNeed::kDrain;
  EXPECT_EQ(Now(ill_), Ill("the driver asks for the end of its pods and a reset"));
  EXPECT_EQ(After(5, well_), kWell);
}

TEST_F(JudgeTest, EndsAModeWhenItEnds) {
  ill_.facts[0].has_mig = true;
  EXPECT_EQ(Now(ill_), Ill("MIG mode is on"));
  EXPECT_EQ(Now(well_), kWell);
  ill_.facts[0].stated = "on loan";
  EXPECT_EQ(Now(ill_), Ill("on loan"));
  EXPECT_EQ(Now(well_), kWell);
}

TEST_F(JudgeTest, MissesALinkThatWasThere) {
  well_.facts[0].links_up = 6;
  ill_.facts[0].links_up = 4;
  EXPECT_EQ(Now(ill_), kWell);  // links may be absent by design
  EXPECT_EQ(Now(well_), kWell);
  EXPECT_EQ(Now(ill_), Ill("2 links are down"));
  ill_.facts[0].links_up = 5;
  EXPECT_EQ(Now(ill_), Ill("1 link is down"));
  EXPECT_EQ(After(5, well_), kWell);
  ill_.facts[0] = {.has_mig = true, .links_up = 0};  // which turns links off
  EXPECT_EQ(Now(ill_), Ill("MIG mode is on"));
}

TEST_F(JudgeTest, DoesNotBlameAGpuForLinksToOneThatIsGone) {
  well_.facts[0].links_up = 2;
  EXPECT_EQ(Now(well_), kWell);
  ill_.facts[0].links_up = 1;
  ill_.facts[1].is_lost = true;
  EXPECT_EQ(judge_.See(ill_, now_), (std::vector{kWell, Ill("lost")}));
  DeviceReport alone = Gpus(1);
  EXPECT_EQ(Now(alone), kWell);
}

TEST_F(JudgeTest, MissesALinkToASwitchThatItsLikeHas) {
  ill_.machine.links.Set(0, 1, Link{.kind = LinkKind::kNvSwitch, .count = 17});
  ill_.facts[0].links_up = 17;
  ill_.facts[1].links_up = 18;
  EXPECT_EQ(judge_.See(ill_, now_), (std::vector{Ill("1 link is down"), kWell}));
  Judge other;
  ill_.machine.devices[1].model = "another";
  EXPECT_EQ(other.See(ill_, now_), (std::vector{kWell, kWell}));
}

TEST_F(JudgeTest, FollowsAGpuWhoseIdChanges) {
  judge_.See(Xid(79), now_);
  std::swap(well_.machine.devices[0].uuid, well_.machine.devices[1].uuid);
  EXPECT_EQ(judge_.See(well_, now_), (std::vector{kWell, Ill("Xid 79")}));
}

TEST_F(JudgeTest, KeepsTheTroubleOfAGpuThatVanishesAndReturns) {
  judge_.See(Xid(79), now_);
  EXPECT_TRUE(judge_.See(Gpus(0), now_).empty());
  EXPECT_EQ(After(4, well_), Ill("Xid 79"));
  EXPECT_TRUE(judge_.See(Gpus(0), now_ += minutes(1)).empty());
  EXPECT_EQ(Now(well_), kWell);
}

TEST_F(JudgeTest, TellsGpusWithoutUuidByTheirIds) {
  for (auto& device : ill_.machine.devices) device.uuid = {};
  ill_.facts[1].is_lost = true;
  EXPECT_EQ(judge_.See(ill_, now_), (std::vector{kWell, Ill("lost")}));
}

TEST_F(JudgeTest, RemembersWhatAnEarlierLifePublished) {
  model::Machine published = well_.machine;
  published.devices[0].health = model::Health::kUnhealthy;
  published.devices[0].health_reason = "Xid 79";
  published.devices[1].health = model::Health::kUnhealthy;
  published.devices[1].health_reason = std::string(kMig);
  judge_.Remember(published, now_);
  EXPECT_EQ(judge_.See(well_, now_), (std::vector{Ill("Xid 79"), kWell}));
  EXPECT_EQ(After(5, well_), kWell);
}

TEST_F(JudgeTest, RemembersNoModeThatIsStillThere) {
  model::Machine published = well_.machine;
  published.devices[0].health = model::Health::kUnhealthy;
  published.devices[0].health_reason = "on loan";
  judge_.Remember(published, now_);
  ill_.facts[0].stated = "on loan";
  EXPECT_EQ(Now(ill_), Ill("on loan"));
  EXPECT_EQ(Now(well_), kWell);
}

}  // namespace
}  // namespace gs::health
