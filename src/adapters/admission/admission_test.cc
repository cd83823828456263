#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/admission/print_answer.h"
#include "adapters/admission/read_review.h"
#include "adapters/kube/login/base64.h"

namespace gs::admission {
namespace {

using admit::Action;
using admit::ValueSource;
using testing::HasSubstr;

std::string ReviewOf(const std::string& operation, const std::string& object,
                     const std::string& more = "") {
  return R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u-1",)"
         R"("resource":{"group":"","version":"v1","resource":"pods"},"namespace":"team",)"
         R"("operation":")" +
         operation + R"(","object":)" + object + more + "}}";
}

TEST(ReadReview, ReadsWhatAdmissionLooksAt) {
  const auto question = ReadReview(ReviewOf("CREATE", R"({
    "metadata": {"generateName": "job-", "annotations": {"gpu.scheduling/claim": "pair", "x": "y"}},
    "spec": {
      "schedulerName": "gpu-scheduler", "nodeName": "node-a",
      "tolerations": [{"key": "a", "operator": "Exists", "effect": "NoSchedule"},
                      {"key": "b", "operator": "Gt", "value": "1"}],
      "initContainers": [{"name": "i", "securityContext": {"privileged": true}}],
      "containers": [{"name": "c", "resources": {"limits": {"nvidia.com/gpu": "2"}}, "env": [
        {"name": "A", "value": "1"},
        {"name": "B", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.annotations['k']"}}},
        {"name": "C", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
        {"name": "D", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]}]}})"));
  ASSERT_TRUE(question.ok()) << question.error();
  EXPECT_EQ(question->uid, "u-1");
  EXPECT_EQ(question->name, "job-");
  EXPECT_EQ(question->ns, Namespace("team"));
  EXPECT_EQ(question->claim, ClaimName("pair"));
  const auto& review = question->review;
  EXPECT_EQ(review.action, Action::kCreate);
  EXPECT_EQ(review.scheduler, SchedulerName("gpu-scheduler"));
  EXPECT_EQ(review.node, NodeName("node-a"));
  EXPECT_TRUE(review.has_tolerations);
  EXPECT_EQ(review.tolerations.size(), 1U);
  EXPECT_TRUE(review.init_containers.at(0).is_privileged);
  const auto& container = review.containers.at(0);
  EXPECT_EQ(container.gpus, 2);
  const std::vector<admit::EnvVariable> expected{{"A", ValueSource::kText, "1"},
                                                 {"B", ValueSource::kAnnotation, "k"},
                                                 {"C", ValueSource::kOther, ""},
                                                 {"D", ValueSource::kOther, ""}};
  EXPECT_EQ(container.env, expected);
}

TEST(ReadReview, KnowsWholeGpusAndPartsByTheNamesOfResources) {
  const auto container = [](const std::string& resources) {
    const auto question =
        ReadReview(ReviewOf("CREATE", R"({"spec": {"schedulerName": "s", "containers": [
        {"name": "c", "resources": )" + resources +
                                          "}]}}"));
    EXPECT_TRUE(question.ok());
    return question->review.containers.at(0);
  };
  EXPECT_EQ(container(R"({"limits": {"amd.com/gpu": 2}, "requests": {"amd.com/gpu": 2}})").gpus, 2);
  EXPECT_EQ(container(R"({"requests": {"amd.com/gpu": 2, "nvidia.com/gpu": 1}})").gpus, 3);
  EXPECT_FALSE(container(R"({"limits": {"amd.com/gpu": 2}})").has_gpu_parts);
  EXPECT_FALSE(container(R"({"limits": {"nvidia.com/gpu.shared": 0}})").has_gpu_parts);
  const auto part = container(R"({"limits": {"nvidia.com/mig-1g.5gb": 1}})");
  EXPECT_EQ(part.gpus, 0);
  EXPECT_TRUE(part.has_gpu_parts);
}

TEST(ReadReview, KnowsWhichEphemeralContainersAreNew) {
  const auto question = ReadReview(
      ReviewOf("UPDATE", R"({"spec":{"ephemeralContainers":[{"name":"a"},{"name":"b"}]}})",
               R"(,"subResource":"ephemeralcontainers",)"
               R"("oldObject":{"spec":{"ephemeralContainers":[{"name":"a"}]}})"));
  ASSERT_TRUE(question.ok()) << question.error();
  EXPECT_EQ(question->review.action, Action::kAddEphemeralContainers);
  EXPECT_FALSE(question->review.ephemeral_containers.at(0).is_new);
  EXPECT_TRUE(question->review.ephemeral_containers.at(1).is_new);
}

TEST(ReadReview, OtherKindsAndOperationsAreNoneOfOurBusiness) {
  for (const auto* operation : {"UPDATE", "DELETE", "CONNECT"}) {
    const auto question = ReadReview(ReviewOf(operation, "null"));
    ASSERT_TRUE(question.ok()) << question.error();
    EXPECT_EQ(question->review.action, Action::kOther);
  }
  const auto other = ReadReview(
      R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u",)"
      R"("resource":{"group":"apps","version":"v1","resource":"deployments"},)"
      R"("operation":"CREATE","object":{"spec":7}}})");
  ASSERT_TRUE(other.ok()) << other.error();
  EXPECT_EQ(other->review.action, Action::kOther);
}

TEST(ReadReview, RefusesWhatIsNoReviewAndNamesTheField) {
  const auto why = [](const std::string& text) { return ToString(ReadReview(text).error()); };
  EXPECT_THAT(why(""), HasSubstr("JSON"));
  EXPECT_THAT(why("[]"), HasSubstr("expected an object"));
  EXPECT_THAT(why(R"({"kind":"Pod"})"), HasSubstr("kind: expected AdmissionReview"));
  EXPECT_THAT(why(R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1"})"),
              HasSubstr("apiVersion"));
  EXPECT_THAT(why(R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"})"),
              HasSubstr("request.uid"));
  EXPECT_THAT(why(ReviewOf("CREATE", "{}")), HasSubstr("request.object.spec: is missing"));
  EXPECT_THAT(why(ReviewOf("CREATE", R"({"spec":{"containers":[null]}})")),
              HasSubstr("request.object.spec.containers[0]"));
  EXPECT_THAT(why(ReviewOf("CREATE", R"({"spec":{"containers":[{"env":[{},null]}]}})")),
              HasSubstr("request.object.spec.containers[0].env[1]"));
}

TEST(PrintAnswer, SaysWhyAPodIsRefused) {
  EXPECT_EQ(PrintAnswer("u-1", admit::Refused{"no \"way\""}),
            R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":)"
            R"({"uid":"u-1","allowed":false,"status":{"code":422,"reason":"Invalid",)"
            R"("message":"no \"way\""}}})");
}

