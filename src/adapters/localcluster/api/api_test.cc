#include "adapters/localcluster/api/api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "adapters/localcluster/api/api_for_test.h"
#include "adapters/localcluster/objects/fields.h"

namespace gs::localcluster {
namespace {

namespace json = boost::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> NamesIn(const ApiReply& reply) {
  std::vector<std::string> names;
  const auto list = ApiForTest::Parse(reply);
  for (const auto& item : *FindArray(list, {"items"})) {
    names.emplace_back(Text(item.as_object(), {"metadata", "name"}));
  }
  return names;
}

std::string MessageOf(const ApiReply& reply) {
  return std::string(Text(ApiForTest::Parse(reply), {"message"}));
}

TEST(Api, ARefusalIsReadableWhateverBytesItRepeats) {
  ApiForTest cluster;
  const auto reply = cluster.Get("/api/v1/namespaces/default/pods?resourceVersion=1%BA");
  EXPECT_EQ(reply.status, 400);
  EXPECT_THAT(Text(ApiForTest::Parse(reply), {"message"}), HasSubstr("1?"));
}

TEST(Api, TellsWhatItIs) {
  ApiForTest cluster;
  EXPECT_EQ(cluster.Get("/readyz").Text(), "ok");
  EXPECT_EQ(cluster.Get("/healthz/ping").status, 200);
  EXPECT_EQ(Text(ApiForTest::Parse(cluster.Get("/version")), {"gitVersion"}), "v1.36.4");
  EXPECT_THAT(cluster.Get("/api").Text(), HasSubstr(R"("versions":["v1"])"));
  EXPECT_THAT(cluster.Get("/apis").Text(), HasSubstr(R"("groupVersion":"apps/v1")"));
  EXPECT_THAT(cluster.Get("/apis/apps").Text(), HasSubstr(R"("kind":"APIGroup")"));
  EXPECT_THAT(cluster.Get("/api/v1").Text(), HasSubstr(R"("name":"pods/binding")"));
  EXPECT_THAT(cluster.Get("/apis/apps/v1").Text(), HasSubstr(R"("shortNames":["deploy"])"));
  const auto all = cluster.Send(http::Method::kGet, "/apis", "", "",
                                "application/json;g=apidiscovery.k8s.io;v=v2;as="
                                "APIGroupDiscoveryList,application/json");
  EXPECT_THAT(all.content_type, HasSubstr("as=APIGroupDiscoveryList"));
  EXPECT_THAT(all.Text(), HasSubstr(R"("resource":"deployments")"));
  EXPECT_THAT(cluster.Get("/openapi/v3").Text(), HasSubstr(R"("api/v1":)"));
  EXPECT_THAT(cluster.Get("/openapi/v3/api/v1").Text(), HasSubstr("fieldValidation"));
}

TEST(Api, RefusesWhatItDoesNotServe) {
  ApiForTest cluster;
  EXPECT_EQ(cluster.Get("/api/v1/unicorns").status, 404);
  EXPECT_EQ(cluster.Get("/apis/no.such/v1").status, 404);
  EXPECT_EQ(cluster.Get("/nonsense").status, 404);
  EXPECT_EQ(cluster.Post("/api/v1/pods", "{}").status, 405);
  EXPECT_EQ(cluster.Put(kPods, "{}").status, 405);
  EXPECT_EQ(cluster.Get(std::string(kPods) + "/a/unknown").status, 404);
  EXPECT_EQ(cluster.Post(kPods, "{").status, 400);
  EXPECT_EQ(cluster.Post(kPods, "[]").status, 400);
  EXPECT_EQ(cluster.Post(kPods, R"({"kind":"Service","apiVersion":"v1"})").status, 400);
  EXPECT_EQ(
      cluster.Send(http::Method::kPost, kPods, "x", "application/vnd.kubernetes.protobuf").status,
      400);
  EXPECT_EQ(cluster.Send(http::Method::kPost, kPods, "x", "application/cbor").status, 415);
}

TEST(Api, CreatesAPodWithWhatTheServerFillsIn) {
  ApiForTest cluster;
  const auto reply = cluster.Post(kPods, ApiForTest::Pod("a"));
  ASSERT_EQ(reply.status, 201) << reply.Text();
  const auto pod = ApiForTest::Parse(reply);
  EXPECT_EQ(Text(pod, {"spec", "restartPolicy"}), "Always");
  EXPECT_EQ(Text(pod, {"spec", "schedulerName"}), "default-scheduler");
  EXPECT_EQ(Text(pod, {"spec", "serviceAccountName"}), "default");
  EXPECT_EQ(Text(pod, {"status", "phase"}), "Pending");
  EXPECT_EQ(Text(pod, {"status", "qosClass"}), "BestEffort");
  EXPECT_EQ(FindArray(pod, {"spec", "tolerations"})->size(), 2U);
  const auto& container = FindArray(pod, {"spec", "containers"})->front().as_object();
  EXPECT_EQ(Text(container, {"imagePullPolicy"}), "Always");
  EXPECT_EQ(cluster.Get(std::string(kPods) + "/a").Text(), reply.Text());
}

TEST(Api, RefusesPodsInTheWordsOfTheRealServer) {
  ApiForTest cluster;
  EXPECT_EQ(MessageOf(cluster.Post(kPods, R"({"metadata":{"name":"a"},"spec":{}})")),
            R"(Pod "a" is invalid: spec.containers: Required value)");
  EXPECT_EQ(MessageOf(cluster.Post(
                kPods,
                R"({"metadata":{"name":"a"},"spec":{"containers":[{"name":"c"},{"image":"x"}]}})")),
            R"(Pod "a" is invalid: [spec.containers[0].image: Required value, )"
            "spec.containers[1].name: Required value]");
  EXPECT_THAT(MessageOf(cluster.Post(kPods, ApiForTest::Pod("A"))),
              HasSubstr(R"(metadata.name: Invalid value: "A": a lowercase RFC 1123 subdomain)"));
  EXPECT_EQ(
      MessageOf(cluster.Post(
          kPods, R"({"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"x",)"
                 R"("resources":{"requests":{"nvidia.com/gpu":1}}}]}})")),
      R"(Pod "a" is invalid: spec.containers[0].resources.limits: Required value: Limit must )"
      "be set for non overcommitable resources");
}

TEST(Api, UnknownFieldsAreDroppedOrRefused) {
  ApiForTest cluster;
  const std::string pod =
      R"({"metadata":{"name":"a"},"spec":{"colour":1,"containers":[{"name":"c","image":"x"}]}})";
  EXPECT_EQ(MessageOf(cluster.Post(std::string(kPods) + "?fieldValidation=Strict", pod)),
            R"(Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown )"
            R"(field "spec.colour")");
  const auto made = cluster.Post(kPods, pod);
  EXPECT_EQ(made.status, 201);
  EXPECT_THAT(made.Text(), Not(HasSubstr("colour")));
}

TEST(Api, ListsInPagesOfOneState) {
  ApiForTest cluster;
  for (const auto* name : {"a", "b", "c"}) cluster.Post(kPods, ApiForTest::Pod(name));
  const auto first = cluster.Get(std::string(kPods) + "?limit=2");
  EXPECT_THAT(NamesIn(first), ElementsAre("a", "b"));
  const auto page = ApiForTest::Parse(first);
  EXPECT_EQ(MaybeInt(page, {"metadata", "remainingItemCount"}), 1);
  cluster.Delete(std::string(kPods) + "/c");
  cluster.Post(kPods, ApiForTest::Pod("d"));
  const std::string token(Text(page, {"metadata", "continue"}));
  EXPECT_THAT(NamesIn(cluster.Get(std::string(kPods) + "?limit=2&continue=" + token)),
              ElementsAre("c"));
  EXPECT_THAT(NamesIn(cluster.Get(kPods)), ElementsAre("a", "b", "d"));
  EXPECT_EQ(cluster.Get(std::string(kPods) + "?continue=x").status, 400);
  const std::string version(Text(page, {"metadata", "resourceVersion"}));
  EXPECT_THAT(NamesIn(cluster.Get(std::string(kPods) + "?resourceVersionMatch=Exact&" +
                                  "resourceVersion=" + version)),
              ElementsAre("a", "b", "c"));
  EXPECT_EQ(cluster.Get(std::string(kPods) + "?resourceVersion=9999").status, 504);
  EXPECT_EQ(cluster.Get(std::string(kPods) + "?resourceVersionMatch=Exact").status, 422);
}

TEST(Api, TablesAreForPeople) {
  ApiForTest cluster;
  cluster.Post(kPods, ApiForTest::Pod("a"));
  const std::string accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
  const auto list = cluster.Send(http::Method::kGet, kPods, "", "", accept);
  EXPECT_EQ(Text(ApiForTest::Parse(list), {"kind"}), "Table");
  EXPECT_THAT(list.Text(), HasSubstr(R"("cells":["a","0/1","Pending")"));
  const auto watch =
      cluster.Send(http::Method::kGet, std::string(kPods) + "?watch=true", "", "", accept).watch;
  EXPECT_THAT(watch->Pull(1 << 20), HasSubstr(R"({"type":"ADDED","object":{"kind":"Table")"));
  cluster.Post(kPods, ApiForTest::Pod("b"));
  EXPECT_THAT(watch->Pull(1 << 20), HasSubstr(R"("columnDefinitions":[])"));
}

TEST(Api, ListItemsOfBuiltInKindsHaveNoKind) {
  ApiForTest cluster;
  cluster.Post(kPods, ApiForTest::Pod("a"));
  const auto list = ApiForTest::Parse(cluster.Get("/api/v1/pods"));
  EXPECT_EQ(Text(list, {"kind"}), "PodList");
  EXPECT_EQ(FindArray(list, {"items"})->front().as_object().if_contains("kind"), nullptr);
}

TEST(Api, SelectsByLabelsAndFields) {
  ApiForTest cluster;
  cluster.Post(kPods, ApiForTest::Pod("a", R"(,"labels":{"app":"x"})"));
  cluster.Post(kPods, ApiForTest::Pod("b", R"(,"labels":{"app":"y"})"));
  EXPECT_THAT(NamesIn(cluster.Get(std::string(kPods) + "?labelSelector=app%3Dx")),
              ElementsAre("a"));
  EXPECT_THAT(NamesIn(cluster.Get(std::string(kPods) + "?labelSelector=app+in+(y,z)")),
              ElementsAre("b"));
  EXPECT_THAT(NamesIn(cluster.Get(std::string(kPods) + "?fieldSelector=metadata.name%3Da")),
              ElementsAre("a"));
  EXPECT_THAT(
      NamesIn(cluster.Get(std::string(kPods) + "?fieldSelector=spec.nodeName%3D,status.phase"
                                               "%3DPending")),
      ElementsAre("a", "b"));
  EXPECT_EQ(cluster.Get(std::string(kPods) + "?fieldSelector=spec.nothing%3Da").status, 400);
  EXPECT_EQ(cluster.Get(std::string(kPods) + "?labelSelector=%3D%3D").status, 400);
}

TEST(Api, PatchesInThreeWays) {
  ApiForTest cluster;
  cluster.Post(kPods, ApiForTest::Pod("a"));
  const auto target = std::string(kPods) + "/a";
  EXPECT_EQ(cluster.Patch(target, "merge", R"({"metadata":{"labels":{"x":"1"}}})").status, 200);
  EXPECT_EQ(cluster
                .Patch(target, "strategic-merge",
                       R"({"spec":{"containers":[{"name":"c","image":"other"}]}})")
                .status,
            200);
  EXPECT_EQ(cluster
                .Patch(target, "json",
                       R"([{"op":"add","path":"/metadata/annotations","value":{"k":"v"}}])")
                .status,
            200);
  const auto pod = ApiForTest::Parse(cluster.Get(target));
  EXPECT_EQ(Text(pod, {"metadata", "labels", "x"}), "1");
  EXPECT_EQ(Text(pod, {"metadata", "annotations", "k"}), "v");
  const auto& container = FindArray(pod, {"spec", "containers"})->front().as_object();
  EXPECT_EQ(Text(container, {"image"}), "other");
  const auto before = cluster.store.revision();
  EXPECT_EQ(cluster.Patch(target, "merge", R"({"metadata":{"labels":{"x":"1"}}})").status, 200);
  EXPECT_EQ(cluster.store.revision(), before) << "a patch that changes nothing is no write";
  EXPECT_EQ(cluster.Patch(target, "merge", R"({"metadata":{"resourceVersion":"1"}})").status, 409);
  EXPECT_EQ(cluster.Patch(target, "merge", R"({"metadata":{"name":"b"}})").status, 400);
  const auto apply =
      cluster.Send(http::Method::kPatch, target, "{}", "application/apply-patch+yaml");
  EXPECT_EQ(apply.status, 415);
  EXPECT_THAT(MessageOf(apply), HasSubstr("real API server"));
}

TEST(Api, StatusIsWrittenApart) {
  ApiForTest cluster;
  cluster.Post(kPods, ApiForTest::Pod("a"));
  const auto target = std::string(kPods) + "/a";
  cluster.Patch(target, "merge", R"({"status":{"phase":"Running"}})");
  EXPECT_EQ(Text(ApiForTest::Parse(cluster.Get(target)), {"status", "phase"}), "Pending");
  cluster.Patch(target + "/status", "merge", R"({"status":{"phase":"Running"}})");
  EXPECT_EQ(Text(ApiForTest::Parse(cluster.Get(target)), {"status", "phase"}), "Running");
}

TEST(Api, BindsAPodOnce) {
  ApiForTest cluster;
  const auto pod = ApiForTest::Parse(cluster.Post(kPods, ApiForTest::Pod("a")));
  const auto target = std::string(kPods) + "/a/binding";
  const std::string uid(Text(pod, {"metadata", "uid"}));
  const auto binding = [&](std::string_view more) {
    return R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"a")" + std::string(more) +
           R"(},"target":{"kind":"Node","name":"n1"}})";
  };
  EXPECT_THAT(MessageOf(cluster.Post(target, binding(R"(,"uid":"other")"))),
              HasSubstr("Precondition failed: UID in precondition: other, UID in object meta: "));
  EXPECT_EQ(cluster.Post(target, binding(R"(,"resourceVersion":"1")")).status, 409);
  const auto bound =
      cluster.Post(target, binding(R"(,"uid":")" + uid + R"(","annotations":{"gpus":"0,1"})"));
  EXPECT_EQ(bound.status, 201) << bound.Text();
  const auto now = ApiForTest::Parse(cluster.Get(std::string(kPods) + "/a"));
  EXPECT_EQ(Text(now, {"spec", "nodeName"}), "n1");
  EXPECT_EQ(Text(now, {"metadata", "annotations", "gpus"}), "0,1");
  EXPECT_THAT(json::serialize(*Find(now, {"status", "conditions"})),
              HasSubstr(R"("type":"PodScheduled","status":"True")"));
  EXPECT_EQ(MessageOf(cluster.Post("/api/v1/namespaces/default/bindings", binding(""))),
            R"(Operation cannot be fulfilled on pods/binding "a": pod a is already assigned to )"
            R"(node "n1")");
}

