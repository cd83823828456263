// Properties of the fence: what is written reads back, and its rules hold in generated worlds.
// RC_PARAMS sets the number of cases and the seed.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "adapters/kube/fence/fence_lease.h"
#include "adapters/kube/fence/test_world.h"

namespace gs::kube {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

[[maybe_unused]] const int kConfigured = setenv("RC_PARAMS", "max_success=200", 0);

// ---- the text

std::string AnyText() {
  return *rc::gen::container<std::string>(
      rc::gen::elementOf(std::string("abz09-./\"\\ {}[]:,\n\x7f")));
}
std::string AnyName() {
  return *rc::gen::suchThat(rc::gen::exec(AnyText), [](const auto& text) { return !text.empty(); });
}
ResourceVersion AnyVersion() {
  return ResourceVersion(*rc::gen::element<std::string>("", "1", "99", "18446744073709551616"));
}
int AnyNumber(int limit) { return *rc::gen::resize(100, rc::gen::inRange(0, limit)); }
std::optional<TimePoint> AnyTime() {
  if (AnyNumber(2) == 0) return std::nullopt;
  return TimePoint(seconds(AnyNumber(2'000'000'000)) + microseconds(AnyNumber(1'000'000)));
}

model::PodRef AnyPod() { return {Namespace(AnyName()), PodName(AnyName()), PodUid(AnyName())}; }

model::InFlightPod AnyEntry() {
  model::InFlightPod entry{.pod = AnyPod(), .noted = AnyVersion(), .gpus = {}};
  entry.gpus.node = NodeName(AnyText());
  for (const int id : *rc::gen::unique<std::vector<int>>(rc::gen::inRange(0, 70))) {
    entry.gpus.ids.emplace_back(id);
  }
  entry.mode = *rc::gen::element(model::AllocationMode::kExclusive, model::AllocationMode::kShared,
                                 model::AllocationMode::kMap);
  entry.controller = ControllerUid(AnyText());
  entry.is_enforced = AnyNumber(2) == 0;
  return entry;
}

ReleaseRecord AnyRecord() {
  ReleaseRecord record;
  record.scheduler = SchedulerName(AnyName());
  record.ns = Namespace(AnyText());
  record.holder = {PodUid(AnyText()), AnyText()};
  record.holder_pod = PodName(AnyText());
  record.transitions = AnyNumber(1000);
  record.duration = seconds(AnyNumber(100));
  record.acquired = AnyTime();
  record.renewed = AnyTime();
  record.write = AnyNumber(1000);
  for (int i = AnyNumber(3); i > 0; --i) record.in_flight.push_back(AnyEntry());
  for (int i = AnyNumber(3); i > 0; --i) record.unresolved.push_back(AnyPod());
  record.settled = AnyVersion();
  record.is_list_lost = AnyNumber(2) == 0;
  return record;
}

RC_GTEST_PROP(FenceText, ReadsBackWhatWasWritten, ()) {
  FenceLease fence;
  fence.metadata = {.ns = Namespace(AnyName()),
                    .name = LeaseName(AnyName()),
                    .uid = LeaseUid(AnyText()),
                    .resource_version = AnyVersion()};
  fence.metadata.labels[AnyName()] = AnyText();
  fence.metadata.annotations[AnyName()] = AnyText();
  for (int i = AnyNumber(3); i >= 0; --i) {
    const ReleaseRecord record = AnyRecord();
    fence.records[RecordKey(record.scheduler)] = record;
  }
  if (AnyNumber(2) == 0) fence.unreadable["gpu.scheduling/release-" + AnyText()] = AnyText();
  if (AnyNumber(2) == 0) fence.unsettled = AnyText();
  const auto again = DecodeFenceLease(EncodeFenceLease(fence));
  RC_ASSERT(again.ok());
  RC_ASSERT(*again == fence);
}

// A record is as long as its text without the entry, and the entry.
RC_GTEST_PROP(FenceText, IsAsLongAsItSays, ()) {
  ReleaseRecord record = AnyRecord();
  record.in_flight = {AnyEntry()};
  const std::size_t before = PrintRecord(record).size();
  const model::InFlightPod entry = AnyEntry();
  record.in_flight.push_back(entry);
  RC_ASSERT(PrintRecord(record).size() == before + PrintedSize(entry));
}

// ---- the worlds

constexpr std::uint32_t kFates = 1 << 16;

// The second one leaves no slack between the deadline and the lease.
const std::vector<FenceOptions> kOptions{
    {},
    {.lease = seconds(15), .renew_deadline = seconds(15) - Duration(1), .retry = seconds(2)},
    {.lease = seconds(8), .renew_deadline = seconds(7), .retry = seconds(3)}};
const std::vector<Beginning> kBeginnings{Beginning::kFence, Beginning::kNothing,
                                         Beginning::kEarlier};

RC_GTEST_PROP(FenceProperty, NoRuleIsBrokenAndEveryReleaseGoesOn, ()) {
  WorldPlan plan;
  plan.releases = *rc::gen::element<std::size_t>(1, 2, 3);
  plan.processes = *rc::gen::element<std::size_t>(1, 2);
  plan.options = *rc::gen::elementOf(kOptions);
  plan.beginning = *rc::gen::elementOf(kBeginnings);
  const auto length = *rc::gen::resize(100, rc::gen::inRange(0, 1500));
  plan.fates = *rc::gen::container<std::vector<std::uint32_t>>(
      static_cast<std::size_t>(length),
      rc::gen::resize(100, rc::gen::inRange<std::uint32_t>(0, kFates)));
  const WorldReport report = RunWorld(plan);
  RC_ASSERT(report.violation == "");
}

// Fates from a plain generator: enough where no smallest case is wanted.
WorldPlan PlanOf(std::uint32_t seed) {
  std::mt19937 random(seed);
  WorldPlan plan{.releases = 1 + seed % 3,
                 .processes = 2,
                 .options = kOptions[seed % kOptions.size()],
                 .beginning = kBeginnings[seed / 3 % kBeginnings.size()]};
  for (int i = 0; i < 1500; ++i)
    plan.fates.push_back(static_cast<std::uint32_t>(random() % kFates));
  return plan;
}

bool IsNoticed(Preconditions preconditions) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    WorldPlan plan = PlanOf(seed);
    plan.preconditions = preconditions;
    if (!RunWorld(plan).violation.empty()) return true;
  }
  return false;
}

TEST(FenceWorld, NoticesAServerThatIgnoresTheVersion) {
  EXPECT_TRUE(IsNoticed(Preconditions::kVersionIgnored));
}

TEST(FenceWorld, NoticesAServerThatIgnoresTheUid) {
  EXPECT_TRUE(IsNoticed(Preconditions::kUidIgnored));
}

TEST(FenceWorld, EveryReleaseIsLedAndListsWhenNothingHappens) {
  for (const Beginning beginning : kBeginnings) {
    const WorldReport report = RunWorld({.releases = 3, .processes = 2, .beginning = beginning});
    EXPECT_EQ(report.violation, "");
    EXPECT_EQ(report.wins, 3);
    EXPECT_GT(report.listed, 500);
    EXPECT_EQ(report.refused, 0);
  }
}

// Renewals and lists of eight releases meet all the time.
TEST(FenceWorld, ManyReleasesMakeProgress) {
  const WorldReport report = RunWorld({.releases = 8, .processes = 1});
  EXPECT_EQ(report.violation, "");
  EXPECT_EQ(report.wins, 8);
  EXPECT_GT(report.listed, 8 * 150);
}

TEST(FenceWorld, LeadershipMovesOnWhenMuchHappens) {
  WorldReport sum;
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const WorldReport report = RunWorld(PlanOf(seed));
    EXPECT_EQ(report.violation, "") << seed;
    sum.wins += report.wins;
    sum.listed += report.listed;
    sum.refused += report.refused;
    sum.dropped += report.dropped;
  }
  EXPECT_GT(sum.wins, 400);
  EXPECT_GT(sum.listed, 1000);
  EXPECT_GT(sum.refused, 20);
  EXPECT_GT(sum.dropped, 5);
}

}  // namespace
}  // namespace gs::kube
