// The fence against a real API server: GS_TEST_PLANE names the folder of a control plane that runs
// (tools/cluster). Without it the tests are skipped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <variant>

#include "adapters/json/parse.h"
#include "adapters/kube/api/resource.h"
#include "adapters/kube/fence/fence_owner.h"
#include "adapters/kube/fence/process_for_test.h"
#include "adapters/kube/login/file_reader.h"
#include "adapters/kube/login/find_settings.h"
#include "adapters/kube/objects/owner_reference.h"
#include "adapters/runtime/mailbox.h"

namespace gs::kube {
namespace {

using model::FenceSeen;
using model::FenceStanding;
using model::InFlightListed;
using model::LeadershipLost;
using model::LeadershipWon;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;
using Events = runtime::Mailbox<model::Event>;
using Entries = std::vector<model::InFlightPod>;

// Long enough for a control plane beside compilers.
constexpr FenceOptions kPatient{
    .lease = seconds(8), .renew_deadline = milliseconds(7900), .retry = milliseconds(100)};

model::ListInFlight List(std::uint64_t revision, Entries entries) {
  return {.revision = revision, .in_flight = std::move(entries), .view = ResourceVersion("9")};
}
model::ListInFlight Settling(std::uint64_t revision) {
  return {.revision = revision, .is_settling = true};
}

// The next event of this kind; nothing but standings and others' news may come before.
template <class Event>
Event Next(Events& events) {
  const auto deadline = std::chrono::steady_clock::now() + minutes(2);
  auto event = events.Pop(deadline);
  while (event && !std::holds_alternative<Event>(*event) &&
         (std::holds_alternative<FenceStanding>(*event) ||
          std::holds_alternative<FenceSeen>(*event))) {
    event = events.Pop(deadline);
  }
  const auto* wanted = event ? std::get_if<Event>(&*event) : nullptr;
  EXPECT_NE(wanted, nullptr) << (event ? ToString(*event) : "nothing came");
  return wanted ? *wanted : Event();
}

class FenceClusterTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* plane = std::getenv("GS_TEST_PLANE");
    if (plane == nullptr) GTEST_SKIP() << "GS_TEST_PLANE is not set";
    auto settings = FindSettings({.kubeconfig = std::filesystem::path(plane) / "admin.kubeconfig"});
    ASSERT_TRUE(settings.ok()) << settings.error();
    settings_ = *std::move(settings);
    client_ = Client();
    // A fence of its own for every test.
    ns_ = Namespace("fence-" + std::to_string(std::random_device()()));
    EXPECT_EQ(Send(http::Method::kPost, CollectionPath(kNamespaces, Namespace()),
                   R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" + ns_.text() +
                       R"("}})")
                  .status,
              201);
    // The garbage collector deletes what has only owners that are not there.
    const auto role = Send(http::Method::kPost, CollectionPath(kClusterRoles, Namespace()),
                           R"({"metadata":{"name":")" + ns_.text() + R"("}})");
    EXPECT_EQ(role.status, 201);
    const auto made = json::ParseJson(role.body);
    ASSERT_TRUE(made.ok()) << made.error();
    owner_ = ClusterRoleOwner(ns_.text(), std::string(made->at("metadata").at("uid").as_string()));
  }
  void TearDown() override {
    if (!client_) return;
    (void)Send(http::Method::kDelete, ObjectPath(kNamespaces, Namespace(), ns_.text()));
    (void)Send(http::Method::kDelete, ObjectPath(kClusterRoles, Namespace(), ns_.text()));
  }

  std::unique_ptr<ApiClient> Client() {
    auto client = ApiClient::Create(threads_, settings_,
                                    MakeLoginSource(settings_, ReadFile, RunProcess), clock_);
    return *std::move(client);
  }
  FenceSelf Self(const std::string& pod, const SchedulerName& scheduler) {
    return {.identity = {PodUid("uid-" + pod), "start-" + pod},
            .pod = PodName(pod),
            .scheduler = scheduler,
            .release_namespace = ns_,
            .fence_namespace = ns_,
            .owner = owner_};
  }
  std::unique_ptr<FenceOwner> Own(Events& events, const FenceSelf& self) {
    return std::make_unique<FenceOwner>(
        Client(), clock_, self, kPatient,
        [&events](model::Event event) { (void)events.Push(std::move(event)); });
  }
  std::unique_ptr<FenceOwner> Own(Events& events, const std::string& pod,
                                  const SchedulerName& scheduler = kUs) {
    return Own(events, Self(pod, scheduler));
  }

  [[nodiscard]] std::string FencePath() const { return ObjectPath(kLeases, ns_, kFenceName); }
  http::Response Send(http::Method method, const std::string& path, std::string body = "") {
    const auto outcome = client_->Send({.method = method,
                                        .target = path,
                                        .headers = {{"Content-Type", "application/json"}},
                                        .body = std::move(body)});
    const auto* response = std::get_if<http::Response>(&outcome);
    EXPECT_NE(response, nullptr);
    return response ? *response : http::Response{.status = 0, .headers = {}, .body = {}};
  }
  FenceLease Stored() {
    const auto fence = DecodeFenceLease(Send(http::Method::kGet, FencePath()).body);
    EXPECT_TRUE(fence.ok()) << fence.error();
    return fence ? *fence : FenceLease();
  }
  ReleaseRecord Record() {
    const FenceLease fence = Stored();
    const ReleaseRecord* record = FindRecord(fence, kUs);
    EXPECT_NE(record, nullptr);
    return record ? *record : ReleaseRecord();
  }

  Events first_;
  Events second_;
  runtime::SystemClock clock_;
  runtime::IoThreads threads_{2};
  ConnectionSettings settings_;
  Namespace ns_;
  OwnerReference owner_;
  std::unique_ptr<ApiClient> client_;
};

