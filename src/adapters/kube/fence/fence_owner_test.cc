#include "adapters/kube/fence/fence_owner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/awaitable.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "adapters/http/server.h"
#include "adapters/kube/api/resource.h"
#include "adapters/kube/fence/process_for_test.h"
#include "adapters/runtime/mailbox.h"

namespace gs::kube {
namespace {

using model::FenceSeen;
using model::FenceStanding;
using model::InFlightListed;
using model::LeadershipLost;
using model::LeadershipWon;
using runtime::MutexLock;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Entries = std::vector<model::InFlightPod>;

const std::string kFencePath = ObjectPath(kLeases, Namespace("kube-system"), kFenceName);
const ResourceVersion kView("100");

const model::InFlightPod kEntry = Entry("a", 0);

// Longer than any of these tests: what happens, happens because of something else.
constexpr FenceOptions kPatient{
    .lease = minutes(10), .renew_deadline = minutes(5), .retry = milliseconds(20)};
constexpr FenceOptions kQuick{
    .lease = seconds(1), .renew_deadline = milliseconds(900), .retry = milliseconds(20)};

// The API of Leases, and what may go wrong with it.
class LeaseApi {
 public:
  http::Response Answer(const http::Request& request) GS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (is_forbidden_) return Status(403, "Forbidden");
    if (request.method == http::Method::kGet) return Stored(request.target);
    auto lease = boost::json::parse(request.body).as_object();
    auto& metadata = lease["metadata"].as_object();
    if (request.method == http::Method::kPost) return Create(request.target, metadata, lease);
    const auto stored = leases_.find(request.target);
    if (stored == leases_.end()) return Status(409, "Conflict");
    const auto& current = stored->second.at("metadata").as_object();
    const bool is_current = metadata["uid"] == current.at("uid") &&
                            metadata["resourceVersion"] == current.at("resourceVersion");
    if (!is_current) return Status(409, "Conflict");
    return Store(request.target, metadata, lease);
  }

  void LoseNextAnswer() GS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    loses_answer_ = true;
  }
  void Forbid(bool is_forbidden) GS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    is_forbidden_ = is_forbidden;
  }
  void DeleteFence() GS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    leases_.erase(kFencePath);
  }
  void SetFence(FenceLease fence) GS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    auto lease = boost::json::parse(EncodeFenceLease(fence)).as_object();
    (void)Store(kFencePath, lease["metadata"].as_object(), lease);
  }
  FenceLease fence() GS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return *DecodeFenceLease(Stored(kFencePath).body);
  }
  ReleaseRecord record() { return *FindRecord(fence(), kUs); }
  std::string earlier() GS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return Stored(ObjectPath(kLeases, Namespace("gpu"), "scheduler-leader")).body;
  }
  int writes() GS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return writes_;
  }

 private:
  http::Response Create(const std::string& collection, boost::json::object& metadata,
                        const boost::json::object& lease) GS_REQUIRES(mutex_) {
    const std::string path = collection + "/" + std::string(metadata["name"].as_string());
    if (leases_.contains(path)) return Status(409, "AlreadyExists");
    metadata["uid"] = "uid-" + std::to_string(versions_);
    return Store(path, metadata, lease);
  }
  http::Response Store(const std::string& path, boost::json::object& metadata,
                       const boost::json::object& lease) GS_REQUIRES(mutex_) {
    metadata["resourceVersion"] = std::to_string(++versions_);
    leases_[path] = lease;
    ++writes_;
    if (std::exchange(loses_answer_, false)) return Status(500, "InternalError");
    return Stored(path);
  }
  http::Response Stored(const std::string& path) GS_REQUIRES(mutex_) {
    const auto stored = leases_.find(path);
    if (stored == leases_.end()) return Status(404, "NotFound");
    return {.status = 200, .headers = {}, .body = boost::json::serialize(stored->second)};
  }
  static http::Response Status(int code, const std::string& reason) {
    return {.status = code,
            .headers = {},
            .body = R"({"kind":"Status","code":)" + std::to_string(code) + R"(,"reason":")" +
                    reason + R"("})"};
  }

  runtime::Mutex mutex_;
  std::map<std::string, boost::json::object> leases_ GS_GUARDED_BY(mutex_);
  int versions_ GS_GUARDED_BY(mutex_) = 0;
  int writes_ GS_GUARDED_BY(mutex_) = 0;
  bool loses_answer_ GS_GUARDED_BY(mutex_) = false;
  bool is_forbidden_ GS_GUARDED_BY(mutex_) = false;
};