TEST(Api, DeletesWithOptions) {
  ApiForTest cluster;
  cluster.Post(kPods, ApiForTest::Pod("a"));
  const auto target = std::string(kPods) + "/a";
  EXPECT_EQ(cluster.Delete(target, R"({"preconditions":{"uid":"x"}})").status, 409);
  EXPECT_EQ(cluster.Delete(target, R"({"propagationPolicy":"Maybe"})").status, 422);
  EXPECT_EQ(Text(ApiForTest::Parse(cluster.Delete(target)), {"kind"}), "Pod");
  EXPECT_EQ(cluster.Delete(target).status, 404);
  cluster.Post("/api/v1/namespaces/default/configmaps", R"({"metadata":{"name":"c"}})");
  const auto gone = cluster.Delete("/api/v1/namespaces/default/configmaps/c");
  EXPECT_THAT(gone.Text(), HasSubstr(R"("status":"Success","details":{"name":"c","kind":)"));
}

TEST(Api, DeletesManyBySelector) {
  ApiForTest cluster;
  cluster.Post(kPods, ApiForTest::Pod("a", R"(,"labels":{"app":"x"})"));
  cluster.Post(kPods, ApiForTest::Pod("b"));
  EXPECT_THAT(NamesIn(cluster.Delete(std::string(kPods) + "?labelSelector=app%3Dx")),
              ElementsAre("a"));
  EXPECT_THAT(NamesIn(cluster.Get(kPods)), ElementsAre("b"));
}