TEST_F(FenceClusterTest, TheSecondTakesOverWithTheListOfTheFirst) {
  auto first = Own(first_, "a");
  const auto won = Next<LeadershipWon>(first_);
  EXPECT_FALSE(won.is_list_known);
  EXPECT_EQ(won.transitions, 1);
  first->SetInFlight(Settling(1));
  EXPECT_EQ(Next<InFlightListed>(first_).revision, 1U);
  EXPECT_FALSE(Stored().unsettled.has_value());
  const auto second = Own(second_, "b");
  for (std::uint64_t revision = 2; revision <= 30; ++revision) {
    first->SetInFlight(List(revision, {Entry("a", static_cast<int>(revision))}));
    EXPECT_EQ(Next<InFlightListed>(first_).revision, revision);
  }
  EXPECT_FALSE(second->IsLeadingAt(clock_.SinceBoot()));
  EXPECT_EQ(Stored().metadata.owners.at(0).name, owner_.name);
  first.reset();
  const auto taken = Next<LeadershipWon>(second_);
  EXPECT_TRUE(taken.is_list_known);
  EXPECT_EQ(taken.inherited, Entries{Entry("a", 30)});
  EXPECT_EQ(taken.transitions, 2);
  EXPECT_EQ(Record().holder.pod, PodUid("uid-b"));
}

TEST_F(FenceClusterTest, TwoReleasesNeverListTheSameGpu) {
  const auto first = Own(first_, "a");
  Next<LeadershipWon>(first_);
  first->SetInFlight(Settling(1));
  Next<InFlightListed>(first_);
  const auto second = Own(second_, "b", SchedulerName("gpu-b"));
  EXPECT_FALSE(Next<LeadershipWon>(second_).is_list_known);
  EXPECT_FALSE(Stored().unsettled.has_value());
  second->SetInFlight(Settling(1));
  Next<InFlightListed>(second_);
  first->SetInFlight(List(2, {Entry("a", 0)}));
  EXPECT_TRUE(Next<InFlightListed>(first_).refused.empty());
  second->SetInFlight(List(2, {Entry("x", 0), Entry("y", 1)}));
  EXPECT_EQ(Next<InFlightListed>(second_).refused, std::vector<PodUid>{PodUid("u-x")});
  EXPECT_EQ(Stored().metadata.owners.size(), 1U);  // both have the same one here
}

