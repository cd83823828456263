// A watcher of a real API server whose connections are cut, frozen, answered with the past or with
// half a sentence, while somebody else keeps changing what it watches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include "adapters/kube/api/list_page.h"
#include "adapters/kube/login/run_process.h"
#include "adapters/kube/watch/object_meta.h"
#include "adapters/kube/watch/watcher.h"
#include "tests/cluster_client/lease_changes.h"
#include "tests/cluster_client/plane_test.h"
#include "tests/cluster_client/told_leases.h"

namespace gs::testing {
namespace {

using http::Method;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::string_view kTooOld =
    R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"too old resource version",)"
    R"("reason":"Expired","code":410})";

class WatchFaultsTest : public PlaneTest {
 protected:
  void SetUp() override {
    PlaneTest::SetUp();
    if (direct_) changes_ = std::make_unique<LeaseChanges>(*direct_, ns_);
  }

  // Short waits, so that a thousand of them do not last.
  static kube::WatcherOptions Impatient() {
    kube::WatcherOptions options;
    options.times.backoff = {.first = milliseconds(1), .max = milliseconds(20)};
    return options;
  }

  void StartWatcher(const kube::WatcherOptions& options = Impatient()) {
    watcher_ = std::make_unique<kube::Watcher>(
        *client_, clock_, kube::Leases(ns_), options,
        [this](const std::vector<model::Event>& events) { told_.Take(events); },
        [this](const Error& problem) { told_.TakeProblem(problem); });
  }

  // What there is, asked of the API server itself.
  ToldLeases::State Listed() {
    const auto outcome = direct_->Send(kube::ListRequest(kube::Leases(ns_).collection, 500, ""));
    const auto* response = std::get_if<http::Response>(&outcome);
    EXPECT_TRUE(response != nullptr && response->status == 200);
    if (response == nullptr) return {};
    const auto page = kube::ParseListPage(response->body);
    EXPECT_TRUE(page.ok()) << page.error();
    ToldLeases::State state;
    for (const auto& item : page->items) {
      const auto meta = *kube::ReadObjectMeta(item);
      state[meta.key.name.text()] = meta.resource_version.text();
    }
    return state;
  }

  void ExpectToldEverything() {
    const auto listed = Listed();
    EXPECT_TRUE(told_.WaitFor(listed, seconds(30)))
        << ::testing::PrintToString(told_.state()) << " instead of "
        << ::testing::PrintToString(listed) << " after problems "
        << ::testing::PrintToString(told_.problems());
    EXPECT_THAT(told_.mistakes(), IsEmpty());
  }

  static bool IsWatchTarget(const ProxiedRequest& request) {
    return request.target.find("watch=true") != std::string::npos;
  }
  static std::ptrdiff_t Watches(const std::vector<ProxiedRequest>& requests) {
    return std::count_if(requests.begin(), requests.end(), IsWatchTarget);
  }
  // Not those that only ask how far the server is.
  static std::ptrdiff_t Lists(const std::vector<ProxiedRequest>& requests) {
    return std::count_if(requests.begin(), requests.end(), [](const ProxiedRequest& request) {
      return !IsWatchTarget(request) && !request.target.ends_with("limit=1");
    });
  }
  bool WaitForWatches(std::ptrdiff_t count) {
    return proxy_->WaitUntil([count](const auto& all) { return Watches(all) >= count; },
                             seconds(60));
  }

  // The watch is refused with `refusal`, and the list that follows is the first one again.
  void ServeThePastAfter(const http::Response& refusal) {
    for (int i = 0; i < 3; ++i) changes_->Create(i);
    proxy_->Once(Method::kGet, "/leases", Remember{});
    StartWatcher();
    ExpectToldEverything();
    changes_->Update(0);
    changes_->Delete(1);
    changes_->Create(3);
    ExpectToldEverything();
    proxy_->Decide([refusal, stage = 0](const http::Request& request, std::size_t) mutable {
      if (stage == 0 && IsWatch(request)) return ++stage, Fault(Answer{refusal});
      if (stage == 1 && !IsWatch(request)) return ++stage, Fault(Replay{});
      return Fault(Pass{});
    });
    const auto lists = Lists(proxy_->requests());
    proxy_->CutAllWatches();
    ASSERT_TRUE(proxy_->WaitUntil([lists](const auto& all) { return Lists(all) >= lists + 2; },
                                  seconds(30)))
        << "the old list was believed";
    ExpectToldEverything();
    changes_->Update(0);
    ExpectToldEverything();
  }

