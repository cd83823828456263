#include "programs/scheduler/table_builder.h"

#include <gtest/gtest.h>

#include <memory>
#include <semaphore>

#include "tests/support/machines.h"

namespace gs::scheduler {
namespace {

TEST(TableBuilderTest, WakesItsOwnerForEveryTableThatIsBuilt) {
  std::counting_semaphore<> woken(0);
  TableBuilder builder([&] { woken.release(); });
  EXPECT_TRUE(builder.TakeBuilt().empty());
  const auto machine = std::make_shared<const devices::Topology>(testing::Dgx1Volta().topology());
  builder.Build({{machine, {.count = 2}}, {machine, {.count = 4}}});
  woken.acquire();
  woken.acquire();
  const auto built = builder.TakeBuilt();
  ASSERT_EQ(built.size(), 2U);
  EXPECT_EQ(built[1].wish.key.count, 4);
  EXPECT_EQ(built[1].table.Best(machine->all()).size(), 4U);
}

TEST(TableBuilderTest, EndsWithoutFinishingWhatNobodyWaitsFor) {
  TableBuilder builder([] {});
  const auto machine = std::make_shared<const devices::Topology>(testing::Dgx2().topology());
  std::vector<devices::TableWish> wishes(100, {machine, {.count = 7}});
  builder.Build(std::move(wishes));
}

}  // namespace
}  // namespace gs::scheduler