TEST(PrintAnswer, AllowsWithoutAPatchWhereNothingChanges) {
  EXPECT_EQ(PrintAnswer("u-1", admit::Patch{}),
            R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":)"
            R"({"uid":"u-1","allowed":true}})");
}

TEST(PrintAnswer, WritesEveryKindOfChange) {
  const admit::EnvVariable text{"A", ValueSource::kText, ""};
  const admit::EnvVariable annotation{"B", ValueSource::kAnnotation, "gpu.scheduling/uuids"};
  const model::Toleration toleration{"t", "", model::TolerationOperator::kExists,
                                     model::TaintEffect::kNoSchedule};
  const admit::Patch patch{
      {admit::PatchVerb::kReplace, "/spec/containers/0/env/1", text},
      {admit::PatchVerb::kRemove, "/spec/containers/0/env/0", {}},
      {admit::PatchVerb::kAdd, "/spec/containers/1/env", std::vector{annotation}},
      {admit::PatchVerb::kAdd, "/spec/tolerations/-", toleration},
      {admit::PatchVerb::kAdd, "/spec/tolerations", std::vector<model::Toleration>{}}};
  EXPECT_EQ(
      PrintPatch(patch),
      R"([{"op":"replace","path":"/spec/containers/0/env/1","value":{"name":"A","value":""}},)"
      R"({"op":"remove","path":"/spec/containers/0/env/0"},)"
      R"({"op":"add","path":"/spec/containers/1/env","value":[{"name":"B","valueFrom":)"
      R"({"fieldRef":{"apiVersion":"v1","fieldPath":)"
      R"("metadata.annotations['gpu.scheduling/uuids']"}}}]},)"
      R"({"op":"add","path":"/spec/tolerations/-","value":)"
      R"({"key":"t","operator":"Exists","effect":"NoSchedule"}},)"
      R"({"op":"add","path":"/spec/tolerations","value":[]}])");
  EXPECT_THAT(PrintAnswer("u", patch), HasSubstr(kube::EncodeBase64(PrintPatch(patch))));
}

}  // namespace
}  // namespace gs::admission