constexpr const char* kDeployments = "/apis/apps/v1/namespaces/default/deployments";
constexpr const char* kDeployment =
    R"({"metadata":{"name":"web"},"spec":{"selector":{"matchLabels":{"app":"web"}},"template":{)"
    R"("metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"c","image":"x"}]}}}})";

TEST(Api, ScalesADeployment) {
  ApiForTest cluster;
  const auto made = cluster.Post(kDeployments, kDeployment);
  ASSERT_EQ(made.status, 201) << made.Text();
  EXPECT_EQ(MaybeInt(ApiForTest::Parse(made), {"spec", "revisionHistoryLimit"}), 10);
  const auto target = std::string(kDeployments) + "/web/scale";
  EXPECT_EQ(MaybeInt(ApiForTest::Parse(cluster.Get(target)), {"spec", "replicas"}), 1);
  const auto scaled = cluster.Patch(target, "merge", R"({"spec":{"replicas":3}})");
  EXPECT_EQ(MaybeInt(ApiForTest::Parse(scaled), {"spec", "replicas"}), 3);
  const auto web = ApiForTest::Parse(cluster.Get(std::string(kDeployments) + "/web"));
  EXPECT_EQ(MaybeInt(web, {"spec", "replicas"}), 3);
  EXPECT_EQ(MaybeInt(web, {"metadata", "generation"}), 2);
  EXPECT_EQ(cluster.Put(target, R"({"spec":{"replicas":-1}})").status, 422);
}

