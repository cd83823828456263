// Writes against a real API server: that its answers are what the rest of the code takes them for.
// GS_TEST_PLANE names the folder of a running plane of tools/cluster; without it, all is skipped.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/json/serialize.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <variant>

#include "adapters/json/parse.h"
#include "adapters/kube/api/api_client.h"
#include "adapters/kube/login/file_reader.h"
#include "adapters/kube/login/find_settings.h"
#include "adapters/kube/objects/decode.h"
#include "adapters/kube/write/command_requests.h"
#include "adapters/kube/write/event_recorder.h"
#include "adapters/kube/write/writer.h"
#include "adapters/runtime/clock.h"

namespace gs::kube {
namespace {

using model::WriteOutcome;
using ::testing::HasSubstr;

constexpr Resource kNamespaces{"", "v1", "namespaces", false};
constexpr Resource kConfigMaps{"", "v1", "configmaps"};
constexpr Resource kServiceAccounts{"", "v1", "serviceaccounts"};

class WriteClusterTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* plane = std::getenv("GS_TEST_PLANE");
    if (plane == nullptr) GTEST_SKIP() << "GS_TEST_PLANE names no plane";
    const auto settings =
        FindSettings({.kubeconfig = std::filesystem::path(plane) / "admin.kubeconfig"});
    ASSERT_TRUE(settings.ok()) << settings.error();
    auto client = ApiClient::Create(threads_, *settings,
                                    MakeLoginSource(*settings, ReadFile, RunProcess), clock_);
    ASSERT_TRUE(client.ok()) << client.error();
    client_ = *std::move(client);
    MakeNamespace();
  }

  void TearDown() override {
    if (!client_) return;
    (void)Write(*client_, DeleteRequest({kNamespaces, Namespace(), ns_.text()}, {}));
  }

  // Of its own for every test, with the account that pods need, before a controller makes it.
  void MakeNamespace() {
    ns_ = Namespace("write-" + std::to_string(clock_.WallTime().time_since_epoch().count()) + "-" +
                    std::to_string(getpid()));
    ASSERT_EQ(Create(kNamespaces, {{"metadata", {{"name", ns_.text()}}}}, Namespace()),
              WriteOutcome::kDone);
    const auto account = Create(kServiceAccounts, {{"metadata", {{"name", "default"}}}}, ns_);
    ASSERT_TRUE(account == WriteOutcome::kDone || account == WriteOutcome::kAlreadyExists);
  }

  WriteReply Send(Result<WriteRequest> request) { return Write(*client_, std::move(request)); }

  WriteOutcome Create(const Resource& resource, const boost::json::object& object,
                      const Namespace& ns) {
    const auto reply = Send(CreateRequest(resource, ns, boost::json::serialize(object)));
    return reply.answer.outcome;
  }

  // The object as it is now; null where there is none.
  boost::json::value Get(const ObjectTarget& target) {
    const auto outcome =
        client_->Send({.method = http::Method::kGet,
                       .target = ObjectPath(target.resource, target.ns, target.name),
                       .headers = {},
                       .body = ""});
    const auto* response = std::get_if<http::Response>(&outcome);
    if (response == nullptr || response->status != 200) return nullptr;
    return *json::ParseJson(response->body);
  }

  // A pod that nobody schedules.
  model::Pod MakePod(const std::string& name) {
    const boost::json::object pod{
        {"metadata", {{"name", name}, {"annotations", {{"gpu.scheduling/uuids", "forged"}}}}},
        {"spec",
         {{"schedulerName", "nobody"},
          {"automountServiceAccountToken", false},
          {"containers", boost::json::array{{{"name", "main"}, {"image", "none"}}}}}}};
    const auto reply = Send(CreateRequest(kPods, ns_, boost::json::serialize(pod)));
    EXPECT_EQ(reply.answer.outcome, WriteOutcome::kDone) << reply.answer.reason;
    return reply.answer.outcome == WriteOutcome::kDone ? *DecodePod(reply.body) : model::Pod();
  }
  ObjectTarget PodTarget(const std::string& name) const { return {kPods, ns_, name}; }
  model::Pod PodNow(const std::string& name) {
    return *DecodePod(boost::json::serialize(Get(PodTarget(name))));
  }

