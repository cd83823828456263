// Every way a write can end, provoked on a real API server: what the client says, what the proxy
// saw, and what the API server has afterwards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <string>
#include <vector>

#include "tests/cluster_client/plane_test.h"

namespace gs::testing {
namespace {

using http::Method;
using kube::kLeases;
using model::WriteOutcome;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

boost::json::value Lease(const std::string& name, const std::string& holder = "a") {
  return {{"metadata", {{"name", name}}}, {"spec", {{"holderIdentity", holder}}}};
}

class WriteOutcomesTest : public PlaneTest {
 protected:
  WriteOutcome CreateLease(const std::string& name) {
    return Create(*client_, kLeases, Lease(name)).answer.outcome;
  }
  WriteOutcome Update(const boost::json::value& object) {
    const std::string name(object.at("metadata").at("name").as_string());
    return kube::Write(*client_,
                       kube::UpdateRequest({kLeases, ns_, name}, boost::json::serialize(object)))
        .answer.outcome;
  }
  bool Exists(const std::string& name) { return !Get(kLeases, name).is_null(); }

  // What the API server answered to each POST that the proxy got.
  std::vector<std::vector<int>> Posts() {
    std::vector<std::vector<int>> posts;
    for (const auto& request : proxy_->requests()) {
      if (request.method == Method::kPost) posts.push_back(request.statuses);
    }
    return posts;
  }
};

TEST_F(WriteOutcomesTest, WhatTheServerAnswersIsTakenAtItsWord) {
  EXPECT_EQ(CreateLease("a"), WriteOutcome::kDone);
  EXPECT_EQ(CreateLease("a"), WriteOutcome::kAlreadyExists);
  boost::json::value lease = Get(kLeases, "a");
  lease.at("spec").at("holderIdentity") = "b";
  EXPECT_EQ(Update(lease), WriteOutcome::kDone);
  EXPECT_EQ(Update(lease), WriteOutcome::kConflict);  // that version is gone
  EXPECT_EQ(kube::Write(*client_, kube::DeleteRequest({kLeases, ns_, "none"}, {})).answer.outcome,
            WriteOutcome::kNotFound);
  const auto refused = Create(
      *client_, kLeases, {{"metadata", {{"name", "b"}}}, {"spec", {{"leaseDurationSeconds", -1}}}});
  EXPECT_EQ(refused.answer.outcome, WriteOutcome::kRefused) << refused.answer.reason;
  EXPECT_THAT(Posts(), ElementsAre(ElementsAre(201), ElementsAre(409), ElementsAre(422)));
}

TEST_F(WriteOutcomesTest, TooManyRequestsIsNotExecutedAndSaysWhenToComeBack) {
  proxy_->Once(Method::kPost, "/leases",
               Answer{{.status = 429, .headers = {{"Retry-After", "3"}}, .body = "slow down"}});
  const auto reply = Create(*client_, kLeases, Lease("a"));
  EXPECT_EQ(reply.answer.outcome, WriteOutcome::kNotExecuted);
  EXPECT_EQ(reply.answer.retry_after, seconds(3));
  EXPECT_FALSE(Exists("a"));
  EXPECT_EQ(CreateLease("a"), WriteOutcome::kDone);
}

TEST_F(WriteOutcomesTest, AnAnswerThatIsLostIsUnknownAndTheWriteIsDone) {
  proxy_->Once(Method::kPost, "/leases", DropAfter{});
  EXPECT_EQ(CreateLease("a"), WriteOutcome::kUnknown);
  EXPECT_TRUE(Exists("a"));
  EXPECT_THAT(Posts(), ElementsAre(ElementsAre(201)));
}

TEST_F(WriteOutcomesTest, ARequestThatIsLostIsUnknownAndIsNeverSentAgain) {
  EXPECT_EQ(CreateLease("first"), WriteOutcome::kDone);  // leaves a connection that is kept
  proxy_->Once(Method::kPost, "/leases", DropBefore{});
  EXPECT_EQ(CreateLease("a"), WriteOutcome::kUnknown);
  EXPECT_FALSE(Exists("a"));
  EXPECT_THAT(Posts(), ElementsAre(ElementsAre(201), IsEmpty()));
}

TEST_F(WriteOutcomesTest, HalfAnAnswerIsUnknown) {
  proxy_->Once(Method::kPost, "/leases", CutAfter{.bytes = 20});
  EXPECT_EQ(CreateLease("a"), WriteOutcome::kUnknown);
  EXPECT_TRUE(Exists("a"));
}

TEST_F(WriteOutcomesTest, AServerThatFailsLeavesTheWriteOpen) {
  for (const int status : {500, 502, 503, 504}) {
    proxy_->Once(Method::kPost, "/leases", Answer{{.status = status, .body = "{}"}});
    EXPECT_EQ(CreateLease("a"), WriteOutcome::kUnknown) << status;
  }
}

TEST_F(WriteOutcomesTest, AWriteThatIsTooSlowIsUnknown) {
  proxy_->Once(Method::kPost, "/leases", Freeze{});
  auto request = kube::CreateRequest(kLeases, ns_, boost::json::serialize(Lease("a")));
  const auto reply =
      kube::Write(*client_, std::move(request), {.timeout = std::chrono::milliseconds(100)});
  EXPECT_EQ(reply.answer.outcome, WriteOutcome::kUnknown);
}

TEST_F(WriteOutcomesTest, AServerThatIsNotThereHasExecutedNothing) {
  // Bound, so that no other program gets the port, and not listening.
  boost::asio::io_context context;
  boost::asio::ip::tcp::acceptor held(context);
  held.open(boost::asio::ip::tcp::v4());
  held.bind({boost::asio::ip::address_v4::loopback(), 0});
  auto settings = proxy_->settings();
  settings.server = "http://127.0.0.1:" + std::to_string(held.local_endpoint().port());
  client_ = ClientOf(settings);
  EXPECT_EQ(CreateLease("a"), WriteOutcome::kNotExecuted);
}

TEST_F(WriteOutcomesTest, OfTwoEqualCreatesTheSecondFindsTheFirst) {
  proxy_->Once(Method::kPost, "/leases", Duplicate{.told = Duplicate::Told::kSecond});
  EXPECT_EQ(CreateLease("a"), WriteOutcome::kAlreadyExists);
  proxy_->Once(Method::kPost, "/leases", Duplicate{.told = Duplicate::Told::kFirst});
  EXPECT_EQ(CreateLease("b"), WriteOutcome::kDone);
  EXPECT_THAT(Posts(), ElementsAre(ElementsAre(201, 409), ElementsAre(201, 409)));
}

TEST_F(WriteOutcomesTest, ACreateMayArriveLongAfterItWasGivenUp) {
  proxy_->Once(Method::kPost, "/leases", ForwardLater{});
  EXPECT_EQ(CreateLease("a"), WriteOutcome::kUnknown);
  EXPECT_FALSE(Exists("a"));
  proxy_->ForwardHeld();
  EXPECT_TRUE(Exists("a"));
}

TEST_F(WriteOutcomesTest, ALateUpdateOfAnOldVersionChangesNothing) {
  ASSERT_EQ(CreateLease("a"), WriteOutcome::kDone);
  boost::json::value late = Get(kLeases, "a");
  boost::json::value in_time = late;
  late.at("spec").at("holderIdentity") = "late";
  in_time.at("spec").at("holderIdentity") = "in time";
  proxy_->Once(Method::kPut, "/leases/a", ForwardLater{});
  EXPECT_EQ(Update(late), WriteOutcome::kUnknown);
  EXPECT_EQ(Update(in_time), WriteOutcome::kDone);
  proxy_->ForwardHeld();
  EXPECT_EQ(Get(kLeases, "a").at("spec").at("holderIdentity"), "in time");
}

}  // namespace
}  // namespace gs::testing
