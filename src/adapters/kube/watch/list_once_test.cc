#include "adapters/kube/watch/list_once.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace gs::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

http::Response PageAnswer(int status, std::string body) {
  return {.status = status, .headers = {}, .body = std::move(body)};
}

std::string PageOf(const std::string& name, const std::string& version, const std::string& token) {
  return R"({"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":")" + version +
         R"(","continue":")" + token + R"("},"items":[{"metadata":{"name":")" + name +
         R"(","uid":"u-)" + name + R"(","resourceVersion":"3"}}]})";
}

// Answers in turn, and keeps what was asked.
struct PagesInTurn {
  std::vector<http::Response> answers;
  std::vector<std::string> asked{};

  SendRequest Sender() {
    return [this](const http::Request& request) -> http::Outcome {
      asked.push_back(request.target);
      return answers.at(asked.size() - 1);
    };
  }
};

std::vector<std::string> Lines(const Telling& telling) {
  std::vector<std::string> lines;
  for (const auto& event : telling.events) {
    if (const auto* node = std::get_if<model::NodeSeen>(&event)) {
      lines.push_back(node->node.name.text());
    } else if (std::holds_alternative<model::ViewReached>(event)) {
      lines.emplace_back("complete");
    } else if (std::holds_alternative<model::KindMissing>(event)) {
      lines.emplace_back("missing");
    }
  }
  return lines;
}

TEST(ListOnce, GoesThroughAllPagesAndSaysThatTheViewIsComplete) {
  PagesInTurn script{.answers = {PageAnswer(200, PageOf("a", "7", "more")),
                                 PageAnswer(200, PageOf("b", "7", ""))}};
  const auto telling = ListOnce(script.Sender(), Nodes());
  ASSERT_TRUE(telling.ok()) << telling.error();
  EXPECT_THAT(Lines(*telling), ElementsAre("a", "b", "complete"));
  EXPECT_THAT(script.asked,
              ElementsAre("/api/v1/nodes?limit=500", "/api/v1/nodes?limit=500&continue=more"));
}

TEST(ListOnce, BeginsAgainWhereAPageComesTooLate) {
  PagesInTurn script{.answers = {PageAnswer(200, PageOf("a", "7", "more")), PageAnswer(410, "{}"),
                                 PageAnswer(200, PageOf("c", "9", ""))}};
  const auto telling = ListOnce(script.Sender(), Nodes());
  ASSERT_TRUE(telling.ok()) << telling.error();
  EXPECT_THAT(Lines(*telling), ElementsAre("c", "complete"));
}

TEST(ListOnce, TellsAKindThatIsNotThereAsMissing) {
  PagesInTurn script{.answers = {PageAnswer(404, "404 page not found")}};
  const auto telling = ListOnce(script.Sender(), Claims());
  ASSERT_TRUE(telling.ok()) << telling.error();
  EXPECT_THAT(Lines(*telling), ElementsAre("missing"));
  EXPECT_TRUE(telling->problems.empty());
}

TEST(ListOnce, TellsAKindThatMayBeHiddenAsMissingAndAsAProblem) {
  WatchedKind kind = Claims();
  kind.may_be_forbidden = true;
  PagesInTurn script{
      .answers = {PageAnswer(403, R"({"kind":"Status","code":403,"message":"no"})")}};
  const auto telling = ListOnce(script.Sender(), kind);
  ASSERT_TRUE(telling.ok()) << telling.error();
  EXPECT_THAT(Lines(*telling), ElementsAre("missing"));
  ASSERT_EQ(telling->problems.size(), 1U);
  EXPECT_THAT(ToString(telling->problems[0]), HasSubstr("403 no"));
}

TEST(ListOnce, RefusesWhatItMayNotLeaveOut) {
  PagesInTurn script{
      .answers = {PageAnswer(403, R"({"kind":"Status","code":403,"message":"no"})")}};
  const auto telling = ListOnce(script.Sender(), Nodes());
  ASSERT_FALSE(telling.ok());
  EXPECT_EQ(ToString(telling.error()), "listing nodes: GET /api/v1/nodes?limit=500: 403 no");
}

}  // namespace
}  // namespace gs::kube