  CommandContext context() const { return {ns_}; }

  runtime::SystemClock clock_;
  runtime::IoThreads threads_{2};
  std::unique_ptr<ApiClient> client_;
  Namespace ns_;
};

// The condition of that type, or null.
boost::json::value ConditionOf(const boost::json::value& pod, std::string_view type) {
  const auto* conditions = pod.at("status").as_object().if_contains("conditions");
  if (conditions == nullptr) return nullptr;
  for (const auto& condition : conditions->as_array()) {
    if (condition.at("type").as_string() == type) return condition;
  }
  return nullptr;
}

TEST_F(WriteClusterTest, UpdatesAnObjectInTheVersionItNames) {
  const ObjectTarget target{kConfigMaps, ns_, "c"};
  ASSERT_EQ(Create(kConfigMaps, {{"metadata", {{"name", "c"}}}, {"data", {{"a", "1"}}}}, ns_),
            WriteOutcome::kDone);
  boost::json::value object = Get(target);
  object.at("data").as_object()["a"] = "2";
  const std::string json = boost::json::serialize(object);
  EXPECT_EQ(Send(UpdateRequest(target, json)).answer.outcome, WriteOutcome::kDone);
  EXPECT_EQ(Get(target).at("data").at("a"), "2");
  EXPECT_EQ(Send(UpdateRequest(target, json)).answer.outcome, WriteOutcome::kConflict);
}

TEST_F(WriteClusterTest, EveryKindOfPatchIsUnderstood) {
  const ObjectTarget target{kConfigMaps, ns_, "c"};
  ASSERT_EQ(Create(kConfigMaps, {{"metadata", {{"name", "c"}}}, {"data", {{"a", "1"}}}}, ns_),
            WriteOutcome::kDone);
  const auto patch = [&](PatchKind kind, const std::string& json) {
    return Send(PatchRequest(target, kind, json, "somebody")).answer;
  };
  const auto value = [&](const char* key) { return Get(target).at("data").at(key); };

  EXPECT_EQ(patch(PatchKind::kMerge, R"({"data":{"a":"merge"}})").outcome, WriteOutcome::kDone);
  EXPECT_EQ(value("a"), "merge");
  EXPECT_EQ(
      patch(PatchKind::kJson, R"([{"op":"replace","path":"/data/a","value":"json"}])").outcome,
      WriteOutcome::kDone);
  EXPECT_EQ(value("a"), "json");
  EXPECT_EQ(patch(PatchKind::kStrategic, R"({"data":{"a":"strategic"}})").outcome,
            WriteOutcome::kDone);
  EXPECT_EQ(value("a"), "strategic");

  const std::string applied =
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":"apply"}})";
  const auto apply = [&](PatchKind kind) {
    return Send(PatchRequest(target, kind, applied, "another")).answer.outcome;
  };
  EXPECT_EQ(apply(PatchKind::kApply), WriteOutcome::kConflict);
  EXPECT_EQ(apply(PatchKind::kForcedApply), WriteOutcome::kDone);
  EXPECT_EQ(value("a"), "apply");
}

TEST_F(WriteClusterTest, ALockCanBeTakenOnceAndIsOnlyChangedAsItWasSeen) {
  model::GpuLease lease;
  lease.name = LeaseName("gpu-node-a-0");
  lease.node = NodeName("node-a");
  lease.scheduler = SchedulerName("gpu-scheduler");
  lease.holders = {{{ns_, PodName("a"), PodUid("u1")}, {GpuId(0)}, AttemptId("t1")}};
  const model::CreateLease create{lease, AttemptId("t1")};
  const auto created = Send(RequestOf(create, context()));
  ASSERT_EQ(EventOf(create, created).outcome, WriteOutcome::kDone) << created.answer.reason;
  EXPECT_EQ(Send(RequestOf(create, context())).answer.outcome, WriteOutcome::kAlreadyExists);

  const model::GpuLease first = *DecodeLease(created.body);
  model::UpdateLease join{first, AttemptId("t2")};
  join.lease.holders.push_back({{ns_, PodName("b"), PodUid("u2")}, {GpuId(0)}, AttemptId("t2")});
  const auto joined = Send(RequestOf(join, context()));
  ASSERT_EQ(joined.answer.outcome, WriteOutcome::kDone) << joined.answer.reason;
  EXPECT_EQ(Send(RequestOf(join, context())).answer.outcome, WriteOutcome::kConflict);

  const model::GpuLease second = *DecodeLease(joined.body);
  EXPECT_EQ(second.holders.size(), 2U);
  const auto remove = [&](const LeaseUid& uid, const ResourceVersion& version) {
    return Send(RequestOf(model::DeleteLease{second.name, uid, version, {}}, context()))
        .answer.outcome;
  };
  EXPECT_EQ(remove(LeaseUid("another"), second.resource_version), WriteOutcome::kConflict);
  EXPECT_EQ(remove(second.uid, first.resource_version), WriteOutcome::kConflict);
  EXPECT_EQ(remove(second.uid, second.resource_version), WriteOutcome::kDone);
  EXPECT_EQ(remove(second.uid, second.resource_version), WriteOutcome::kNotFound);
}

