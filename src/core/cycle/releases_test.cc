#include "core/cycle/releases.h"

#include <gtest/gtest.h>

#include <chrono>

namespace gs::cycle {
namespace {

using std::chrono::seconds;

const TimePoint kNow{std::chrono::hours(1)};
constexpr Duration kPeriod = seconds(30);

model::ReleasesChecked Answer(std::uint64_t number, const std::string& why_not = "") {
  return {.number = number, .is_known = true, .why_not = why_not, .neighbours = {}};
}
model::ReleasesChecked Failure(std::uint64_t number) {
  return {.number = number, .is_known = false, .why_not = "503", .neighbours = {}};
}

class ReleasesTest : public testing::Test {
 protected:
  // The number of the check that is due, 0 if none is.
  std::uint64_t Tick(Duration later = {}) {
    const auto check = releases_.Tick(kNow + later);
    return check ? check->number : 0;
  }
  void Hear(const model::Event& event, Duration later = {}) {
    releases_.Apply(event, kNow + later);
  }

  Releases releases_{kPeriod};
};

TEST_F(ReleasesTest, NothingIsDecidedBeforeTheFirstLook) {
  EXPECT_FALSE(releases_.may_decide());
  EXPECT_EQ(Tick(), 1U);
  EXPECT_EQ(Tick(), 0U);
  EXPECT_FALSE(releases_.may_decide());
  Hear(Answer(1));
  EXPECT_TRUE(releases_.may_decide());
}

TEST_F(ReleasesTest, WhoeverIsAloneByDesignNeedNotLook) {
  Releases alone{Duration(0)};
  EXPECT_TRUE(alone.may_decide());
  alone.Apply(model::LeadershipWon{}, kNow);
  EXPECT_EQ(alone.Tick(kNow), std::nullopt);
  EXPECT_EQ(alone.NextWake(), std::nullopt);
}

TEST_F(ReleasesTest, ARivalStopsDecisionsUntilItIsGone) {
  (void)Tick();
  Hear(Answer(1, "another release"));
  EXPECT_FALSE(releases_.may_decide());
  EXPECT_EQ(releases_.why_not(), "another release");
  EXPECT_EQ(releases_.NextWake(), kNow + kPeriod);
  EXPECT_EQ(Tick(kPeriod), 2U);
  EXPECT_FALSE(releases_.may_decide());
  Hear(Answer(2), kPeriod);
  EXPECT_TRUE(releases_.may_decide());
}

TEST_F(ReleasesTest, ANewLeaderWaitsForALookThatBeganAfterItsTakeover) {
  (void)Tick();
  Hear(Answer(1));
  EXPECT_EQ(Tick(kPeriod), 2U);
  Hear(model::LeadershipWon{}, kPeriod);
  EXPECT_FALSE(releases_.may_decide());
  EXPECT_EQ(Tick(kPeriod), 3U);
  Hear(Answer(2), kPeriod);
  EXPECT_FALSE(releases_.may_decide()) << "that look began before";
  Hear(Answer(3), kPeriod);
  EXPECT_TRUE(releases_.may_decide());
}

TEST_F(ReleasesTest, ALookThatIsAnsweredJustAfterTheTakeoverIsFollowedByAnotherAtOnce) {
  (void)Tick();
  Hear(model::LeadershipWon{});
  Hear(Answer(1));  // before the next look could begin
  EXPECT_FALSE(releases_.may_decide());
  EXPECT_EQ(Tick(), 2U);
  Hear(Answer(2));
  EXPECT_TRUE(releases_.may_decide());
}

TEST_F(ReleasesTest, ALookThatFailsIsTakenAgainSoonAndChangesNothing) {
  (void)Tick();
  Hear(Failure(1));
  EXPECT_EQ(releases_.why_not(), "other releases in the cluster are not known yet: 503");
  EXPECT_EQ(Tick(seconds(1)), 2U);
  Hear(Answer(2), seconds(1));
  EXPECT_EQ(Tick(seconds(31)), 3U);
  Hear(Failure(3), seconds(31));
  EXPECT_TRUE(releases_.may_decide());
}

}  // namespace
}  // namespace gs::cycle