using Events = runtime::Mailbox<model::Event>;

// The next event that is not about standing, or the next about standing; it must be of this kind.
template <class Event>
Event Next(Events& events) {
  const auto deadline = std::chrono::steady_clock::now() + minutes(2);
  auto event = events.Pop(deadline);
  while (event && !std::holds_alternative<Event>(*event) &&
         std::holds_alternative<FenceStanding>(*event)) {
    event = events.Pop(deadline);
  }
  const auto* wanted = event ? std::get_if<Event>(&*event) : nullptr;
  EXPECT_NE(wanted, nullptr) << (event ? ToString(*event) : "nothing came");
  return wanted ? *wanted : Event();
}

model::ListInFlight List(std::uint64_t revision, Entries entries) {
  return {.revision = revision, .in_flight = std::move(entries), .view = kView};
}

class FenceOwnerTest : public testing::Test {
 protected:
  FenceOwnerTest() {
    auto server = http::Server::Start(
        threads_, {}, [this](http::Request request) -> boost::asio::awaitable<http::Reply> {
          co_return api_.Answer(request);
        });
    server_ = *std::move(server);
  }

  // A fence in which every release of these tests has led before.
  void MakeFence() {
    FenceLease fence;
    fence.metadata = {.ns = Namespace("kube-system"),
                      .name = LeaseName(std::string(kFenceName)),
                      .uid = LeaseUid("l-1")};
    for (const std::string name : {"gpu-scheduler", "gpu-b", "gpu-c"}) {
      fence.records[RecordKey(SchedulerName(name))].scheduler = SchedulerName(name);
    }
    api_.SetFence(fence);
  }

  std::unique_ptr<FenceOwner> Own(Events& events, const std::string& pod,
                                  FenceOptions options = kPatient,
                                  const SchedulerName& scheduler = kUs,
                                  const runtime::Clock* clock = nullptr) {
    ConnectionSettings settings;
    settings.server = "http://127.0.0.1:" + std::to_string(server_->port());
    const runtime::Clock& used = clock ? *clock : clock_;
    auto client =
        ApiClient::Create(threads_, settings, std::make_unique<FixedLogin>(Login{}), used);
    const FenceSelf self{.identity = {PodUid("uid-" + pod), "start-" + pod},
                         .pod = PodName(pod),
                         .scheduler = scheduler,
                         .release_namespace = Namespace("gpu"),
                         .fence_namespace = Namespace("kube-system")};
    return std::make_unique<FenceOwner>(
        *std::move(client), used, self, options,
        [&events](model::Event event) { (void)events.Push(std::move(event)); });
  }

  bool IsLeading(const FenceOwner& owner) { return owner.IsLeadingAt(clock_.SinceBoot()); }

  LeaseApi api_;
  Events first_;
  Events second_;
  runtime::SystemClock clock_;
  runtime::IoThreads threads_{2};
  std::unique_ptr<http::Server> server_;
};

TEST_F(FenceOwnerTest, LeadsAndWritesLists) {
  MakeFence();
  const auto owner = Own(first_, "a");
  EXPECT_EQ(Next<LeadershipWon>(first_).transitions, 1);
  EXPECT_TRUE(IsLeading(*owner));
  owner->SetInFlight(List(1, {kEntry}));
  EXPECT_EQ(Next<InFlightListed>(first_).revision, 1U);
  EXPECT_EQ(api_.record().in_flight, Entries{kEntry});
  EXPECT_EQ(api_.record().holder.pod, PodUid("uid-a"));
  owner->SetInFlight(List(3, {}));
  owner->SetInFlight(List(2, {kEntry}));
  EXPECT_EQ(Next<InFlightListed>(first_).revision, 3U);
  EXPECT_THAT(api_.record().in_flight, IsEmpty());
}

