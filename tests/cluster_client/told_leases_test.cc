// The judge of the watch tests: it must notice what must never happen.
#include "tests/cluster_client/told_leases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gs::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

model::Event Seen(const std::string& uid, const std::string& version) {
  model::GpuLease lease;
  lease.name = LeaseName("a");
  lease.uid = LeaseUid(uid);
  lease.resource_version = ResourceVersion(version);
  return model::LeaseSeen{lease};
}

model::Event Gone(const std::string& uid) {
  return model::LeaseGone{LeaseName("a"), LeaseUid(uid)};
}

std::vector<std::string> MistakesOf(const std::vector<model::Event>& events) {
  ToldLeases told;
  told.Take(events);
  return told.mistakes();
}

TEST(ToldLeases, AnHonestHistoryHasNoMistakes) {
  ToldLeases told;
  told.Take({Seen("1", "9"), Seen("1", "10"), Gone("1"), Seen("2", "12")});
  EXPECT_THAT(told.mistakes(), IsEmpty());
  EXPECT_TRUE(told.WaitFor({{"a", "12"}}, Duration(0)));
  EXPECT_FALSE(told.WaitFor({}, Duration(0)));
}

TEST(ToldLeases, NoticesWhatIsToldTwiceOrGoesBackwards) {
  EXPECT_THAT(MistakesOf({Seen("1", "9"), Seen("1", "9")}),
              ElementsAre("a in version 9 was told twice", "a in version 9 went backwards"));
  EXPECT_THAT(MistakesOf({Seen("1", "10"), Seen("1", "9")}),
              ElementsAre("a in version 9 went backwards"));
}

TEST(ToldLeases, NoticesDeletionsThatAreMissingOrInvented) {
  EXPECT_THAT(MistakesOf({Seen("1", "9"), Seen("2", "10")}),
              ElementsAre("a in version 10 replaced another unseen"));
  EXPECT_THAT(MistakesOf({Gone("1")}), ElementsAre("a went without having been there"));
  EXPECT_THAT(MistakesOf({Seen("1", "9"), Gone("2")}),
              ElementsAre("a went without having been there"));
  EXPECT_THAT(MistakesOf({Seen("1", "9"), Gone("1"), Seen("1", "10")}),
              ElementsAre("a in version 10 came back"));
}

}  // namespace
}  // namespace gs::testing
