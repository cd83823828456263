#include "core/model/node.h"

#include <gtest/gtest.h>

namespace gs::model {
namespace {

TEST(Node, TaintEffectsReadBack) {
  for (const auto effect :
       {TaintEffect::kNoSchedule, TaintEffect::kPreferNoSchedule, TaintEffect::kNoExecute}) {
    EXPECT_EQ(ParseTaintEffect(ToString(effect)), effect);
  }
  EXPECT_EQ(ToString(Taint{"key", "", TaintEffect::kNoExecute}), "key:NoExecute");
}

TEST(Resources, PrintsOnlyWhatIsThere) {
  EXPECT_EQ(ToString(Resources{}), "nothing");
  EXPECT_EQ(ToString(Resources{1500, std::int64_t{1} << 30, 2, {{"amd.com/gpu", 1}}}),
            "cpu 1500m, memory 1Gi, nvidia.com/gpu 2, amd.com/gpu 1");
}

}  // namespace
}  // namespace gs::model