TEST(Api, ADeploymentMustSelectItsOwnPods) {
  ApiForTest cluster;
  std::string other = kDeployment;
  other.replace(other.find("\"labels\":{\"app\":\"web\"}"), 22, "\"labels\":{\"app\":\"x\"} ");
  EXPECT_EQ(MessageOf(cluster.Post(kDeployments, other)),
            R"(Deployment.apps "web" is invalid: spec.template.metadata.labels: Invalid value: )"
            R"({"app":"x"}: `selector` does not match template `labels`)");
}

TEST(Api, EventsHaveTwoNames) {
  ApiForTest cluster;
  const auto made = cluster.Post(
      "/apis/events.k8s.io/v1/namespaces/default/events",
      R"({"apiVersion":"events.k8s.io/v1","kind":"Event","metadata":{"name":"e"},"note":"hi",)"
      R"("regarding":{"kind":"Pod","name":"a"}})");
  ASSERT_EQ(made.status, 201) << made.Text();
  EXPECT_EQ(Text(ApiForTest::Parse(made), {"note"}), "hi");
  const auto core = ApiForTest::Parse(cluster.Get("/api/v1/namespaces/default/events/e"));
  EXPECT_EQ(Text(core, {"message"}), "hi");
  EXPECT_EQ(Text(core, {"involvedObject", "name"}), "a");
  EXPECT_THAT(NamesIn(cluster.Get("/apis/events.k8s.io/v1/events")), ElementsAre("e"));
}

