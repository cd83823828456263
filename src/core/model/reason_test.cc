#include "core/model/reason.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace gs::model {
namespace {

TEST(Reason, WhatTheAuthorMustMendLeads) {
  const std::vector<Reason> reasons{{ReasonToken::kGpuHeld, "held"},
                                    {ReasonToken::kMapInvalid, "line 2"},
                                    {ReasonToken::kTooFewGpus, "2 of 4"}};
  EXPECT_EQ(LeadingReason(reasons), reasons[1]);
}

TEST(Reason, OfEqualTokensTheFirstLeads) {
  const std::vector<Reason> reasons{{ReasonToken::kTooFewGpus, "node-a"},
                                    {ReasonToken::kTooFewGpus, "node-b"}};
  EXPECT_EQ(LeadingReason(reasons).message, "node-a");
}

TEST(Reason, PrintsTokenAndMessage) {
  EXPECT_EQ(ToString(Reason{ReasonToken::kGpuHeld, "GPU 1 of node-a is held by team/b"}),
            "GpuHeld: GPU 1 of node-a is held by team/b");
}

TEST(Reason, EveryTokenHasANameOfItsOwn) {
  std::set<std::string_view> names;
  const auto last = static_cast<std::uint8_t>(ReasonToken::kBackoff);
  for (std::uint8_t token = 0; token <= last; ++token) {
    names.insert(ToString(static_cast<ReasonToken>(token)));
  }
  EXPECT_EQ(names.size(), last + 1U);
  EXPECT_FALSE(names.contains("?"));
}

TEST(ReasonDeathTest, NothingToLeadStops) { EXPECT_DEATH((void)LeadingReason({}), "check failed"); }

}  // namespace
}  // namespace gs::model