  ToldLeases told_;
  std::unique_ptr<LeaseChanges> changes_;
  std::unique_ptr<kube::Watcher> watcher_;
};

TEST_F(WatchFaultsTest, AThousandDisconnectsLoseNothingAndDoubleNothing) {
  constexpr int kDisconnects = 1000;
  constexpr int kBetweenCutsOfAll = 50;
  proxy_->Decide([](const http::Request& request, std::size_t number) -> Fault {
    if (!IsWatch(request)) return Pass{};
    return CutAfter{(number * 7919) % 4000};  // inside a frame, between frames, before the first
  });
  StartWatcher();
  {
    const std::jthread busy([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) changes_->Any();
    });
    for (int count = kBetweenCutsOfAll; count <= kDisconnects + 1; count += kBetweenCutsOfAll) {
      ASSERT_TRUE(WaitForWatches(count)) << count;
      proxy_->CutAllWatches();
    }
    ASSERT_TRUE(WaitForWatches(kDisconnects + 1));
  }
  ExpectToldEverything();
  EXPECT_GT(told_.count(), 500U);  // something was going on
  EXPECT_EQ(Lists(proxy_->requests()), 1) << "a watch that is cut goes on where it was";
}

TEST_F(WatchFaultsTest, AnOldListAfterAnExpiredVersionIsNotBelieved) {
  ServeThePastAfter({.status = 410, .body = std::string(kTooOld)});
}

TEST_F(WatchFaultsTest, AnOldListAfterAnErrorInTheStreamIsNotBelieved) {
  ServeThePastAfter({.body = R"({"type":"ERROR","object":)" + std::string(kTooOld) + "}\n"});
}

TEST_F(WatchFaultsTest, HalfAListIsAskedForAgain) {
  for (int i = 0; i < 3; ++i) changes_->Create(i);
  proxy_->Once(Method::kGet, "/leases", CutAfter{.bytes = 700});
  StartWatcher();
  ExpectToldEverything();
  EXPECT_GE(Lists(proxy_->requests()), 2);
}

TEST_F(WatchFaultsTest, AFrameThatIsHalfASentenceLosesNothing) {
  proxy_->Once(Method::kGet, "watch=true",
               Answer{{.body = R"({"type":"ADDED","object":{"kind":"Lease","meta)"
                               "\n"}});
  StartWatcher();
  ASSERT_TRUE(WaitForWatches(2));
  changes_->Create(0);
  ExpectToldEverything();
  EXPECT_THAT(told_.problems(), Not(IsEmpty()));
}

TEST_F(WatchFaultsTest, AConnectionThatFallsSilentIsGivenUp) {
  proxy_->Once(Method::kGet, "watch=true", Freeze{});
  kube::WatcherOptions options = Impatient();
  options.idle_timeout = milliseconds(200);
  StartWatcher(options);
  ASSERT_TRUE(WaitForWatches(1));
  changes_->Create(0);
  ExpectToldEverything();
}

TEST_F(WatchFaultsTest, ARestartOfTheApiServerIsSurvived) {
  const char* tool = std::getenv("GS_CLUSTER_TOOL");
  if (tool == nullptr) GTEST_SKIP() << "GS_CLUSTER_TOOL names no tools/cluster/cluster";
  StartWatcher();
  {
    const std::jthread busy([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) changes_->Any();
    });
    ASSERT_TRUE(WaitForWatches(1));
    const auto restarted =
        kube::RunProcess({.command = tool,
                          .args = {"restart", "--dir", plane_.string(), "apiserver"},
                          .env = {},
                          .timeout = std::chrono::minutes(2)});
    ASSERT_TRUE(restarted.ok()) << restarted.error();
    ASSERT_EQ(restarted->exit_code, 0) << restarted->stderr_text;
    const std::size_t before = told_.count();
    EXPECT_TRUE(Eventually([&] { return told_.count() > before + 20; }, seconds(60)));
  }
  ExpectToldEverything();
  EXPECT_GE(Watches(proxy_->requests()), 2);
}

}  // namespace
}  // namespace gs::testing