TEST(Api, EverybodyMayDoEverything) {
  ApiForTest cluster;
  const auto reply = cluster.Post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
                                  R"({"spec":{"resourceAttributes":{"verb":"get"}}})");
  EXPECT_EQ(reply.status, 201);
  EXPECT_TRUE(Bool(ApiForTest::Parse(reply), {"status", "allowed"}));
}

TEST(Api, ANamespaceIsMadeAndFinished) {
  ApiForTest cluster;
  const auto made =
      ApiForTest::Parse(cluster.Post("/api/v1/namespaces", R"({"metadata":{"name":"team"}})"));
  EXPECT_EQ(Text(made, {"metadata", "labels", "kubernetes.io/metadata.name"}), "team");
  EXPECT_EQ(Text(made, {"status", "phase"}), "Active");
  EXPECT_EQ(cluster.Delete("/api/v1/namespaces/team").status, 200);
  auto ending = ApiForTest::Parse(cluster.Get("/api/v1/namespaces/team"));
  EXPECT_EQ(Text(ending, {"status", "phase"}), "Terminating");
  ending["spec"] = json::object();
  EXPECT_EQ(cluster.Put("/api/v1/namespaces/team/finalize", json::serialize(ending)).status, 200);
  EXPECT_EQ(cluster.Get("/api/v1/namespaces/team").status, 404);
}

TEST(Eviction, TakesOneDisruptionOffTheBudget) {
  ApiForTest cluster;
  const auto target = [](const std::string& pod) {
    return std::string(kPods) + "/" + pod + "/eviction";
  };
  for (const std::string name : {"a", "b"}) {
    ASSERT_EQ(cluster.Post(kPods, ApiForTest::Pod(name)).status, 201);
    ASSERT_EQ(cluster
                  .Patch(std::string(kPods) + "/" + name + "/status", "merge",
                         R"({"status":{"phase":"Running","conditions":[{"type":"Ready",)"
                         R"("status":"True"}]}})")
                  .status,
              200);
  }
  const std::string budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
  ASSERT_EQ(cluster.Post(budgets, R"({"metadata":{"name":"keep"},"spec":{"selector":{}}})").status,
            201);
  EXPECT_THAT(MessageOf(cluster.Post(target("a"), "{}")), HasSubstr("would violate"));
  ASSERT_EQ(cluster
                .Patch(budgets + "/keep/status", "merge",
                       R"({"status":{"observedGeneration":1,"disruptionsAllowed":1,)"
                       R"("desiredHealthy":1,"currentHealthy":2}})")
                .status,
            200);
  EXPECT_EQ(cluster.Post(target("a"), "{}").status, 201);
  const auto refused = cluster.Post(target("b"), "{}");
  EXPECT_EQ(refused.status, 429);
  EXPECT_THAT(refused.Text(), HasSubstr("needs 1 healthy pods and has 2 currently"));
}

}  // namespace
}  // namespace gs::localcluster
