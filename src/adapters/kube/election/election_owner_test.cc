#include "adapters/kube/election/election_owner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "adapters/http/server.h"
#include "adapters/runtime/mailbox.h"

namespace gs::kube {
namespace {

using model::InFlightListed;
using model::LeadershipLost;
using model::LeadershipWon;
using model::PodRef;
using runtime::MutexLock;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;
using Pods = std::vector<PodRef>;

const PodRef kPod{Namespace("team"), PodName("a"), PodUid("u-a")};

// Longer than any of these tests: what happens, happens because of something else.
constexpr ElectionOptions kPatient{
    .lease = minutes(10), .renew_deadline = minutes(5), .retry = milliseconds(20)};

// The API of one Lease, and what may go wrong with it.
class LeaseApi {
 public:
  LeaseApi() {
    ElectionLease lease;
    lease.ns = Namespace("locks");
    lease.name = LeaseName("scheduler-leader");
    lease.uid = LeaseUid("l-1");
    const MutexLock lock(mutex_);
    Store(lease);
  }

  http::Response Answer(const http::Request& request) GS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (request.method == http::Method::kGet) return Stored();
    const auto lease = DecodeElectionLease(request.body);
    if (!lease) return Status(400, "BadRequest");
    if (request.method == http::Method::kPost) {
      if (stored_) return Status(409, "AlreadyExists");
    } else if (!stored_ || lease->uid != stored_->uid ||
               lease->resource_version != stored_->resource_version) {
      return Status(409, "Conflict");
    }
    Store(*lease);
    ++writes_;
    if (std::exchange(loses_answer_, false)) return Status(500, "InternalError");
    return Stored();
  }

  void LoseNextAnswer() GS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    loses_answer_ = true;
  }
  void Delete() GS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    stored_.reset();
  }
  void GiveTo(const ElectionIdentity& holder) GS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    ElectionLease lease = *stored_;
    lease.holder = holder;
    lease.holder_pod = PodName("thief");
    Store(lease);
  }
  ElectionLease lease() GS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return *stored_;
  }
  int writes() GS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return writes_;
  }

 private:
  void Store(const ElectionLease& lease) GS_REQUIRES(mutex_) {
    stored_ = lease;
    stored_->resource_version = ResourceVersion(std::to_string(++versions_));
  }
  http::Response Stored() GS_REQUIRES(mutex_) {
    if (!stored_) return Status(404, "NotFound");
    return {.status = 200, .headers = {}, .body = EncodeElectionLease(*stored_)};
  }
  static http::Response Status(int code, const std::string& reason) {
    return {.status = code,
            .headers = {},
            .body = R"({"kind":"Status","code":)" + std::to_string(code) + R"(,"reason":")" +
                    reason + R"("})"};
  }

  runtime::Mutex mutex_;
  std::optional<ElectionLease> stored_ GS_GUARDED_BY(mutex_);
  int versions_ GS_GUARDED_BY(mutex_) = 0;
  int writes_ GS_GUARDED_BY(mutex_) = 0;
  bool loses_answer_ GS_GUARDED_BY(mutex_) = false;
};

using Events = runtime::Mailbox<model::Event>;

// The next event, which must be of this kind.
template <class Event>
Event Next(Events& events) {
  const auto event = events.Pop(std::chrono::steady_clock::now() + minutes(2));
  const auto* wanted = event ? std::get_if<Event>(&*event) : nullptr;
  EXPECT_NE(wanted, nullptr) << (event ? ToString(*event) : "nothing came");
  return wanted ? *wanted : Event();
}

class ElectionOwnerTest : public testing::Test {
 protected:
  ElectionOwnerTest() {
    auto server = http::Server::Start(
        threads_, {}, [this](http::Request request) -> boost::asio::awaitable<http::Reply> {
          co_return api_.Answer(request);
        });
    server_ = *std::move(server);
  }

  std::unique_ptr<ElectionOwner> Own(Events& events, const std::string& pod,
                                     ElectionOptions options = kPatient) {
    ConnectionSettings settings;
    settings.server = "http://127.0.0.1:" + std::to_string(server_->port());
    auto client =
        ApiClient::Create(threads_, settings, std::make_unique<FixedLogin>(Login{}), clock_);
    const ElectionSelf self{.identity = {PodUid("uid-" + pod), "start-" + pod},
                            .pod = PodName(pod),
                            .scheduler = SchedulerName("gpu-scheduler"),
                            .lock_namespace = Namespace("locks")};
    return std::make_unique<ElectionOwner>(
        *std::move(client), clock_, self, options,
        [&events](model::Event event) { (void)events.Push(std::move(event)); });
  }

  bool IsLeading(const ElectionOwner& owner) { return owner.IsLeadingAt(clock_.SinceBoot()); }

  LeaseApi api_;
  Events first_;
  Events second_;
  runtime::SystemClock clock_;
  runtime::IoThreads threads_{2};
  std::unique_ptr<http::Server> server_;
};

TEST_F(ElectionOwnerTest, LeadsAndWritesLists) {
  const auto owner = Own(first_, "a");
  EXPECT_EQ(Next<LeadershipWon>(first_).transitions, 1);
  EXPECT_TRUE(IsLeading(*owner));
  owner->SetInFlight({.revision = 1, .pods = {kPod}});
  EXPECT_EQ(Next<InFlightListed>(first_).revision, 1U);
  EXPECT_EQ(api_.lease().in_flight, InFlightList(Pods{kPod}));
  EXPECT_EQ(api_.lease().holder.pod, PodUid("uid-a"));
  owner->SetInFlight({.revision = 3, .pods = {}});
  owner->SetInFlight({.revision = 2, .pods = {kPod}});
  EXPECT_EQ(Next<InFlightListed>(first_).revision, 3U);
  EXPECT_EQ(api_.lease().in_flight, InFlightList(Pods()));
}

