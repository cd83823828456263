// How a double allocation comes about without a rule, told step by step, for the rules whose lack
// chance does not find in time. With all rules on, the same steps do no harm.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "base/text.h"
#include "core/commit/simulation/checker.h"
#include "core/commit/simulation/world.h"

namespace gs::commit::simulation {
namespace {

constexpr std::uint16_t kPods = 4;    // as Action::kWatch reads it: five events of that kind
constexpr std::uint16_t kLeases = 9;  // likewise

// Two processes, one GPU, and the pods x0 and x1. Nobody minds Leases, as if users deleted them.
class Story {
 public:
  explicit Story(const Rules& rules)
      : world_({.replicas = 2, .gpus = 1, .pods = 2, .minds_leases = false}, rules) {
    world_.KeepTrace();
  }

  void Watches(std::uint16_t process) {
    Do(Action::kWatch, process, kPods);
    Do(Action::kWatch, process, kLeases);
  }
  void Arrives(std::size_t process, std::string_view words) { (void)world_.Arrive(process, words); }
  void IsTurnedAway(std::size_t process, std::string_view words) {
    (void)world_.TurnAway(process, words);
  }
  void TakesOver(std::uint16_t process) {
    Do(Action::kCampaign, process);
    Arrives(process, "put election");
  }
  void Crashes(std::uint16_t process) { Do(Action::kCrash, process); }
  void UserDeletesTheLease() { Do(Action::kDeleteLease, 0); }
  void UserDeletesTheElection() { Do(Action::kDeleteElection, 0); }

  // The first process leads, and its Binding of x1 is on its way and late, while x0 waits.
  void BindingIsLate() {
    TakesOver(0);
    Arrives(0, "ask for the version");
    Watches(0);
    Arrives(0, "put election");
    IsTurnedAway(0, "create");   // the lock for x0, so that x1 comes first
    Arrives(0, "put election");  // without x0
    Arrives(0, "put election");  // with x1
    Arrives(0, "create");
  }
  // The second one, if it decides already, binds x0.
  void SecondBinds() {
    UserDeletesTheLease();
    Arrives(1, "put election");
    Arrives(1, "create");
    Arrives(1, "bind");
  }

  // What the API server has seen by now is a double allocation.
  [[nodiscard]] bool HasDouble() const {
    return FindDoubleAllocation(world_.server(), World::kSharers).has_value();
  }
  // Whatever is still on its way arrives.
  [[nodiscard]] bool EndsWell() { return world_.ComeToRest() && !HasDouble(); }
  [[nodiscard]] std::string Told() const {
    return text::Join(world_.trace(), "\n  ", [](const std::string& line) { return line; });
  }

 private:
  void Do(Action action, std::uint16_t a, std::uint16_t b = 0) {
    world_.Do({.action = action, .a = a, .b = b});
  }

  World world_;
};

// The Binding lands between what the new leader was told of the version and its touch. The answer
// to the touch is there before the view shows that the pod is bound.
void BoundJustBeforeTheTouch(Story& story) {
  story.BindingIsLate();
  story.Watches(1);
  story.TakesOver(1);
  story.Arrives(1, "ask for the version");
  story.Watches(1);
  story.Arrives(0, "bind");
  story.Arrives(1, "touch");
  story.SecondBinds();
}

// The new leader dies before its touch has arrived, and whoever comes next has only the list.
void DiesBeforeItsTouch(Story& story) {
  story.BindingIsLate();
  story.Watches(1);
  story.TakesOver(1);
  story.Arrives(1, "put election");
  story.Crashes(1);
  story.Watches(1);
  story.TakesOver(1);
  story.Arrives(1, "touch default/x0");
  story.Arrives(1, "ask for the version");  // of the one that died
  story.Arrives(1, "ask for the version");
  story.Watches(1);
  story.SecondBinds();
  story.Arrives(0, "bind");
}

// Without a list and with nothing in view yet, the new leader meets the pods only later.
void SeesPodsOnlyLater(Story& story) {
  story.BindingIsLate();
  story.UserDeletesTheElection();
  story.TakesOver(1);
  story.Arrives(1, "ask for the version");
  story.Watches(1);
  story.SecondBinds();
  story.Arrives(0, "bind");
}

struct Lack {
  const char* name;
  Rules rules;
  void (*tell)(Story& story);
};

void PrintTo(const Lack& lack, std::ostream* out) { *out << lack.name; }

class WithoutTheRule : public testing::TestWithParam<Lack> {};

TEST_P(WithoutTheRule, AGpuIsGivenTwice) {
  Story story(GetParam().rules);
  GetParam().tell(story);
  EXPECT_TRUE(story.HasDouble()) << story.Told();
}

TEST_P(WithoutTheRule, AndWithItTheSameStoryEndsWell) {
  Story story{Rules()};
  GetParam().tell(story);
  EXPECT_TRUE(story.EndsWell()) << story.Told();
}

INSTANTIATE_TEST_SUITE_P(
    Rules, WithoutTheRule,
    testing::Values(Lack{"touch_seen", {.touch_seen = false}, BoundJustBeforeTheTouch},
                    Lack{"list_kept", {.list_kept = false}, DiesBeforeItsTouch},
                    Lack{"touch_late", {.touch_late = false}, SeesPodsOnlyLater}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace gs::commit::simulation
