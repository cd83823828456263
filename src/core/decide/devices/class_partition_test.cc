// Partitions by class against partitions by mask and by brute force.
#include "core/decide/devices/class_partition.h"

#include <gtest/gtest.h>

#include <random>

#include "core/decide/devices/mask_partition.h"
#include "tests/support/brute_force.h"
#include "tests/support/machines.h"

namespace gs::devices {
namespace {

struct Question {
  explicit Question(Topology asked, GpuSet unused, std::size_t size)
      : topology(std::move(asked)),
        availability{.unused = unused, .sharers = {}, .unhealthy = {}},
        objective(topology, availability, Aim::kTogether),
        restriction(Restriction::None(topology)),
        problem{.topology = topology,
                .objective = objective,
                .restriction = restriction,
                .candidates = unused,
                .unused = unused,
                .must = GpuSet(),
                .count = size} {}

  Topology topology;
  Availability availability;
  Objective objective;
  Restriction restriction;
  Problem problem;
};

std::int64_t BestByClass(const Question& question, GpuSet gpus) {
  const WiringClasses classes(question.problem);
  Budget budget(10'000'000);
  ClassPartition partition(classes, question.problem.count, budget);
  const auto counts = classes.CountsOf(gpus);
  const std::int64_t best = partition.Best(counts);
  EXPECT_GE(partition.UpperBound(counts), best);
  EXPECT_FALSE(budget.is_spent());
  return best;
}

TEST(WiringClasses, GpusThatAreWiredAlikeAreOneClass) {
  const Question hives(testing::Hives(3, 4).topology(), GpuSet::FirstN(12), 2);
  const WiringClasses classes(hives.problem);
  EXPECT_EQ(classes.size(), 3U);
  EXPECT_EQ(classes.replica(0), classes.replica(2));
  EXPECT_EQ(classes.Canonical({1, 4, 2}), (ClassCounts{4, 2, 1}));

  const Question dgx(testing::Dgx1Volta().topology(), GpuSet::FirstN(8), 2);
  EXPECT_EQ(WiringClasses(dgx.problem).size(), 8U);  // no two GPUs have the same links
}

TEST(WiringClasses, MustIncludesAreClassesOfTheirOwn) {
  Question hives(testing::Hives(2, 4).topology(), GpuSet::FirstN(8), 2);
  hives.problem.must = GpuSet::Of(1);
  const WiringClasses classes(hives.problem);
  EXPECT_EQ(classes.size(), 3U);
  EXPECT_EQ(classes.members(1), GpuSet::Of(1));
}

TEST(ClassPartition, AgreesWithMasksOnHives) {
  std::mt19937 random(9);
  for (int round = 0; round < 200; ++round) {
    const std::size_t size = 2 + random() % 6;
    const GpuSet unused = GpuSet(random()) & GpuSet::FirstN(12);
    if (unused.empty()) continue;
    const Question question(testing::Hives(3, 4).topology(), unused, size);
    const MaskPartition masks(question.topology, question.topology.all(), static_cast<int>(size));
    ASSERT_EQ(BestByClass(question, unused), masks.Best(masks.MaskOf(unused))) << "round " << round;
  }
}

TEST(ClassPartition, AgreesWithBruteForceOnIrregularMachines) {
  const Topology topology = testing::Dgx1Volta().topology();
  for (std::size_t size = 2; size <= 5; ++size) {
    const Question question(topology, topology.all(), size);
    EXPECT_EQ(BestByClass(question, topology.all()),
              testing::BruteForcePartition(topology, {0, 1, 2, 3, 4, 5, 6, 7}, size));
  }
}

TEST(ClassPartition, FloorOnlySavesWork) {
  const Question question(testing::Hives(4, 4).topology(), GpuSet(0b0111'0011'0111'1111), 5);
  const WiringClasses classes(question.problem);
  const auto counts = classes.CountsOf(question.problem.unused);
  Budget budget(10'000'000);
  ClassPartition exact(classes, 5, budget);
  const std::int64_t best = exact.Best(counts);
  for (const std::int64_t floor : {best - 1, best, best + 50}) {
    ClassPartition partition(classes, 5, budget);
    const std::int64_t answer = partition.Best(counts, floor);
    if (floor < best) EXPECT_EQ(answer, best);
    if (floor >= best) EXPECT_LE(answer, floor);
    EXPECT_EQ(partition.Best(counts), best);  // what was learned with a floor does not mislead
  }
}

}  // namespace
}  // namespace gs::devices
