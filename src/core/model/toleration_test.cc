#include "core/model/toleration.h"

#include <gtest/gtest.h>

namespace gs::model {
namespace {

TEST(Toleration, OperatorsReadBackAndNewerOnesAreNotKnown) {
  for (const auto op : {TolerationOperator::kEqual, TolerationOperator::kExists}) {
    EXPECT_EQ(ParseTolerationOperator(ToString(op)), op);
  }
  EXPECT_EQ(ParseTolerationOperator("Gt"), std::nullopt);
}

TEST(Toleration, PrintsWhatItPutsUpWith) {
  EXPECT_EQ(ToString(Toleration{"team", "a", TolerationOperator::kEqual, {}}), "team Equal a");
  EXPECT_EQ(ToString(Toleration{"", "", TolerationOperator::kExists, TaintEffect::kNoExecute}),
            "any taint Exists, NoExecute");
}

}  // namespace
}  // namespace gs::model
