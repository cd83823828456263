#include "adapters/kube/election/election_lease.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gs::kube {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;
using Pods = std::vector<model::PodRef>;

ElectionLease Held() {
  ElectionLease lease;
  lease.ns = Namespace("locks");
  lease.name = LeaseName("scheduler-leader");
  lease.uid = LeaseUid("l-1");
  lease.resource_version = ResourceVersion("9");
  lease.holder = {PodUid("u-1"), "p-1"};
  lease.holder_pod = PodName("gpu-scheduler-0");
  lease.scheduler = SchedulerName("gpu-scheduler");
  lease.lock_namespace = Namespace("locks");
  lease.transitions = 3;
  lease.duration = seconds(15);
  lease.acquired = TimePoint(seconds(1'700'000'000));
  lease.renewed = TimePoint(seconds(1'700'000'009) + microseconds(5));
  lease.write = 4;
  lease.in_flight = Pods{{Namespace("team"), PodName("a"), PodUid("u-a")},
                         {Namespace("team"), PodName("b"), PodUid("u-b")}};
  lease.other_labels = {{"app.kubernetes.io/name", "gpu-scheduler"}};
  lease.other_annotations = {{"meta.helm.sh/release-name", "r"}};
  return lease;
}

ElectionLease Decoded(const std::string& json) {
  const auto lease = DecodeElectionLease(json);
  EXPECT_TRUE(lease.ok()) << lease.error();
  return lease ? *lease : ElectionLease();
}

std::string Object(const std::string& annotations, const std::string& spec) {
  return R"({"metadata":{"name":"scheduler-leader","namespace":"locks","annotations":{)" +
         annotations + R"(}},"spec":{)" + spec + "}}";
}

constexpr const char* kHeld = R"("holderIdentity":"u-1","leaseTransitions":1)";

TEST(ElectionLease, ReadsBackWhatWasWrittenAndKeepsWhatOthersWrote) {
  EXPECT_EQ(Decoded(EncodeElectionLease(Held())), Held());
}

TEST(ElectionLease, IsFoundByItsLabelAndShowsTheHolder) {
  const std::string json = EncodeElectionLease(Held());
  EXPECT_THAT(json, HasSubstr(R"("gpu.scheduling/role":"election")"));
  EXPECT_THAT(json, HasSubstr(R"("holderIdentity":"u-1")"));
  EXPECT_THAT(json, HasSubstr(R"("renewTime":"2023-11-14T22:13:29.000005Z")"));
  EXPECT_THAT(json, HasSubstr(R"("uid":"l-1","resourceVersion":"9")"));
}

TEST(ElectionLease, WithoutAHolderHasNone) {
  ElectionLease lease = Held();
  lease.holder = {};
  EXPECT_THAT(EncodeElectionLease(lease), Not(HasSubstr("holderIdentity")));
  EXPECT_FALSE(lease.is_held());
}

// Somebody may have deleted it and made it again, or wiped it with an upgrade.
TEST(ElectionLease, AsTheChartMakesItIsFreeAndItsListIsNotKnown) {
  const ElectionLease lease =
      Decoded(R"({"metadata":{"name":"scheduler-leader","namespace":"locks"},"spec":{}})");
  EXPECT_FALSE(lease.is_held());
  EXPECT_EQ(lease.in_flight, InFlightList(UnreadableList()));
}

TEST(ElectionLease, AListThatCannotBeReadIsNotKnownAndKeptAsItWas) {
  const std::string format = R"("gpu.scheduling/in-flight-format":"1",)";
  const std::string list = R"("gpu.scheduling/in-flight":)";
  for (const std::string& annotations : {
           std::string(R"("gpu.scheduling/in-flight-format":"1")"),
           list + R"("[]")",
           R"("gpu.scheduling/in-flight-format":"2",)" + list + R"("[]")",
           format + list + R"("")",
           format + list + R"("null")",
           format + list + R"("{}")",
           format + list + R"("[{}]")",
           format + list + R"("[{\"namespace\":\"team\",\"name\":\"a\"}]")",
           format + list + R"("[{\"namespace\":\"team\",")",
       }) {
    // Also where nobody ever held it: somebody meant something by it.
    for (const char* spec : {kHeld, ""}) {
      const ElectionLease lease = Decoded(Object(annotations, spec));
      ASSERT_TRUE(std::holds_alternative<UnreadableList>(lease.in_flight)) << annotations;
      EXPECT_EQ(Decoded(EncodeElectionLease(lease)), lease) << annotations;
    }
  }
}

TEST(ElectionLease, TimesAndCountersThatMakeNoSenseAreLeftOut) {
  const ElectionLease lease = Decoded(
      Object(R"("gpu.scheduling/write":"-1")", R"("holderIdentity":"u","renewTime":"yesterday")"));
  EXPECT_EQ(lease.write, 0);
  EXPECT_EQ(lease.renewed, std::nullopt);
}

TEST(ElectionLease, RefusesWhatIsNoLease) {
  EXPECT_FALSE(DecodeElectionLease("").ok());
  EXPECT_FALSE(DecodeElectionLease("[]").ok());
  EXPECT_THAT(ToString(DecodeElectionLease(Object("", R"("leaseTransitions":-1)")).error()),
              HasSubstr("election lease locks/scheduler-leader: spec.leaseTransitions"));
}

TEST(ElectionLeaseName, DependsOnTheScheduler) {
  EXPECT_EQ(ElectionLeaseName(SchedulerName("gpu-scheduler")), LeaseName("scheduler-leader"));
  const LeaseName other = ElectionLeaseName(SchedulerName("gpu-two"));
  EXPECT_THAT(other.text(), testing::MatchesRegex("scheduler-leader-[0-9a-f]{8}"));
  EXPECT_NE(other, ElectionLeaseName(SchedulerName("gpu-three")));
}

}  // namespace
}  // namespace gs::kube
