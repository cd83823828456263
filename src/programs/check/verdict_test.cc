#include "programs/check/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gs::check {
namespace {

using ::testing::HasSubstr;

http::Response Get(const Verdict& verdict, const std::string& target) {
  http::Request request;
  request.target = target;
  return verdict.Answer(request);
}

TEST(Verdict, IsHealthyUntilSomethingIsWrong) {
  Verdict verdict("1.2.3");
  EXPECT_EQ(Get(verdict, "/health").status, 200);
  verdict.Set({{"node", "the pod runs on a"}, {"map", "the map says b"}});
  EXPECT_EQ(Get(verdict, "/health").status, 503);
  EXPECT_EQ(Get(verdict, "/health").body, "the pod runs on a\nthe map says b\n");
  verdict.Set({});
  EXPECT_EQ(Get(verdict, "/health").body, "ok\n");
}

TEST(Verdict, CountsWhatIsWrongByAspect) {
  Verdict verdict("1.2.3");
  verdict.Set({{"node", "x"}});
  const std::string text = Get(verdict, "/metrics").body;
  EXPECT_THAT(text, HasSubstr(R"(gpu_check_mismatch{aspect="node"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(gpu_check_mismatch{aspect="map"} 0)"));
  EXPECT_THAT(text, HasSubstr("gpu_check_looks_total 1"));
  verdict.Set({});
  EXPECT_THAT(Get(verdict, "/metrics").body, HasSubstr(R"(gpu_check_mismatch{aspect="node"} 0)"));
}

TEST(Verdict, KnowsNothingElse) { EXPECT_EQ(Get(Verdict("1.2.3"), "/").status, 404); }

}  // namespace
}  // namespace gs::check
