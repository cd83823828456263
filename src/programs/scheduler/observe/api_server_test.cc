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

class ApiServer : public testing::Test {
 protected:
  ApiServer() { (void)cycle_.RunOnce(Seen(), kNow); }
  void TearDown() override { questions_.Close(); }

  void Start(Duration patience = std::chrono::seconds(60)) {
    server_ = *StartApiServer(io_, "127.0.0.1", 0,
                              {.questions = questions_, .clock = clock_, .patience = patience});
    client_ = *http::Client::Create(io_, {.host = "127.0.0.1", .port = server_->port()}, {});
  }
  // As the scheduler's own loop does.
  void Run() {
    loop_ = std::jthread([this](const std::stop_token& stop) {
      while (wake_.Pop(runtime::Mailbox<int>::kNoDeadline, stop)) questions_.AnswerAll(cycle_);
    });
  }
  http::Response Send(http::Method method, std::string target) {
    auto outcome = client_->SendAndWait({.method = method, .target = std::move(target)});
    return std::get<http::Response>(std::move(outcome));
  }
  json::object Get(const std::string& target) {
    const http::Response response = Send(http::Method::kGet, target);
    EXPECT_EQ(response.status, 200) << response.body;
    return json::parse(response.body).as_object();
  }

  runtime::ManualClock clock_{kNow};
  cycle::Cycle cycle_{{.scheduler = SchedulerName("gpu-scheduler"), .leader = "me"}};
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
            R"("claim":"one","evidence":["bound"]}]}]}]})");
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

TEST_F(ApiServer, OtherPathsAndMethodsAreToldWhatThereIs) {
  Start();
  const http::Response missing = Send(http::Method::kGet, "/api/v2/gpus");
  EXPECT_EQ(missing.status, 404);
  EXPECT_THAT(missing.body, HasSubstr(R"("paths":["/api/v1/gpus","/api/v1/pods",)"));
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