TEST_F(FenceOwnerTest, MakesAMissingFenceAtOnceAndSettlesIt) {
  const auto owner = Own(first_, "a");
  const auto won = Next<LeadershipWon>(first_);
  EXPECT_EQ(won.transitions, 1);
  EXPECT_FALSE(won.is_list_known);
  EXPECT_TRUE(api_.fence().unsettled.has_value());
  // No process of the version before leads again.
  EXPECT_THAT(api_.earlier(), HasSubstr(R"("holderIdentity":"scheduler-fence")"));
  model::ListInFlight settling = List(1, {});
  settling.is_settling = true;
  owner->SetInFlight(settling);
  owner->SetInFlight(List(2, {kEntry}));  // what was settling once stays so
  while (Next<InFlightListed>(first_).revision < 2) {
  }
  EXPECT_FALSE(api_.fence().unsettled.has_value());
  EXPECT_EQ(api_.record().in_flight, Entries{kEntry});
}

TEST_F(FenceOwnerTest, TwoReleasesSeeEachOther) {
  MakeFence();
  const auto first = Own(first_, "a");
  const auto second = Own(second_, "b", kPatient, SchedulerName("gpu-b"));
  Next<LeadershipWon>(first_);
  Next<LeadershipWon>(second_);
  first->SetInFlight(List(1, {kEntry}));
  Next<InFlightListed>(first_);
  EXPECT_EQ(Next<FenceSeen>(second_).others.at(0).in_flight, kEntry);
  second->SetInFlight(List(1, {Entry("x", 0), Entry("y", 1)}));
  EXPECT_EQ(Next<InFlightListed>(second_).refused, std::vector<PodUid>{PodUid("u-x")});
  EXPECT_EQ(Next<FenceSeen>(first_).others.at(0).in_flight, Entry("y", 1));
}

TEST_F(FenceOwnerTest, LooksUpWhatBecameOfAWriteWithoutAnAnswer) {
  MakeFence();
  const auto owner = Own(first_, "a");
  Next<LeadershipWon>(first_);
  api_.LoseNextAnswer();
  owner->SetInFlight(List(1, {kEntry}));
  EXPECT_EQ(Next<InFlightListed>(first_).revision, 1U);
  EXPECT_EQ(api_.record().in_flight, Entries{kEntry});
  EXPECT_TRUE(IsLeading(*owner));
}

TEST_F(FenceOwnerTest, TakesOverFromOneThatVanished) {
  MakeFence();
  auto owner = Own(first_, "a", kQuick);
  Next<LeadershipWon>(first_);
  owner->SetInFlight(List(1, {kEntry}));
  Next<InFlightListed>(first_);
  const auto next = Own(second_, "b", kQuick);
  owner.reset();
  const auto won = Next<LeadershipWon>(second_);
  EXPECT_EQ(won.transitions, 2);
  EXPECT_TRUE(won.is_list_known);
  EXPECT_EQ(won.inherited, Entries{kEntry});
}

TEST_F(FenceOwnerTest, NobodyWaitsForOneThatResigned) {
  MakeFence();
  const auto owner = Own(first_, "a");
  Next<LeadershipWon>(first_);
  const auto next = Own(second_, "b");
  owner->Resign();
  EXPECT_EQ(Next<LeadershipLost>(first_).reason, "resigned");
  EXPECT_FALSE(IsLeading(*owner));
  EXPECT_EQ(Next<LeadershipWon>(second_).transitions, 2);
}

TEST_F(FenceOwnerTest, LosesToAnotherAndWritesNothingMore) {
  MakeFence();
  const auto owner =
      Own(first_, "a",
          {.lease = minutes(10), .renew_deadline = minutes(5), .retry = milliseconds(200)});
  Next<LeadershipWon>(first_);
  FenceLease fence = api_.fence();
  ReleaseRecord& record = fence.records.at(RecordKey(kUs));
  record.holder = {PodUid("uid-x"), "x"};
  record.holder_pod = PodName("thief");
  api_.SetFence(fence);
  const int writes = api_.writes();
  EXPECT_THAT(Next<LeadershipLost>(first_).reason, HasSubstr("held by thief"));
  EXPECT_FALSE(IsLeading(*owner));
  owner->SetInFlight(List(1, {kEntry}));
  owner->Resign();
  EXPECT_EQ(api_.writes(), writes);
  EXPECT_EQ(api_.record().holder.process, "x");
  EXPECT_EQ(first_.size(), 0U);
}

