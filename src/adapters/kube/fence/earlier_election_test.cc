#include "adapters/kube/fence/earlier_election.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/stable_hash.h"

namespace gs::kube {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using Pods = std::vector<model::PodRef>;

// As the version before wrote it.
constexpr const char* kHeld =
    R"({"metadata":{"name":"scheduler-leader","namespace":"gpu","uid":"l-1","resourceVersion":"9",)"
    R"("labels":{"gpu.scheduling/role":"election","app":"x"},"annotations":{)"
    R"("meta.helm.sh/release-name":"r","gpu.scheduling/holder-pod":"gpu-scheduler-0",)"
    R"("gpu.scheduling/process":"p1","gpu.scheduling/scheduler":"gpu-scheduler",)"
    R"("gpu.scheduling/lock-namespace":"gpu","gpu.scheduling/write":"4",)"
    R"("gpu.scheduling/in-flight-format":"1","gpu.scheduling/in-flight":)"
    R"("[{\"namespace\":\"team\",\"name\":\"a\",\"uid\":\"u-a\"}]"}},)"
    R"("spec":{"holderIdentity":"u-1","leaseDurationSeconds":15,"leaseTransitions":3,)"
    R"("acquireTime":"2024-05-01T12:00:00.000001Z","renewTime":"2024-05-01T12:00:09.500000Z"}})";

EarlierElection Decoded(const std::string& json) {
  const auto lease = DecodeEarlierElection(json);
  EXPECT_TRUE(lease.ok()) << lease.error();
  return lease ? *lease : EarlierElection();
}

EarlierElection WithList(const std::string& format, const std::string& pods) {
  EarlierElection lease = Decoded(kHeld);
  lease.metadata.annotations["gpu.scheduling/in-flight-format"] = format;
  lease.metadata.annotations["gpu.scheduling/in-flight"] = pods;
  return lease;
}

TEST(EarlierElection, ReadsHolderAndList) {
  const EarlierElection lease = Decoded(kHeld);
  EXPECT_EQ(lease.holder, "u-1");
  EXPECT_EQ(lease.transitions, 3);
  EXPECT_EQ(lease.duration, seconds(15));
  EXPECT_EQ(ListOf(lease), (Pods{{Namespace("team"), PodName("a"), PodUid("u-a")}}));
  EXPECT_EQ(Decoded(EncodeEarlierElection(lease)), lease);
}

TEST(EarlierElection, HasTheNameOfTheVersionBefore) {
  EXPECT_EQ(EarlierElectionName(SchedulerName("gpu-scheduler")).text(), "scheduler-leader");
  EXPECT_EQ(EarlierElectionName(SchedulerName("gpu-b")).text(),
            "scheduler-leader-" + StableHashHex("gpu-b").substr(0, 8));
}

TEST(EarlierElection, AListThatCannotBeReadIsNotEmpty) {
  EXPECT_EQ(ListOf(WithList("1", "[]")), Pods());
  EXPECT_EQ(ListOf(WithList("2", "[]")), std::nullopt);
  EXPECT_EQ(ListOf(WithList("1", "null")), std::nullopt);
  EXPECT_EQ(ListOf(WithList("1", "{}")), std::nullopt);
  EXPECT_EQ(ListOf(WithList("1", R"([{"namespace":"team","name":"a"}])")), std::nullopt);
  EXPECT_EQ(ListOf(EarlierElection()), std::nullopt);
}

TEST(EarlierElection, ATombstoneKeepsAllButWhoHoldsIt) {
  const EarlierElection lease = Decoded(kHeld);
  const EarlierElection tombstone = TombstoneOf(lease, TimePoint(seconds(7)));
  EXPECT_TRUE(IsTombstone(tombstone));
  EXPECT_FALSE(IsTombstone(lease));
  EXPECT_EQ(tombstone.metadata, lease.metadata);
  EXPECT_EQ(ListOf(tombstone), ListOf(lease));
  EXPECT_EQ(tombstone.transitions, 4);
  EXPECT_EQ(Decoded(EncodeEarlierElection(tombstone)), tombstone);
  EXPECT_THAT(EncodeEarlierElection(tombstone), HasSubstr(R"("leaseDurationSeconds":2147483647)"));
}

TEST(EarlierElection, OnlyTheHolderShowsThatItLives) {
  const EarlierElection lease = Decoded(kHeld);
  EarlierElection edited = lease;
  edited.metadata.labels["edited"] = "yes";
  edited.metadata.resource_version = ResourceVersion("10");
  EXPECT_TRUE(IsSameTerm(lease, edited));
  EarlierElection renewed = lease;
  renewed.metadata.annotations["gpu.scheduling/write"] = "5";
  EXPECT_FALSE(IsSameTerm(lease, renewed));
  renewed = lease;
  renewed.holder = "u-2";
  EXPECT_FALSE(IsSameTerm(lease, renewed));
}

TEST(EarlierElection, RefusesWhatIsNoLease) {
  EXPECT_FALSE(DecodeEarlierElection("[]").ok());
  EXPECT_FALSE(DecodeEarlierElection(R"({"metadata":{"name":"x"}})").ok());
}

}  // namespace
}  // namespace gs::kube
