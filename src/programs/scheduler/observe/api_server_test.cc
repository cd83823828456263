#include "programs/scheduler/observe/api_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <stop_token>
#include <thread>

#include "adapters/http/client.h"
#include "adapters/runtime/mailbox.h"

namespace gs::scheduler {
namespace {

namespace json = boost::json;
using testing::HasSubstr;
using testing::StartsWith;

const TimePoint kNow{std::chrono::hours(24)};

model::Pod Pod(const std::string& name, std::int64_t gpus) {
  model::Pod pod;
  pod.ref = {Namespace("team"), PodName(name), PodUid("uid-" + name)};
  pod.scheduler = SchedulerName("gpu-scheduler");
  pod.created = kNow;
  pod.requests.gpus = gpus;
  return pod;
}

// One node with two GPUs, of which a bound pod has one through a claim.
std::vector<model::Event> Seen() {
  model::Node node;
  node.name = NodeName("n1");
  node.gpu_capacity = 2;
  model::Claim claim;
  claim.ns = Namespace("team");
  claim.name = ClaimName("one");
  model::Allocation allocation;
  allocation.pod = PodUid("uid-a");
  allocation.gpus = {NodeName("n1"), {GpuId(1)}};
  allocation.claim = claim.name;
  model::Pod bound = Pod("a", 0);
  bound.node = NodeName("n1");
  bound.annotations = model::ResultAnnotations(allocation);
  return {model::NodeSeen{node}, model::ClaimSeen{claim}, model::PodSeen{bound},
          model::PodSeen{Pod("b", 2)}};
}

model::Node Roomy(const std::string& name, std::int64_t gpus) {
  model::Node node;
  node.name = NodeName(name);
  node.gpu_capacity = gpus;
  node.allocatable = {.cpu_milli = 8000, .memory_bytes = 0, .gpus = gpus, .others = {}};
  node.allocatable_pods = 110;
  return node;
}

class ApiServer : public testing::Test {
 protected:
  static constexpr int kNodeComes = 2;  // to the loop

  ApiServer() { (void)cycle_.RunOnce(Seen(), kNow); }
  void TearDown() override { questions_.Close(); }

  void Start(Duration patience = std::chrono::seconds(60)) {
    server_ = *StartApiServer(io_, "127.0.0.1", 0,
                              {.questions = questions_,
                               .clock = clock_,
                               .placeable = placeable_,
                               .patience = patience,
                               .fleet_period = std::chrono::milliseconds(20)});
    client_ = *http::Client::Create(io_, {.host = "127.0.0.1", .port = server_->port()}, {});
  }
  // As the scheduler's own loop does.
  void Run() {
    loop_ = std::jthread([this](const std::stop_token& stop) {
      while (const auto why = wake_.Pop(runtime::Mailbox<int>::kNoDeadline, stop)) {
        if (*why == kNodeComes) {
          (void)cycle_.RunOnce(std::vector<model::Event>{model::NodeSeen{Roomy("n2", 1)}}, kNow);
        }
        questions_.AnswerAll(cycle_);
      }
    });
  }
  http::Response Send(http::Method method, std::string target) {
    auto outcome = client_->SendAndWait({.method = method, .target = std::move(target)});
    return std::get<http::Response>(std::move(outcome));
  }
  http::Response Post(std::string body) {
    auto outcome = client_->SendAndWait({.method = http::Method::kPost,
                                         .target = "/api/v1/place",
                                         .headers = {},
                                         .body = std::move(body),
                                         .peer = {}});
    return std::get<http::Response>(std::move(outcome));
  }
  json::object Get(const std::string& target) {
    const http::Response response = Send(http::Method::kGet, target);
    EXPECT_EQ(response.status, 200) << response.body;
    return json::parse(response.body).as_object();
  }