TEST_F(FenceOwnerTest, LosesWhenTheFenceIsDeleted) {
  MakeFence();
  const auto owner = Own(first_, "a");
  Next<LeadershipWon>(first_);
  api_.DeleteFence();
  EXPECT_THAT(Next<LeadershipLost>(first_).reason, HasSubstr("deleted"));
}

TEST_F(FenceOwnerTest, LosesWhenTheServerIsGone) {
  MakeFence();
  const auto owner = Own(
      first_, "a", {.lease = seconds(3), .renew_deadline = seconds(2), .retry = milliseconds(50)});
  Next<LeadershipWon>(first_);
  server_->Shutdown(Duration(0));
  EXPECT_THAT(Next<LeadershipLost>(first_).reason, HasSubstr("not renewed within 2s: "));
  EXPECT_FALSE(IsLeading(*owner));
}

TEST_F(FenceOwnerTest, AMachineThatSleepsHasLostAtOnce) {
  MakeFence();
  runtime::ManualClock clock;
  const auto owner = Own(first_, "a", kPatient, kUs, &clock);
  Next<LeadershipWon>(first_);
  EXPECT_TRUE(owner->IsLeadingAt(clock.SinceBoot()));
  const int writes = api_.writes();
  clock.Suspend(minutes(5));
  EXPECT_FALSE(owner->IsLeadingAt(clock.SinceBoot()));
  EXPECT_THAT(Next<LeadershipLost>(first_).reason, HasSubstr("not renewed within 5m"));
  EXPECT_EQ(api_.writes(), writes);
}

TEST_F(FenceOwnerTest, SaysThatItMayNotReadTheFence) {
  MakeFence();
  api_.Forbid(true);
  const auto owner = Own(first_, "a");
  EXPECT_THAT(Next<FenceStanding>(first_).why_not, HasSubstr("cannot be read: 403 Forbidden"));
  api_.Forbid(false);
  EXPECT_EQ(Next<LeadershipWon>(first_).transitions, 1);
}

// Every one of them writes as fast as it can, and each gets its turn.
TEST_F(FenceOwnerTest, ManyReleasesThatWriteAtOnceMakeProgress) {
  MakeFence();
  struct Release {
    Events events;
    std::unique_ptr<FenceOwner> owner;
  };
  std::vector<Release> releases(6);
  for (std::size_t i = 0; i < releases.size(); ++i) {
    releases[i].owner =
        Own(releases[i].events, std::to_string(i),
            {.lease = minutes(10), .renew_deadline = minutes(5), .retry = seconds(60)},
            SchedulerName("gpu-" + std::to_string(i)));
  }
  for (std::size_t i = 0; i < releases.size(); ++i) {
    auto& [events, owner] = releases[i];
    std::optional<model::Event> event;
    do {
      event = events.Pop(std::chrono::steady_clock::now() + minutes(2));
    } while (event && !std::holds_alternative<LeadershipWon>(*event));
    ASSERT_TRUE(event.has_value());
  }
  constexpr std::uint64_t kRounds = 30;
  for (std::uint64_t round = 1; round <= kRounds; ++round) {
    for (std::size_t i = 0; i < releases.size(); ++i) {
      const int gpu = static_cast<int>(i * kRounds + round);
      model::ListInFlight list = List(round, {Entry(std::to_string(gpu), gpu)});
      list.is_settling = true;
      releases[i].owner->SetInFlight(list);
    }
    for (auto& [events, owner] : releases) {
      for (bool is_listed = false; !is_listed;) {
        const auto event = events.Pop(std::chrono::steady_clock::now() + minutes(2));
        ASSERT_TRUE(event.has_value());
        ASSERT_FALSE(std::holds_alternative<LeadershipLost>(*event)) << ToString(*event);
        const auto* listed = std::get_if<InFlightListed>(&*event);
        is_listed = listed != nullptr && listed->revision == round;
        if (listed != nullptr) EXPECT_THAT(listed->refused, IsEmpty());
      }
    }
  }
}

}  // namespace
}  // namespace gs::kube
