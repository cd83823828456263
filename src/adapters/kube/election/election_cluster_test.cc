// The election against a real API server: GS_TEST_PLANE names the folder of a control plane that
// runs (tools/cluster). Without it the tests are skipped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <variant>

#include "adapters/kube/api/resource.h"
#include "adapters/kube/election/election_owner.h"
#include "adapters/kube/login/file_reader.h"
#include "adapters/kube/login/find_settings.h"
#include "adapters/runtime/mailbox.h"

namespace gs::kube {
namespace {

using model::InFlightListed;
using model::LeadershipLost;
using model::LeadershipWon;
using model::PodRef;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using Events = runtime::Mailbox<model::Event>;
using Pods = std::vector<PodRef>;

const PodRef kPod{Namespace("team"), PodName("a"), PodUid("u-a")};
const Namespace kNamespace("default");
constexpr ElectionOptions kQuick{
    .lease = seconds(2), .renew_deadline = milliseconds(1900), .retry = milliseconds(100)};

template <class Event>
Event Next(Events& events) {
  const auto event = events.Pop(std::chrono::steady_clock::now() + minutes(2));
  const auto* wanted = event ? std::get_if<Event>(&*event) : nullptr;
  EXPECT_NE(wanted, nullptr) << (event ? ToString(*event) : "nothing came");
  return wanted ? *wanted : Event();
}

class ElectionClusterTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* plane = std::getenv("GS_TEST_PLANE");
    if (plane == nullptr) GTEST_SKIP() << "GS_TEST_PLANE is not set";
    auto settings = FindSettings({.kubeconfig = std::filesystem::path(plane) / "admin.kubeconfig"});
    ASSERT_TRUE(settings.ok()) << settings.error();
    settings_ = *std::move(settings);
    client_ = Client();
    // A name of its own for every test, so that no test waits for another's Lease.
    scheduler_ = SchedulerName("test-" + std::to_string(std::random_device()()));
  }
  void TearDown() override {
    if (client_) (void)Send(http::Method::kDelete, Path());
  }

  std::unique_ptr<ApiClient> Client() {
    auto client = ApiClient::Create(threads_, settings_,
                                    MakeLoginSource(settings_, ReadFile, RunProcess), clock_);
    return *std::move(client);
  }
  std::unique_ptr<ElectionOwner> Own(Events& events, const std::string& pod) {
    const ElectionSelf self{.identity = {PodUid("uid-" + pod), "start-" + pod},
                            .pod = PodName(pod),
                            .scheduler = scheduler_,
                            .lock_namespace = kNamespace};
    return std::make_unique<ElectionOwner>(
        Client(), clock_, self, kQuick,
        [&events](model::Event event) { (void)events.Push(std::move(event)); });
  }

  [[nodiscard]] LeaseName Name() const { return ElectionLeaseName(scheduler_); }
  [[nodiscard]] std::string Path() const { return ObjectPath(kLeases, kNamespace, Name().text()); }
  http::Response Send(http::Method method, const std::string& path, std::string body = "") {
    const auto outcome = client_->Send({.method = method,
                                        .target = path,
                                        .headers = {{"Content-Type", "application/json"}},
                                        .body = std::move(body)});
    const auto* response = std::get_if<http::Response>(&outcome);
    EXPECT_NE(response, nullptr);
    return response ? *response : http::Response{.status = 0, .headers = {}, .body = {}};
  }
  // As the chart does.
  void MakeEmptyLease() {
    EXPECT_EQ(Send(http::Method::kPost, CollectionPath(kLeases, kNamespace),
                   R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":")" +
                       Name().text() +
                       R"(","labels":{"app":"x","gpu.scheduling/role":"election"}},"spec":{}})")
                  .status,
              201);
  }
  ElectionLease Stored() {
    const auto lease = DecodeElectionLease(Send(http::Method::kGet, Path()).body);
    EXPECT_TRUE(lease.ok()) << lease.error();
    return lease ? *lease : ElectionLease();
  }

  Events first_;
  Events second_;
  runtime::SystemClock clock_;
  runtime::IoThreads threads_{2};
  ConnectionSettings settings_;
  SchedulerName scheduler_;
  std::unique_ptr<ApiClient> client_;
};

TEST_F(ElectionClusterTest, TheSecondTakesOverWithTheListOfTheFirst) {
  MakeEmptyLease();
  auto first = Own(first_, "a");
  const auto won = Next<LeadershipWon>(first_);
  EXPECT_FALSE(won.is_list_known);
  EXPECT_EQ(won.transitions, 1);
  const auto second = Own(second_, "b");
  for (std::uint64_t revision = 1; revision <= 30; ++revision) {
    first->SetInFlight({.revision = revision, .pods = {kPod}});
    EXPECT_EQ(Next<InFlightListed>(first_).revision, revision);
  }
  EXPECT_FALSE(second->IsLeadingAt(clock_.SinceBoot()));
  EXPECT_EQ(Stored().other_labels.at("app"), "x");
  first.reset();
  const auto taken = Next<LeadershipWon>(second_);
  EXPECT_TRUE(taken.is_list_known);
  EXPECT_EQ(taken.unresolved, Pods{kPod});
  EXPECT_EQ(taken.transitions, 2);
  EXPECT_EQ(Stored().holder.pod, PodUid("uid-b"));
}

TEST_F(ElectionClusterTest, ADeletedLeaseIsLostAndIsNotMadeAnewByItsLeader) {
  MakeEmptyLease();
  const auto first = Own(first_, "a");
  Next<LeadershipWon>(first_);
  EXPECT_EQ(Send(http::Method::kDelete, Path()).status, 200);
  EXPECT_THAT(Next<LeadershipLost>(first_).reason, testing::HasSubstr("deleted"));
  EXPECT_EQ(Send(http::Method::kGet, Path()).status, 404);
  const auto second = Own(second_, "b");
  EXPECT_FALSE(Next<LeadershipWon>(second_).is_list_known);
}

TEST_F(ElectionClusterTest, NobodyWaitsForOneThatResigned) {
  MakeEmptyLease();
  const auto first = Own(first_, "a");
  Next<LeadershipWon>(first_);
  first->SetInFlight({.revision = 1, .pods = {}});
  Next<InFlightListed>(first_);
  first->Resign();
  EXPECT_EQ(Next<LeadershipLost>(first_).reason, "resigned");
  const ElectionLease lease = Stored();
  EXPECT_FALSE(lease.is_held());
  EXPECT_EQ(lease.in_flight, InFlightList(Pods()));
  const auto second = Own(second_, "b");
  EXPECT_TRUE(Next<LeadershipWon>(second_).is_list_known);
}

}  // namespace
}  // namespace gs::kube
