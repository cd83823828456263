#include "bench/replay/replay.h"

#include <gtest/gtest.h>

namespace gs::replay {
namespace {

TEST(ReplayTest, TheSameSeedGivesTheSameResult) {
  const Stream stream = Generate({.seed = 7, .demand = 0.4});
  EXPECT_EQ(Replay(stream, Policy::kRandom, Misfit::kDropped, 1),
            Replay(Generate({.seed = 7, .demand = 0.4}), Policy::kRandom, Misfit::kDropped, 1));
  EXPECT_NE(Replay(stream, Policy::kRandom, Misfit::kDropped, 1),
            Replay(stream, Policy::kRandom, Misfit::kDropped, 2));
}

TEST(ReplayTest, NothingIsPlacedTwiceOrBeyondTheCluster) {
  const Stream stream = Generate({.seed = 3, .demand = 1.3});
  const Tally tally = Replay(stream, Policy::kOurs, Misfit::kDropped, 1);
  EXPECT_LE(tally.gpus, stream.gpus());
  EXPECT_LE(tally.used, 1.0);
  EXPECT_EQ(tally.waited, 0.0);
}

TEST(ReplayTest, WithRoomForAllEveryoneIsPlacedAtOnceWhateverThePolicy) {
  const Stream stream = Generate({.seed = 5, .demand = 0.2});
  for (const Policy policy : {Policy::kOurs, Policy::kBestFit, Policy::kFirstFit}) {
    const Tally tally = Replay(stream, policy, Misfit::kWaits, 1);
    EXPECT_EQ(tally.pods, static_cast<std::int64_t>(stream.arrivals.size())) << ToString(policy);
    EXPECT_EQ(tally.waited, 0.0) << ToString(policy);
  }
}

}  // namespace
}  // namespace gs::replay