model::BindPod BindingOf(const model::Pod& pod) {
  model::BindPod bind{pod.ref, pod.resource_version, AttemptId("t1"), {}};
  bind.allocation.pod = pod.ref.uid;
  bind.allocation.gpus = {NodeName("node-a"), {GpuId(2), GpuId(0)}};
  bind.allocation.controller = ControllerUid("c1");
  return bind;
}

TEST_F(WriteClusterTest, ABindingWritesNodeAndAnnotationsInTheVersionThatWasNoted) {
  const model::Pod pod = MakePod("a");
  model::BindPod stale = BindingOf(pod);
  ASSERT_EQ(Send(RequestOf(model::TouchPod{pod.ref, {}, "touch 1"}, context())).answer.outcome,
            WriteOutcome::kDone);
  const auto late = Send(RequestOf(stale, context()));
  EXPECT_EQ(EventOf(stale, late).outcome, WriteOutcome::kConflict) << late.answer.reason;

  model::BindPod namesake = BindingOf(PodNow("a"));
  namesake.pod.uid = PodUid("another");
  EXPECT_EQ(Send(RequestOf(namesake, context())).answer.outcome, WriteOutcome::kConflict);
  EXPECT_FALSE(PodNow("a").is_bound());

  const model::BindPod bind = BindingOf(PodNow("a"));
  const auto bound = Send(RequestOf(bind, context()));
  ASSERT_EQ(EventOf(bind, bound).outcome, WriteOutcome::kDone) << bound.answer.reason;
  const model::Pod now = PodNow("a");
  EXPECT_EQ(now.node, NodeName("node-a"));
  EXPECT_EQ(*model::ParseResultAnnotations(now.ref.uid, now.annotations), bind.allocation);
  EXPECT_EQ(*now.annotations.Find("gpu.scheduling/visible-devices"), "2,0");
  EXPECT_EQ(*now.annotations.Find("gpu.scheduling/uuids"), "");  // what was forged is gone

  EXPECT_EQ(Send(RequestOf(BindingOf(now), context())).answer.outcome, WriteOutcome::kConflict);
  model::BindPod gone = bind;
  gone.pod.name = PodName("nobody");
  EXPECT_EQ(Send(RequestOf(gone, context())).answer.outcome, WriteOutcome::kNotFound);
}

TEST_F(WriteClusterTest, ATouchMovesThePodAndKeepsItsOtherConditions) {
  const model::Pod pod = MakePod("a");
  const model::SetUnschedulable waits{pod.ref, {model::ReasonToken::kTooFewGpus, "none is free"}};
  ASSERT_EQ(Send(RequestOf(waits, context())).answer.outcome, WriteOutcome::kDone);
  const auto unscheduled = ConditionOf(Get(PodTarget("a")), "PodScheduled");
  EXPECT_EQ(unscheduled.at("status"), "False");
  EXPECT_EQ(unscheduled.at("reason"), "Unschedulable");
  EXPECT_EQ(unscheduled.at("message"), "TooFewGpus: none is free");

  const auto touch = [&](const std::string& message) {
    const model::TouchPod command{pod.ref, AttemptId("t1"), message};
    return EventOf(command, Send(RequestOf(command, context())));
  };
  const auto first = touch("leader x, 1");
  ASSERT_EQ(first.outcome, WriteOutcome::kDone);
  EXPECT_EQ(first.node, NodeName());
  EXPECT_EQ(first.resource_version, PodNow("a").resource_version);
  const auto second = touch("leader x, 2");
  EXPECT_NE(second.resource_version, first.resource_version);
  const auto fence = ConditionOf(Get(PodTarget("a")), kFenceCondition);
  EXPECT_EQ(fence.at("message"), "leader x, 2");
  EXPECT_EQ(ConditionOf(Get(PodTarget("a")), "PodScheduled"), unscheduled);

  ASSERT_EQ(Send(RequestOf(BindingOf(PodNow("a")), context())).answer.outcome, WriteOutcome::kDone);
  const auto third = touch("leader x, 3");
  EXPECT_EQ(third.outcome, WriteOutcome::kDone);
  EXPECT_EQ(third.node, NodeName("node-a"));
  EXPECT_EQ(ConditionOf(Get(PodTarget("a")), "PodScheduled").at("status"), "True");
}