TEST_F(FenceClusterTest, ADeletedFenceIsLostAndMadeAnewUnsettled) {
  const auto first = Own(first_, "a");
  Next<LeadershipWon>(first_);
  EXPECT_EQ(Send(http::Method::kDelete, FencePath()).status, 200);
  EXPECT_THAT(Next<LeadershipLost>(first_).reason, HasSubstr("deleted"));
  EXPECT_EQ(Send(http::Method::kGet, FencePath()).status, 404);
  const auto second = Own(second_, "b");
  EXPECT_FALSE(Next<LeadershipWon>(second_).is_list_known);
  EXPECT_TRUE(Stored().unsettled.has_value());
}

TEST_F(FenceClusterTest, NobodyWaitsForOneThatResigned) {
  const auto first = Own(first_, "a");
  Next<LeadershipWon>(first_);
  first->SetInFlight(Settling(1));
  Next<InFlightListed>(first_);
  first->Resign();
  EXPECT_EQ(Next<LeadershipLost>(first_).reason, "resigned");
  EXPECT_FALSE(Record().is_held());
  const auto second = Own(second_, "b");
  EXPECT_TRUE(Next<LeadershipWon>(second_).is_list_known);
}

// As the chart of the version before made it, and its leader wrote it.
TEST_F(FenceClusterTest, TheLeaseOfTheVersionBeforeIsTakenForEver) {
  const std::string name = EarlierElectionName(kUs).text();
  EXPECT_EQ(
      Send(http::Method::kPost, CollectionPath(kLeases, ns_),
           R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":")" + name +
               R"(","labels":{"app":"x"},"annotations":{"gpu.scheduling/in-flight-format":)"
               R"("1","gpu.scheduling/in-flight":"[{\"namespace\":\"team\",\"name\":\"a\",)"
               R"(\"uid\":\"u-a\"}]"}},"spec":{"holderIdentity":"old",)"
               R"("leaseDurationSeconds":1,"leaseTransitions":3}})")
          .status,
      201);
  const auto first = Own(first_, "a");
  const auto won = Next<LeadershipWon>(first_);
  EXPECT_EQ(won.unresolved.at(0).uid, PodUid("u-a"));
  const auto lease =
      DecodeEarlierElection(Send(http::Method::kGet, ObjectPath(kLeases, ns_, name)).body);
  ASSERT_TRUE(lease.ok()) << lease.error();
  EXPECT_TRUE(IsTombstone(*lease));
  EXPECT_EQ(lease->metadata.labels.at("app"), "x");
  EXPECT_EQ(lease->transitions, 4);
}

TEST_F(FenceClusterTest, AMissingNamespaceIsTold) {
  FenceSelf self = Self("a", kUs);
  self.fence_namespace = Namespace(ns_.text() + "-is-not-there");
  const auto owner = Own(first_, self);
  FenceStanding standing;
  while (standing.why_not.empty()) standing = Next<FenceStanding>(first_);
  EXPECT_THAT(standing.why_not, HasSubstr("make that namespace, or set fence.namespace"));
}

// The API server's own limit, with a list as long as it may be.
TEST_F(FenceClusterTest, AFullListIsStored) {
  const auto first = Own(first_, "a");
  Next<LeadershipWon>(first_);
  first->SetInFlight(Settling(1));
  Next<InFlightListed>(first_);
  Entries entries;
  for (int i = 0; i < 128; ++i) {
    entries.push_back(Entry(std::string(60, 'p') + std::to_string(i), i));
    entries.back().gpus.node = NodeName(std::string(63, 'n'));
  }
  first->SetInFlight(List(2, entries));
  EXPECT_EQ(Next<InFlightListed>(first_).revision, 2U);
  EXPECT_EQ(Record().in_flight.size(), 128U);
}

}  // namespace
}  // namespace gs::kube