TEST_F(ElectionOwnerTest, LooksUpWhatBecameOfAWriteWithoutAnAnswer) {
  const auto owner = Own(first_, "a");
  Next<LeadershipWon>(first_);
  api_.LoseNextAnswer();
  owner->SetInFlight({.revision = 1, .pods = {kPod}});
  EXPECT_EQ(Next<InFlightListed>(first_).revision, 1U);
  EXPECT_EQ(api_.lease().in_flight, InFlightList(Pods{kPod}));
  EXPECT_TRUE(IsLeading(*owner));
}

TEST_F(ElectionOwnerTest, TakesOverFromOneThatVanished) {
  const ElectionOptions quick{
      .lease = seconds(1), .renew_deadline = milliseconds(900), .retry = milliseconds(20)};
  auto owner = Own(first_, "a", quick);
  Next<LeadershipWon>(first_);
  owner->SetInFlight({.revision = 1, .pods = {kPod}});
  Next<InFlightListed>(first_);
  const auto next = Own(second_, "b", quick);
  owner.reset();
  const auto won = Next<LeadershipWon>(second_);
  EXPECT_EQ(won.transitions, 2);
  EXPECT_TRUE(won.is_list_known);
  EXPECT_EQ(won.unresolved, Pods{kPod});
}

TEST_F(ElectionOwnerTest, NobodyWaitsForOneThatResigned) {
  const auto owner = Own(first_, "a");
  Next<LeadershipWon>(first_);
  const auto next = Own(second_, "b");
  owner->Resign();
  EXPECT_EQ(Next<LeadershipLost>(first_).reason, "resigned");
  EXPECT_FALSE(IsLeading(*owner));
  EXPECT_EQ(Next<LeadershipWon>(second_).transitions, 2);
}

TEST_F(ElectionOwnerTest, LosesToAnotherAndWritesNothingMore) {
  const auto owner = Own(first_, "a");
  Next<LeadershipWon>(first_);
  const ElectionIdentity thief{PodUid("uid-x"), "x"};
  api_.GiveTo(thief);
  const int writes = api_.writes();
  EXPECT_THAT(Next<LeadershipLost>(first_).reason, HasSubstr("held by thief"));
  EXPECT_FALSE(IsLeading(*owner));
  owner->SetInFlight({.revision = 1, .pods = {kPod}});
  owner->Resign();
  EXPECT_EQ(api_.writes(), writes);
  EXPECT_EQ(api_.lease().holder, thief);
  EXPECT_EQ(first_.size(), 0U);
}

TEST_F(ElectionOwnerTest, LosesWhenTheLeaseIsDeleted) {
  const auto owner = Own(first_, "a");
  Next<LeadershipWon>(first_);
  api_.Delete();
  EXPECT_THAT(Next<LeadershipLost>(first_).reason, HasSubstr("deleted"));
}

TEST_F(ElectionOwnerTest, LosesWhenTheServerIsGone) {
  const auto owner = Own(
      first_, "a", {.lease = seconds(3), .renew_deadline = seconds(2), .retry = milliseconds(50)});
  Next<LeadershipWon>(first_);
  server_->Shutdown(Duration(0));
  EXPECT_THAT(Next<LeadershipLost>(first_).reason, HasSubstr("not renewed within 2s: "));
  EXPECT_FALSE(IsLeading(*owner));
}

TEST_F(ElectionOwnerTest, AMachineThatSleepsHasLostAtOnce) {
  runtime::ManualClock clock;
  ConnectionSettings settings;
  settings.server = "http://127.0.0.1:" + std::to_string(server_->port());
  auto client = ApiClient::Create(threads_, settings, std::make_unique<FixedLogin>(Login{}), clock);
  const ElectionSelf self{.identity = {PodUid("u"), "p"},
                          .pod = PodName("a"),
                          .scheduler = SchedulerName("gpu-scheduler"),
                          .lock_namespace = Namespace("locks")};
  ElectionOwner owner(*std::move(client), clock, self, kPatient,
                      [this](model::Event event) { (void)first_.Push(std::move(event)); });
  Next<LeadershipWon>(first_);
  EXPECT_TRUE(owner.IsLeadingAt(clock.SinceBoot()));
  const int writes = api_.writes();
  clock.Suspend(minutes(5));
  EXPECT_FALSE(owner.IsLeadingAt(clock.SinceBoot()));
  EXPECT_THAT(Next<LeadershipLost>(first_).reason, HasSubstr("not renewed within 5m"));
  EXPECT_EQ(api_.writes(), writes);
}

TEST_F(ElectionOwnerTest, MakesAMissingLease) {
  api_.Delete();
  const auto owner =
      Own(first_, "a",
          {.lease = seconds(1), .renew_deadline = milliseconds(900), .retry = milliseconds(20)});
  const auto won = Next<LeadershipWon>(first_);
  EXPECT_EQ(won.transitions, 2);
  EXPECT_FALSE(won.is_list_known);
}

}  // namespace
}  // namespace gs::kube