TEST_F(WriteClusterTest, ANamesakeIsNeitherTouchedNorMarked) {
  model::PodRef other = MakePod("a").ref;
  other.uid = PodUid("another");
  const auto before = Get(PodTarget("a"));
  const model::TouchPod touch{other, AttemptId("t1"), "m"};
  EXPECT_EQ(EventOf(touch, Send(RequestOf(touch, context()))).outcome, WriteOutcome::kNotFound);
  const model::SetUnschedulable waits{other, {model::ReasonToken::kTooFewGpus, "m"}};
  EXPECT_EQ(Send(RequestOf(waits, context())).answer.outcome, WriteOutcome::kNotFound);
  EXPECT_EQ(Get(PodTarget("a")), before);
  other.name = PodName("nobody");
  EXPECT_EQ(Send(RequestOf(model::TouchPod{other, {}, "m"}, context())).answer.outcome,
            WriteOutcome::kNotFound);
}

TEST_F(WriteClusterTest, WhatTheServerWillNeverTakeIsRefusedWithItsReason) {
  const auto reply = Send(CreateRequest(kLeases, ns_, R"({"metadata":{"name":"Not_A_Name"}})"));
  EXPECT_EQ(reply.answer.outcome, WriteOutcome::kRefused);
  EXPECT_THAT(reply.answer.reason, HasSubstr("422 Invalid: "));
  EXPECT_THAT(reply.answer.reason, HasSubstr("metadata.name"));
  EXPECT_EQ(Send(CreateRequest(kLeases, ns_, "{")).answer.outcome, WriteOutcome::kRefused);
}

TEST_F(WriteClusterTest, EventsAppearAndAreCounted) {
  const model::Pod pod = MakePod("a");
  EventRecorder recorder(*client_, clock_,
                         {.source = {SchedulerName("gpu-scheduler"), "write-cluster-test"},
                          .max_waiting = 16,
                          .timeout = std::chrono::seconds(10),
                          .series = {}});
  const model::RecordEvent failed{pod.ref, model::EventType::kWarning, "FailedScheduling",
                                  std::string(2000, 'x')};
  for (int i = 0; i < 3; ++i) recorder.Record(failed);
  recorder.Record(model::RecordEvent{pod.ref, model::EventType::kNormal, "Scheduled", "to node-a"});
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (recorder.counts().written + recorder.counts().failed < 4 &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  EXPECT_EQ(recorder.counts(), (EventCounts{.written = 4}));

  const auto outcome = client_->Send({.method = http::Method::kGet,
                                      .target = CollectionPath(kEvents, ns_),
                                      .headers = {},
                                      .body = ""});
  const auto list = *json::ParseJson(std::get<http::Response>(outcome).body);
  ASSERT_EQ(list.at("items").as_array().size(), 2U);
  for (const auto& event : list.at("items").as_array()) {
    EXPECT_EQ(event.at("regarding").at("uid").as_string(), pod.ref.uid.text());
    EXPECT_EQ(event.at("reportingController"), "gpu-scheduler");
    if (event.at("reason") != "FailedScheduling") continue;
    EXPECT_EQ(event.at("series").at("count"), 3);
    EXPECT_EQ(event.at("note").as_string().size(), 1024U);
  }
}

}  // namespace
}  // namespace gs::kube