  runtime::ManualClock clock_{kNow};
  cycle::Cycle cycle_{{.scheduler = SchedulerName("gpu-scheduler"), .leader = "me"}};
  explain::PlaceableSets placeable_;
  runtime::Mailbox<int> wake_;
  Questions questions_{[this] { (void)wake_.Push(1); }};
  runtime::IoThreads io_{2};
  std::unique_ptr<http::Server> server_;
  std::unique_ptr<http::Client> client_;
  std::jthread loop_;
};

TEST_F(ApiServer, GpusComeWithTheirHolders) {
  Start();
  Run();
  EXPECT_EQ(json::serialize(Get("/api/v1/gpus")),
            R"({"apiVersion":"gpu-scheduler/v1","kind":"GpuList",)"
            R"("time":"1970-01-02T00:00:00.000000Z","leader":false,"synced":false,"items":[)"
            R"({"node":"n1","agent":false,"handover":"direct","foreignGpus":0,"devices":[)"
            R"({"id":0,"health":"Healthy","state":"free","holders":[]},)"
            R"({"id":1,"health":"Healthy","state":"held","holders":[)"
            R"({"pod":{"namespace":"team","name":"a","uid":"uid-a"},"mode":"exclusive",)"
            R"("claim":"one","created":"1970-01-02T00:00:00Z","evidence":["bound"]}]}]}]})");
}

TEST_F(ApiServer, PodsSayWhereTheyAreOrSinceWhenTheyWait) {
  Start();
  Run();
  const json::object list = Get("/api/v1/pods?ignored");
  EXPECT_EQ(json::serialize(list.at("items")),
            R"([{"namespace":"team","name":"a","uid":"uid-a","phase":"bound",)"
            R"("created":"1970-01-02T00:00:00Z","node":"n1","gpuIds":[1],"uuids":[],)"
            R"("mode":"exclusive","enforced":true},)"
            R"({"namespace":"team","name":"b","uid":"uid-b","phase":"waiting",)"
            R"("created":"1970-01-02T00:00:00Z","waitingSince":"1970-01-02T00:00:00.000000Z",)"
            R"("attempts":0}])");
}

TEST_F(ApiServer, ClaimsComeWithWhatIsHeldThroughThem) {
  Start();
  Run();
  EXPECT_EQ(json::serialize(Get("/api/v1/claims").at("items")),
            R"([{"namespace":"team","name":"one","spec":{"devices":{"count":1,)"
            R"("policy":"contiguous","exclusivity":"Exclusive"}},"allocations":[)"
            R"({"pod":{"namespace":"team","name":"a","uid":"uid-a"},"node":"n1","gpuIds":[1],)"
            R"("uuids":[],"mode":"exclusive","enforced":true}],"waitingPods":0}])");
}

TEST_F(ApiServer, AnExplanationHasEveryNodesVerdictAndWhatWouldHelp) {
  (void)cycle_.RunOnce(std::vector<model::Event>{model::NodeSeen{Roomy("n2", 1)}}, kNow);
  Start();
  Run();
  const json::object answer = Get("/api/v1/explain/team/b");
  EXPECT_EQ(answer.at("kind"), "Explanation");
  EXPECT_EQ(answer.at("pod").at("name"), "b");
  EXPECT_EQ(answer.at("fits"), false);
  EXPECT_EQ(answer.at("reason"), "HandoverConflict");
  EXPECT_EQ(json::serialize(answer.at("nodes").at(1)),
            R"({"node":"n2","reason":"TooLarge",)"
            R"("message":"too little nvidia.com/gpu: asks for 2, 1 of 1 free"})");
  EXPECT_EQ(json::serialize(answer.at("wouldStart")),
            R"([{"change":"AsksFewerGpus","node":"n2",)"
            R"("text":"on n2 with 1 GPU instead of 2"}])");
}

TEST_F(ApiServer, APodThatIsBoundIsNotExplainedAndOneThatIsNotThereIs404) {
  Start();
  Run();
  const json::object answer = Get("/api/v1/explain/team/a");
  EXPECT_EQ(answer.at("pod").at("phase"), "bound");
  EXPECT_FALSE(answer.contains("reason"));
  for (const std::string path : {"team/nobody", "team", "team/a/b", ""}) {
    EXPECT_EQ(Send(http::Method::kGet, "/api/v1/explain/" + path).status, 404) << path;
  }
}

TEST_F(ApiServer, APodThatIsPostedIsTriedAndNotKept) {
  (void)cycle_.RunOnce(
      std::vector<model::Event>{model::NodeSeen{Roomy("n2", 4)}, model::NodeSeen{Roomy("n3", 2)}},
      kNow);
  Start();
  Run();
  const std::string before = json::serialize(Get("/api/v1/pods").at("items"));
  const http::Response response = Post(
      "kind: Pod\nmetadata: {name: new, namespace: team}\nspec: {containers: [{name: main, "
      "resources: {limits: {nvidia.com/gpu: 2}, requests: {nvidia.com/gpu: 2}}}]}\n");
  ASSERT_EQ(response.status, 200) << response.body;
  const json::object answer = json::parse(response.body).as_object();
  EXPECT_EQ(answer.at("fits"), true);
  EXPECT_EQ(json::serialize(answer.at("place").at("gpuIds")), "[0,1]");
  EXPECT_EQ(answer.at("runnersUp").as_array().size(), 1U);
  EXPECT_TRUE(answer.at("place").at("cost").as_object().contains("placeableLoss"));
  EXPECT_EQ(json::serialize(Get("/api/v1/pods").at("items")), before);
}

TEST_F(ApiServer, AClaimThatIsPostedIsTriedAsIfItWereThere) {
  (void)cycle_.RunOnce(std::vector<model::Event>{model::NodeSeen{Roomy("n2", 4)}}, kNow);
  Start();
  Run();
  const http::Response fits = Post(R"({"kind":"GpuClaim","spec":{"devices":{"count":3}}})");
  EXPECT_THAT(fits.body, HasSubstr(R"("fits":true,"place":{"node":"n2","gpuIds":[0,1,2])"));
  const http::Response none = Post(R"({"kind":"GpuClaim","spec":{"devices":{"count":5}}})");
  EXPECT_THAT(none.body, HasSubstr("never on today's nodes: largest has 4"));
}

TEST_F(ApiServer, WhatCannotBeTriedIsRefusedWithTheReason) {
  Start();
  EXPECT_EQ(Send(http::Method::kGet, "/api/v1/place").status, 405);
  const auto refusal = [&](std::string body) {
    const http::Response response = Post(std::move(body));
    EXPECT_EQ(response.status, 400);
    return response.body;
  };
  EXPECT_THAT(refusal("{"), HasSubstr("line 1"));
  EXPECT_THAT(refusal("[]"), HasSubstr("no object"));
  EXPECT_THAT(refusal("kind: Job"), HasSubstr("expected Pod or GpuClaim, got Job"));
  EXPECT_THAT(refusal("kind: Pod\nmetadata: 1"), HasSubstr("metadata"));
  EXPECT_THAT(refusal("kind: Pod\nspec: {nodeName: n1, containers: [{name: a}]}"),
              HasSubstr("spec.nodeName"));
  EXPECT_THAT(refusal("kind: GpuClaim\nspec: {devices: {count: many}}"), HasSubstr("count"));
  EXPECT_EQ(Post(std::string(300'000, ' ')).status, 413);
}

TEST_F(ApiServer, ANodeComesWithTheLinksOfItsGpus) {
  model::Machine machine;
  machine.devices.resize(2);
  machine.devices[0].id = GpuId(0);
  machine.devices[1].id = GpuId(1);
  machine.links = model::LinkMatrix(2);
  machine.links.Set(0, 1, {.kind = model::LinkKind::kNvLink, .count = 4, .bandwidth_gbps = 200});
  (void)cycle_.RunOnce(
      std::vector<model::Event>{model::MachineSeen{NodeName("n1"), machine, ResourceVersion("1")}},
      kNow);
  Start();
  Run();
  const json::object node = Get("/api/v1/gpus/n1");
  EXPECT_EQ(node.at("kind"), "Node");
  EXPECT_EQ(json::serialize(node.at("devices").at(1).at("links")),
            R"([{"peer":0,"type":"NVLink","pcie":"SYS","count":4,"bandwidthGBps":200}])");
  EXPECT_EQ(Send(http::Method::kGet, "/api/v1/gpus/nowhere").status, 404);
}

TEST_F(ApiServer, TheFleetIsWhatTheDashboardShows) {
  Start();
  Run();
  const json::object fleet = Get("/api/v1/fleet");
  EXPECT_EQ(fleet.at("kind"), "Fleet");
  EXPECT_EQ(fleet.at("nodes").at(0), Get("/api/v1/gpus").at("items").at(0));
  EXPECT_EQ(fleet.at("pods").as_array().size(), 1U);
  EXPECT_EQ(fleet.at("pods").at(0).at("name"), "b");
}

TEST_F(ApiServer, AStreamTellsTheFleetAndThenItsChanges) {
  Start();
  Run();
  std::string told;
  const auto outcome =
      client_->StreamAndWait({.target = "/api/v1/fleet/stream"}, {}, [&](std::string_view bytes) {
        const bool had_whole = told.find("event: fleet\n") != std::string::npos;
        told += bytes;
        if (!had_whole) (void)wake_.Push(kNodeComes);
        return told.find(R"("nodes":[{"node":"n2")") == std::string::npos;
      });
  EXPECT_EQ(std::get<http::Response>(outcome).status, 200);
  EXPECT_THAT(told, StartsWith("event: fleet\ndata: {"));
  EXPECT_THAT(told, HasSubstr(R"("kind":"FleetChange")"));
}

TEST_F(ApiServer, ThePageIsServedAndMayLoadNothingFromElsewhere) {
  Start();
  const http::Response page = Send(http::Method::kGet, "/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(*page.headers.Find("Content-Type"), "text/html; charset=utf-8");
  EXPECT_THAT(*page.headers.Find("Content-Security-Policy"), StartsWith("default-src 'none';"));
  EXPECT_THAT(page.body, StartsWith("<!doctype html>"));
  EXPECT_EQ(*Send(http::Method::kGet, "/main.js").headers.Find("Content-Type"),
            "text/javascript; charset=utf-8");
  EXPECT_EQ(Send(http::Method::kPost, "/").status, 405);
  EXPECT_EQ(Send(http::Method::kGet, "/nothing.js").status, 404);
}

TEST_F(ApiServer, OtherPathsAndMethodsAreToldWhatThereIs) {
  Start();
  const http::Response missing = Send(http::Method::kGet, "/api/v2/gpus");
  EXPECT_EQ(missing.status, 404);
  EXPECT_THAT(missing.body,
              HasSubstr(R"("paths":["/api/v1/gpus","/api/v1/gpus/NODE","/api/v1/pods",)"));
  const http::Response wrong = Send(http::Method::kDelete, "/api/v1/gpus");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(*wrong.headers.Find("Allow"), "GET, HEAD");
  EXPECT_EQ(json::parse(wrong.body).at("code").as_int64(), 405);
}

TEST_F(ApiServer, ACycleThatIsBusyForTooLongGives503) {
  Start(std::chrono::milliseconds(1));
  const http::Response response = Send(http::Method::kGet, "/api/v1/pods");
  EXPECT_EQ(response.status, 503);
  EXPECT_NE(response.headers.Find("Retry-After"), nullptr);
  questions_.Close();
  EXPECT_EQ(Send(http::Method::kGet, "/api/v1/pods").status, 503);
}

}  // namespace
}  // namespace gs::scheduler
